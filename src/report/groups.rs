//! Runs and what tells their experiments apart. Runs of one experiment differ in nothing but their seed, name and recorded tables.

use super::setting::Run;
use crate::corpus::Dataset;
use crate::error::Result;
use crate::results;
use std::path::Path;

/// All runs of these folders, in order.
pub fn runs(folders: &[impl AsRef<Path>]) -> Result<Vec<Run>> {
    let runs: Vec<Vec<_>> = folders.iter().map(|folder| results::runs(folder.as_ref())).collect::<Result<_>>()?;
    Ok(runs.into_iter().flatten().collect())
}

/// Everything that tells the experiment of a run from others: the fields of its scenario as they are written, and the content of the files that
/// it read.
pub fn experiment(run: &Run) -> Vec<(String, String)> {
    let mut all = fields(&run.row.scenario);
    all.extend(run.inputs.files.iter().map(|(path, hash)| (path.clone(), hash.clone())));
    // Synthetic data follows from the scenario.
    if let Dataset::Letor { .. } = run.scenario.dataset {
        all.push(("content of the data".into(), run.inputs.data_hash.clone()));
    }
    all
}

/// The fields of a scenario as the table `runs` keeps it, one per line, without those in which the runs of one experiment may differ.
pub fn fields(scenario: &str) -> Vec<(String, String)> {
    let field = |line: &str| {
        let (name, value) = line.strip_prefix("    ")?.strip_suffix(',')?.split_once(": ")?;
        (!["name", "seed", "record"].contains(&name)).then(|| (name.to_string(), value.to_string()))
    };
    scenario.lines().filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_seed_and_record_do_not_make_an_experiment() {
        let scenario =
            "(\n    name: \"a: b\",\n    seed: 1,\n    nodes: 10,\n    latency: Constant(\"1s\"),\n    record: (curve: All),\n)\n";
        let expect = [("nodes", "10"), ("latency", "Constant(\"1s\")")].map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(fields(scenario), expect);
    }
}
