//! Checks a scenario beyond its types, and reports every problem at once, each with its field and a remedy.
//!
//! The limits of single fields are declared with the fields. This module has the rules about several fields and about the run as a whole.
//! Rules that need the data (do the labels fit the users' table?) are checked when the data is loaded.

mod arrivals;
mod evaluation;
mod faults;
mod learning;
mod malice;
mod network;
mod presence;
mod problems;

use super::written::Written;
use super::{Estimate, Scenario};
use crate::error::Result;
use crate::network::Means;
use problems::Problems;

/// The largest number of nodes: node numbers have 31 bits.
pub const MAX_NODES: u32 = i32::MAX as u32;
/// The largest number of results that a user sees: clicks are bits of a 16-bit word.
pub const MAX_SHOWN: u32 = 16;
const MAX_NAME: usize = 100;
/// No machine simulates more searches or changes of presence than this; more of them are probably a mistaken unit.
const MAX_EVENTS: f64 = 1e12;
const MAX_EVALUATIONS: f64 = 1e7;
/// The longest run: the clock holds 584 years, and random pauses need some room.
const MAX_SECONDS: f64 = 500.0 * 365.25 * 86_400.0;

impl Scenario {
    /// Checks a scenario that was made or changed in code, and reports all problems in one error. A scenario that was read is checked
    /// already.
    ///
    /// # Errors
    /// Fails if a value is out of its limits, or if values contradict each other. Each line begins with the scenario's name.
    pub fn check(&self) -> Result<()> {
        let origin = if self.name.trim().is_empty() { "scenario" } else { &self.name };
        self.check_written(&Written::new("", origin))
    }

    /// The same, with the place of every problem in the text.
    pub(super) fn check_written(&self, written: &Written) -> Result<()> {
        let mut problems = Problems::of(self);
        malice::check(self, &mut problems);
        network::check(self, &mut problems);
        arrivals::check(self, &mut problems);
        presence::check(self, &mut problems);
        faults::check(self, &mut problems);
        learning::check(self, &mut problems);
        evaluation::check(self, &mut problems);
        // An estimate needs valid values. If it depends on a file, `check_files` makes it after the file is read.
        if problems.is_empty()
            && let Some(means) = self.means()
        {
            self.check_effort(means, &mut problems);
        }
        problems.into_result(written)
    }

    /// Checks the effort of a run whose means are known only after files were read.
    pub(super) fn check_files(&self, means: Means) -> Result<()> {
        let mut problems = Problems::none();
        self.check_effort(means, &mut problems);
        problems.into_result(&Written::new("", &self.name))
    }

    fn check_effort(&self, means: Means, p: &mut Problems) {
        let expected = Estimate::with(self, None, means);
        p.refuse_if(expected.searches > MAX_EVENTS, || {
            format!(
                "stop is {}, about {:.1e} searches; it must be at most {MAX_EVENTS:.0e}; shorten it or let nodes search less often",
                self.stop, expected.searches
            )
        });
        p.refuse_if(expected.seconds > MAX_SECONDS, || {
            format!(
                "stop is {}, about {:.0} years; the clock holds 500; shorten it or let nodes search more often",
                self.stop,
                expected.seconds / 31_557_600.0
            )
        });
        malice::check_times(self, expected.seconds, p);
        presence::check_times(self, expected.seconds, p);
        faults::check_times(self, expected.seconds, p);
        p.refuse_if(expected.between > MAX_EVENTS, || {
            format!(
                "attackers.rate is {}, about {:.1e} broadcasts between searches; it must make at most {MAX_EVENTS:.0e}; lower it",
                self.attackers.rate, expected.between
            )
        });
        p.refuse_if(expected.changes > MAX_EVENTS, || {
            format!(
                "churn makes about {:.1e} changes of presence; it must be at most {MAX_EVENTS:.0e}; lengthen its periods or shorten stop",
                expected.changes
            )
        });
        p.refuse_if(expected.evaluations > MAX_EVALUATIONS, || {
            format!(
                "evaluate_every is {}, about {:.1e} evaluations; it must be at most {MAX_EVALUATIONS:.0e}; lengthen it",
                self.evaluate_every, expected.evaluations
            )
        });
    }

    /// The number of malicious nodes: β n, rounded to a whole number.
    pub fn n_malicious(&self) -> u32 {
        crate::adversary::n_malicious(self.nodes, self.malicious_share)
    }
}

/// Whether a result folder can have this name.
pub(super) fn is_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_allowed) && !name.starts_with('.')
}

#[cfg(test)]
mod extremes;

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, message, refuse};

    #[test]
    fn all_problems_are_told_at_once() {
        let message = message("nodes: 100,\n    malicious_share: 0.2", "nodes: 0, malicious_share: 1.5");
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(
            lines,
            [
                "x.ron:5:12: nodes is 0; it must be between 1 and 2147483647",
                "x.ron:5:32: malicious_share is 1.5; it must be at least 0 and below 1"
            ]
        );
    }

    #[test]
    fn names_are_folder_names() {
        for name in ["", "a/b", "a b", ".hidden", "β"] {
            refuse("\"good\"", &format!("{name:?}"), &format!("name is {name:?}; it must be 1 to 100 letters"));
        }
        accept("\"good\"", "\"kad_2.5-h\"");
    }

    #[test]
    fn sizes_have_bounds() {
        refuse("nodes: 100", "nodes: 0", "nodes is 0");
        refuse("nodes: 100", "nodes: 2147483648", "nodes is 2147483648; it must be between 1 and 2147483647");
        refuse("Time(\"1d\")", "Time(\"0s\")", "stop is Time(\"0s\"); it must be above 0");
        refuse("Time(\"1d\")", "Sessions(0)", "stop is Sessions(0); it must be at least 1");
        refuse("Sessions(100)", "Sessions(0)", "evaluate_every is Sessions(0)");
        refuse("shown: 10", "shown: 0", "shown is 0; it must be between 1 and 16");
        refuse("shown: 10", "shown: 17", "shown is 17; it must be between 1 and 16");
        refuse("ndcg_cutoff: 10", "ndcg_cutoff: 0", "ndcg_cutoff is 0; it must be between 1 and 100");
        refuse("ndcg_cutoff: 10", "ndcg_cutoff: 101", "ndcg_cutoff is 101");
        accept("Sessions(100)", "Time(\"30d\")");
    }

    #[test]
    fn slips_of_a_unit_are_caught() {
        refuse("\"10min\"", "\"1us\"", "stop is 1d, about 4.3e12 searches; it must be at most 1e12");
        refuse("Time(\"1d\")", "Sessions(900000000000)", "stop is 900000000000 sessions, about…years; the clock holds 500");
        refuse("Sessions(100)", "Time(\"1us\")", "evaluate_every is 1us, about 8.6e10 evaluations");
        let churn = "Alternating(online: Weibull(shape: 0.6, scale: \"2h\"), offline: Exponential(mean: \"3h\"))";
        refuse(
            churn,
            "Alternating(online: Exponential(mean: \"1us\"), offline: Exponential(mean: \"1us\"))",
            "churn makes about 8.6e12 changes",
        );
    }
}
