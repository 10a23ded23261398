//! Groups of results. The results of a group are runs of one experiment: they differ in nothing but their seed, name and recorded tables.

use super::last::Last;
use super::names::Named;
use super::setting::{Run, Setting};
use crate::corpus::Dataset;
use crate::error::{Error, Result};
use crate::math;
use crate::record::RunRow;
use crate::results::{self, Inputs};
use std::path::Path;

/// The outcome of one run.
pub struct Sample {
    pub folder: String,
    run_id: String,
    fingerprint: String,
    pub version: String,
    /// nDCG over honest nodes, averaged over the end of the run: the mean and the standard deviation across nodes.
    pub mean: f64,
    pub node_sd: f64,
    pub window: Window,
}

/// Which evaluations were averaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub from: i32,
    pub to: i32,
    pub n: usize,
    pub sessions: (i64, i64),
}

/// Runs of one experiment.
pub struct Group {
    setting: Setting,
    /// Every field that tells experiments apart, as it is written.
    fields: Vec<(String, String)>,
    contents: Vec<(String, String)>,
    pub users: Named,
    pub attack: Named,
    pub defense: Named,
    pub ndcg_cutoff: u32,
    pub has_attack: bool,
    pub samples: Vec<Sample>,
}

/// The groups in the order of their first results, and remarks for the reader.
pub fn read(results: &[impl AsRef<Path>], last: Last) -> Result<(Vec<Group>, Vec<String>)> {
    let (mut groups, mut remarks): (Vec<Group>, Vec<String>) = Default::default();
    for run in runs(results)? {
        let (group, sample) = read_one(run, last)?;
        let twin = groups.iter().flat_map(|group| &group.samples).find(|other| other.run_id == sample.run_id);
        if let Some(twin) = twin {
            remarks.push(counted_once(twin, &sample)?);
            continue;
        }
        match groups.iter_mut().find(|other| other.is_like(&group)) {
            Some(known) => known.samples.push(sample),
            None => groups.push(Group { samples: vec![sample], ..group }),
        }
    }
    Ok((groups, remarks))
}

fn counted_once(one: &Sample, other: &Sample) -> Result<String> {
    if one.fingerprint == other.fingerprint {
        return Ok(format!("{} is the same run as {} and is not counted again", other.folder, one.folder));
    }
    Err(Error::input(format!(
        "{} and {} are one run with different outcomes ({} by version {}, {} by version {}); leave one of them out",
        one.folder, other.folder, one.fingerprint, one.version, other.fingerprint, other.version
    )))
}

/// All runs of these folders, in order.
pub fn runs(folders: &[impl AsRef<Path>]) -> Result<Vec<Run>> {
    let runs: Vec<Vec<_>> = folders.iter().map(|folder| results::runs(folder.as_ref())).collect::<Result<_>>()?;
    Ok(runs.into_iter().flatten().collect())
}

/// The experiment of one result, and the outcome of this run of it.
fn read_one(results: Run, last: Last) -> Result<(Group, Sample)> {
    let (curve, place) = (results.curve()?, results.place.display().to_string());
    let end = last.of(&curve, results.scenario.stop).map_err(|what| Error::input(format!("{place}: {what}")))?;
    let (means, sds): (Vec<f64>, Vec<f64>) = end.iter().map(|point| (point.ndcg_mean, point.ndcg_sd)).unzip();
    let (first, last) = (&end[0], &end[end.len() - 1]);
    let sample = Sample {
        folder: place,
        run_id: results.run_id,
        fingerprint: results.fingerprint,
        version: results.version,
        mean: math::mean_sd(&means).0,
        node_sd: math::mean_sd(&sds).0,
        window: Window { from: first.evaluation, to: last.evaluation, n: end.len(), sessions: (first.sessions, last.sessions) },
    };
    Ok((Group::of(results.row, results.scenario, &results.inputs), sample))
}

impl Group {
    fn of(run: RunRow, setting: Setting, inputs: &Inputs) -> Self {
        let mut contents: Vec<(String, String)> = inputs.files.iter().map(|(path, hash)| (path.clone(), hash.clone())).collect();
        // Synthetic data follows from the scenario.
        if let Dataset::Letor { .. } = setting.dataset {
            contents.push(("content of the data".into(), inputs.data_hash.clone()));
        }
        Self {
            fields: fields(&run.scenario),
            users: Named { name: setting.users.name().to_lowercase(), spelled: run.users_spelled },
            attack: Named { name: setting.attack.name().into_owned(), spelled: run.attack_spelled },
            defense: Named { name: setting.defense.name().into(), spelled: run.defense_spelled },
            ndcg_cutoff: setting.ndcg_cutoff,
            has_attack: run.n_malicious > 0,
            setting,
            contents,
            samples: Vec::new(),
        }
    }

    pub fn dataset(&self) -> &Dataset {
        &self.setting.dataset
    }

    fn is_like(&self, other: &Self) -> bool {
        self.fields == other.fields && self.contents == other.contents
    }

    /// Every field beside users, attack and defence, by name.
    pub fn others(&self) -> Vec<(String, String)> {
        let mut told = vec!["users", "attack", "defense"];
        // The usual limit follows from the defence, which is shown already.
        told.extend(self.setting.has_usual_weight_limit().then_some("weight_limit"));
        let fields = self.fields.iter().filter(|(field, _)| !told.contains(&field.as_str()));
        fields.chain(&self.contents).cloned().collect()
    }

    /// The value of a field that `others` names, or a dash.
    pub fn other(&self, name: &str) -> String {
        self.others().into_iter().find(|(field, _)| field == name).map_or("–".into(), |(_, value)| value)
    }

    /// 0.719(2) ±0.001 n=3: mean over seeds, deviation across nodes in units of the last digit, deviation over seeds, number of seeds.
    pub fn show(&self) -> String {
        let (means, sds): (Vec<f64>, Vec<f64>) = self.samples.iter().map(|sample| (sample.mean, sample.node_sd)).unzip();
        let (mean, sd) = math::mean_sd(&means);
        let over_seeds = if means.len() > 1 { format!(" ±{sd:.3}") } else { String::new() };
        format!("{mean:.3}({:.0}){over_seeds} n={}", math::mean_sd(&sds).0 * 1e3, means.len())
    }
}

/// The fields of a scenario as the table `runs` keeps it, one per line, without those in which the runs of one experiment may differ.
pub fn fields(scenario: &str) -> Vec<(String, String)> {
    let field = |line: &str| {
        let (name, value) = line.strip_prefix("    ")?.strip_suffix(',')?.split_once(": ")?;
        (!["name", "seed", "record"].contains(&name)).then(|| (name.to_string(), value.to_string()))
    };
    scenario.lines().filter_map(field).collect()
}
