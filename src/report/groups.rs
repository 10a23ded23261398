//! Results that differ in nothing but their seed, name and recorded tables, gathered; and what tells these groups apart.

use super::last::Last;
use super::names::{self, Named};
use crate::corpus::Dataset;
use crate::error::{Error, Result};
use crate::math;
use crate::record::{Inputs, Manifest, read_curve};
use crate::scenario::Scenario;
use std::path::Path;

/// What one run came to.
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
    scenario: Scenario,
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
    for folder in results {
        let (scenario, inputs, sample) = read_one(folder.as_ref(), last)?;
        let twin = groups.iter().flat_map(|group| &group.samples).find(|other| other.run_id == sample.run_id);
        if let Some(twin) = twin {
            remarks.push(counted_once(twin, &sample)?);
            continue;
        }
        let group = Group::of(scenario, &inputs);
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

fn read_one(folder: &Path, last: Last) -> Result<(Scenario, Inputs, Sample)> {
    let Manifest { scenario, inputs, run_id, fingerprint, program_version, .. } = Manifest::<Scenario>::read(folder)?;
    let curve = read_curve(folder)?;
    let end = last.of(&curve, scenario.stop).map_err(|what| Error::input(format!("{}: {what}", folder.display())))?;
    let (means, sds): (Vec<f64>, Vec<f64>) = end.iter().map(|point| (point.ndcg_mean, point.ndcg_sd)).unzip();
    let (first, last) = (end[0], end[end.len() - 1]);
    let sample = Sample {
        folder: folder.display().to_string(),
        run_id,
        fingerprint,
        version: program_version,
        mean: math::mean_sd(&means).0,
        node_sd: math::mean_sd(&sds).0,
        window: Window { from: first.evaluation, to: last.evaluation, n: end.len(), sessions: (first.sessions, last.sessions) },
    };
    Ok((scenario, inputs, sample))
}

impl Group {
    fn of(scenario: Scenario, inputs: &Inputs) -> Self {
        let spelled =
            |name: &str| scenario.fields().into_iter().find(|(field, _)| field == name).map(|(_, value)| value).unwrap_or_default();
        let named = |name: &str, field: &str| Named { name: name.to_string(), spelled: spelled(field) };
        let mut contents: Vec<(String, String)> = inputs.files.iter().map(|(path, hash)| (path.clone(), hash.clone())).collect();
        // Data that is made follows from the scenario.
        if let Dataset::Letor { .. } = scenario.dataset {
            contents.push(("content of the data".into(), inputs.data_hash.clone()));
        }
        Self {
            users: named(names::users(&scenario.users), "users"),
            attack: named(&scenario.attack.name(), "attack"),
            defense: named(scenario.defense.name(), "defense"),
            ndcg_cutoff: scenario.ndcg_cutoff,
            has_attack: scenario.n_malicious() > 0,
            scenario: Scenario { seed: 0, ..scenario.experiment() },
            contents,
            samples: Vec::new(),
        }
    }

    pub fn dataset(&self) -> &Dataset {
        &self.scenario.dataset
    }

    fn is_like(&self, other: &Self) -> bool {
        self.scenario == other.scenario && self.contents == other.contents
    }

    /// Everything that users, attack and defence do not say, by name.
    pub fn others(&self) -> Vec<(String, String)> {
        let mut told = vec!["name", "seed", "record", "users", "attack", "defense"];
        // The defence says it.
        told.extend(self.scenario.has_usual_weight_limit().then_some("weight_limit"));
        let fields = self.scenario.fields().into_iter().filter(|(field, _)| !told.contains(&field.as_str()));
        fields.chain(self.contents.iter().cloned()).collect()
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
