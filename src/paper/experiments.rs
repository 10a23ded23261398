//! The experiments of the paper: what each shows, on which data, and the sweeps or computations that it consists of.

use super::data_sets::Data;
use crate::error::Result;
use crate::sweep::SweepFile;
use std::path::Path;

/// One experiment.
#[derive(Debug)]
pub struct Experiment {
    /// Its name on the command line and in the folder of results.
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// The data sets that the paper uses for it, as [`super::data`] reads them.
    pub data: &'static [&'static str],
    /// What is done.
    pub work: Work,
}

/// What an experiment consists of.
#[derive(Debug)]
pub enum Work {
    /// Sweeps, most of them one for each reading of the paper.
    Sweeps(&'static [Sweep]),
    /// The number of sessions that it takes to reject a poisoned model.
    SessionsNeeded,
    /// The times that judging takes, as `rankguard bench` measures them.
    Runtime,
}

/// One sweep of an experiment.
#[derive(Debug)]
pub struct Sweep {
    /// The reading of the paper, or what is varied.
    pub name: &'static str,
    text: &'static str,
}

/// A sweep file below `scenarios/paper`.
macro_rules! sweep {
    ($folder:literal, $name:literal) => {
        Sweep { name: $name, text: include_str!(concat!("../../scenarios/paper/", $folder, "/", $name, ".ron")) }
    };
}

/// The sweeps of an experiment in the three readings of the paper.
macro_rules! readings {
    ($folder:literal) => {
        Work::Sweeps(&[sweep!($folder, "literal"), sweep!($folder, "detached"), sweep!($folder, "as-reported")])
    };
}

/// All experiments, in the paper's order; ours follow.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "motivation",
        shows: "accuracy over sessions without a defence, under FLIP, LIE and IPM",
        data: &["WEB30K"],
        work: readings!("motivation"),
    },
    Experiment {
        name: "robustness",
        shows: "the table of robustness: three users and three attacks against seven defences, Oracle and Local; its convergence plots",
        data: &["WEB30K", "MQ2007", "Yahoo", "Istella"],
        work: readings!("robustness"),
    },
    Experiment {
        name: "adapt",
        shows: "ADAPT against RankGuard and RankGuard-Rand, between Local and Oracle, over sessions",
        data: &["WEB30K"],
        work: Work::Sweeps(&[sweep!("adapt", "sweep")]),
    },
    Experiment {
        name: "alpha",
        shows: "the weight of honest and of malicious models over sessions, under FLIP, LIE and IPM; under ADAPT the runs of adapt show it",
        data: &["WEB30K"],
        work: readings!("alpha"),
    },
    Experiment {
        name: "share",
        shows: "RankGuard with a share of 0 to one half of malicious nodes, by attack and users",
        data: &["WEB30K"],
        work: readings!("share"),
    },
    Experiment {
        name: "neural",
        shows: "a neural ranker next to a linear one under FLIP, LIE and IPM",
        data: &["WEB30K"],
        work: readings!("neural"),
    },
    Experiment {
        name: "runtime",
        shows: "the time to judge one model by 100, 1,000 and 10,000 sessions, next to the paper's",
        data: &["WEB30K"],
        work: Work::Runtime,
    },
    Experiment {
        name: "sessions-needed",
        shows: "how many sessions it takes to reject a minimally poisoned model",
        data: &["WEB30K"],
        work: Work::SessionsNeeded,
    },
    Experiment {
        name: "assumptions",
        shows: "what each choice that the paper leaves open, or contradicts, does to the results",
        data: &["MQ2007"],
        work: Work::Sweeps(&[
            sweep!("assumptions", "rankguard"),
            sweep!("assumptions", "cs"),
            sweep!("assumptions", "gts"),
            sweep!("assumptions", "cwtm"),
            sweep!("assumptions", "lie"),
            sweep!("assumptions", "ipm"),
            sweep!("assumptions", "rankguard-rand"),
            sweep!("assumptions", "adapt"),
            sweep!("assumptions", "attackers-merge"),
            sweep!("assumptions", "weight-limit"),
            sweep!("assumptions", "balance"),
            sweep!("assumptions", "sketchguard"),
        ]),
    },
    Experiment {
        name: "further-rules",
        shows: "rules that the paper does not have, in its setting",
        data: &["MQ2007"],
        work: readings!("further-rules"),
    },
    Experiment {
        name: "theory",
        shows: "the effective in-degree of the theorem on convergence, and the spread of honest models that it lets expect next to the real one",
        data: &["MQ2007"],
        work: Work::Sweeps(&[sweep!("theory", "sweep")]),
    },
    Experiment {
        name: "scale",
        shows: "the paper's size: all queries of WEB30K or a stand-in of their number, perfect users, one seed",
        data: &["WEB30K:full"],
        work: readings!("scale"),
    },
];

