//! The identity of a run, which follows from its scenario and from the content of everything that it reads.

use super::World;
use super::initial::InitialModels;
use crate::corpus::{Corpus, hash_file};
use crate::error::{Error, Result};
use crate::network::Network;
use crate::record::Parameters;
use crate::results::{Identity, Inputs};
use crate::scenario::Scenario;
use std::collections::BTreeMap;
use std::path::Path;

impl World {
    /// The hashes of everything that a run on `corpus` reads.
    pub fn inputs(&self, corpus: &Corpus) -> Inputs {
        self.inputs_with(corpus.hash())
    }

    /// The same for documents that have this hash.
    pub fn inputs_with(&self, data_hash: String) -> Inputs {
        Inputs { data_hash, files: self.files.clone() }
    }

    /// The identity of a run with these inputs, and of its results. `axes` tell its place in a sweep, if it has one.
    pub fn identity(&self, inputs: &Inputs, axes: &[(String, String)]) -> Identity {
        self.scenario.identity(inputs, axes)
    }
}

impl Scenario {
    /// The identity of a run of this scenario with these inputs.
    pub fn identity(&self, inputs: &Inputs, axes: &[(String, String)]) -> Identity {
        Identity::new(&self.experiment().canonical(), &self.canonical(), self.seed, self.parameters(axes), inputs)
    }

    fn parameters(&self, axes: &[(String, String)]) -> Parameters {
        let Scenario { defense, attack, users, malicious_share, .. } = self;
        let (defense, attack, users) = (defense.name().into(), attack.name().into_owned(), users.name().into());
        Parameters { defense, attack, users, malicious_share: *malicious_share, axes: axes.to_vec() }
    }
}

/// Hashes of the files that a scenario names, by path.
pub(super) fn hashes(scenario: &Scenario, initial: Option<&InitialModels>) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    // A pipe can be read only once, so only regular files have a hash.
    for path in Network::paths(&scenario.arrivals, &scenario.latency, &scenario.churn).filter(|path| Path::new(path).is_file()) {
        let (hash, _) = hash_file(Path::new(path)).map_err(|e| Error::cannot_read(Path::new(path), &e))?;
        files.insert(path.to_string(), format!("x{hash:016x}"));
    }
    files.extend(initial.map(InitialModels::hash));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Latency, Measures, Missing, Unit};
    use crate::node::HistoryRows;
    use crate::record::{Record, Sampling};
    use crate::scenario::parse::tests::good;

    fn run_id(scenario: &Scenario, data_hash: &str) -> String {
        let world = scenario.resolve().unwrap_or_else(|error| panic!("{error}"));
        world.identity(&world.inputs_with(data_hash.into()), &[]).key.run_id
    }

    #[test]
    fn a_run_is_another_one_by_what_happens_and_not_by_what_it_is_called_or_records() {
        let id = run_id(&good(), "d1");
        let record = Record { receipts: Sampling::Nothing, ..good().record };
        assert_eq!(id, run_id(&Scenario { name: "other".into(), record, ..good() }, "d1"));
        assert_eq!(id, run_id(&Scenario { history_rows: HistoryRows::Referenced, ..good() }, "d1"));
        for (other, data) in [(Scenario { seed: 2, ..good() }, "d1"), (Scenario { loss: 0.5, ..good() }, "d1"), (good(), "d2")] {
            assert_ne!(id, run_id(&other, data));
        }
    }

    #[test]
    fn files_of_the_network_count_by_their_content() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matrix.csv").display().to_string();
        let (unit, measures, missing, jitter) = (Unit::Seconds, Measures::OneWay, Missing::Refuse, Default::default());
        let scenario = Scenario { latency: Latency::Matrix { path: path.clone(), unit, measures, missing, jitter }, ..good() };
        let id = |text: &str| {
            std::fs::write(&path, text).expect("it writes");
            run_id(&scenario, "d1")
        };
        assert_eq!(id("0,1\n1,0\n"), id("0,1\n1,0\n"));
        assert_ne!(id("0,1\n1,0\n"), id("0,2\n1,0\n"));
    }

    #[test]
    fn initial_models_count_by_their_content() {
        let world = good().resolve().expect("it is good");
        let id = |weight: f32| {
            let initial = InitialModels::of("out/a", vec![vec![weight]]);
            let files = hashes(&good(), Some(&initial)).expect("nothing to read");
            world.identity(&Inputs { data_hash: "d1".into(), files }, &[]).key.run_id
        };
        assert_eq!(id(0.5), id(0.5));
        assert_ne!(id(0.5), id(0.25));
    }
}