/// The scenarios that sweeps are based on, by the path under which a sweep names them.
const BASES: [(&str, &str); 3] = [
    ("\"../literal.ron\"", include_str!("../../scenarios/paper/literal.ron")),
    ("\"../detached.ron\"", include_str!("../../scenarios/paper/detached.ron")),
    ("\"../as-reported.ron\"", include_str!("../../scenarios/paper/as-reported.ron")),
];

/// Every number of seeds that a sweep has.
const SEEDS: [&str; 3] = ["count: 5", "count: 3", "count: 1"];
/// The most seeds of a quick run.
const QUICK_SEEDS: &str = "count: 3";
/// The searches of a quick run, a tenth of the paper's.
const QUICK_SESSIONS: u32 = 3_000;
/// What a quick run evaluates: the test queries of a large set would take most of its time.
const QUICK_QUERIES: &str = "queries: Sample(300)";

impl Sweep {
    /// The sweep on some data. A quick one has a tenth of the searches, at most three seeds, and evaluations on at most 300 test queries; `seeds`
    /// takes the place of the number of seeds.
    ///
    /// # Errors
    /// The data set cannot be put into the base.
    pub fn file(&self, data: &Data, is_quick: bool, seeds: Option<u32>) -> Result<SweepFile> {
        let mut text = BASES.iter().fold(self.text.to_string(), |text, (path, base)| text.replace(path, scenario(base)));
        let mut set = vec![format!("dataset={}", data.spelled)];
        if is_quick {
            text = text.replace(SEEDS[0], QUICK_SEEDS);
            text = text.replace("stop: Sessions(10000), ", "");
            text = text.replace("evaluate: (last:", &format!("evaluate: ({QUICK_QUERIES}, last:"));
            set.push(format!("stop=Sessions({QUICK_SESSIONS})"));
            set.push(format!("evaluate=({QUICK_QUERIES})"));
        }
        if let Some(n) = seeds {
            text = SEEDS.iter().fold(text, |text, written| text.replace(written, &format!("count: {n}")));
        }
        SweepFile::parse_with(&text, &format!("scenarios/paper/…/{}.ron", self.name), Path::new(""), &set)
    }
}

/// A scenario file without the comments above it.
fn scenario(text: &str) -> &str {
    text.find("\n(\n").map_or(text, |at| text[at..].trim())
}

impl Experiment {
    /// Its sweeps; none if it is computed without a network.
    pub fn sweeps(&self) -> &'static [Sweep] {
        match self.work {
            Work::Sweeps(sweeps) => sweeps,
            Work::SessionsNeeded | Work::Runtime => &[],
        }
    }

    /// The experiment of this name.
    pub fn named(name: &str) -> Option<&'static Experiment> {
        EXPERIMENTS.iter().find(|experiment| experiment.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::data;
    use super::*;
    use crate::scenario::Sample;
    use crate::units::Extent;

    #[test]
    fn every_sweep_plans_on_every_stand_in_also_quickly() {
        for experiment in EXPERIMENTS {
            let Work::Sweeps(sweeps) = &experiment.work else { continue };
            for name in experiment.data {
                let data = data(name, Path::new("no/such")).expect("something stands in");
                for (sweep, is_quick) in sweeps.iter().flat_map(|sweep| [(sweep, false), (sweep, true)]) {
                    let file =
                        sweep.file(&data, is_quick, None).unwrap_or_else(|error| panic!("{}/{}: {error}", experiment.name, sweep.name));
                    let plan = file.plan(None).unwrap_or_else(|error| panic!("{}/{}: {error}", experiment.name, sweep.name));
                    assert!(plan.runs().count() >= 9, "{}", experiment.name);
                    let run = plan.scenario(plan.runs().next().expect("a run")).expect("it is right");
                    let (queries, sessions) = (run.evaluate.queries, run.stop);
                    assert_eq!(is_quick, queries == Sample::Sample(300), "{}/{}", experiment.name, sweep.name);
                    assert_eq!(is_quick, sessions == Extent::Sessions(3_000), "{}/{}", experiment.name, sweep.name);
                }
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for (nth, experiment) in EXPERIMENTS.iter().enumerate() {
            assert!(EXPERIMENTS[..nth].iter().all(|other| other.name != experiment.name), "{}", experiment.name);
            assert!(Experiment::named(experiment.name).is_some_and(|found| found.shows == experiment.shows));
        }
        assert!(Experiment::named("magic").is_none());
    }
}
