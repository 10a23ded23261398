//! What a scenario is called as a run, and what it says field by field.

use super::{Scenario, Start};
use crate::corpus::hash_file;
use crate::error::{Error, Result};
use crate::network::{Arrivals, Churn, Latency};
use crate::record::Record;
use crate::results::{Identity, Inputs, models_hash};
use std::path::Path;

impl Scenario {
    /// Fields by name with their values as they are written, every default filled in.
    pub fn fields(&self) -> Vec<(String, String)> {
        let canonical = self.canonical();
        let field = |line: &str| {
            let (name, value) = line.strip_prefix("    ")?.strip_suffix(',')?.split_once(": ")?;
            Some((name.to_string(), value.to_string()))
        };
        canonical.lines().filter_map(field).collect()
    }

    /// The same experiment whatever it is called and whatever is recorded of it.
    pub fn experiment(&self) -> Scenario {
        Scenario { name: String::new(), record: Record::default(), ..self.clone() }
    }

    /// The content of everything that a run of this scenario reads: `data_hash` of its documents, `initial` models if it begins with some.
    ///
    /// # Errors
    /// If a file that the scenario names cannot be read.
    pub fn inputs(&self, data_hash: String, initial: Option<&[Vec<f32>]>) -> Result<Inputs> {
        let mut inputs = Inputs { data_hash, files: Default::default() };
        // What is not a plain file may only be read once.
        for path in self.network_files().into_iter().filter(|path| Path::new(path).is_file()) {
            let (hash, _) = hash_file(Path::new(path)).map_err(|e| Error::cannot_read(Path::new(path), &e))?;
            inputs.files.insert(path.to_string(), format!("x{hash:016x}"));
        }
        if let (Start::Models { path, .. }, Some(models)) = (&self.start, initial) {
            inputs.files.insert(path.clone(), models_hash(models));
        }
        Ok(inputs)
    }

    /// How the run and its results are called.
    pub fn identity(&self, inputs: &Inputs) -> Identity {
        Identity::new(&self.experiment().canonical(), &self.canonical(), self.seed, inputs)
    }

    fn network_files(&self) -> Vec<&str> {
        let arrivals = match &self.arrivals {
            Arrivals::Trace { path, .. } => Some(path.as_str()),
            Arrivals::RoundRobin { .. } | Arrivals::Poisson { .. } => None,
        };
        let latency = match &self.latency {
            Latency::Matrix { path, .. } | Latency::Vivaldi { path, .. } => Some(path.as_str()),
            Latency::Zero
            | Latency::Constant(_)
            | Latency::Uniform { .. }
            | Latency::LogNormal { .. }
            | Latency::Gamma { .. }
            | Latency::Regions { .. } => None,
        };
        let churn = if let Churn::Trace { path, .. } = &self.churn { Some(path.as_str()) } else { None };
        [arrivals, latency, churn].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Measures, Missing, Unit};
    use crate::record::Sampling;
    use crate::scenario::parse::tests::good;

    #[test]
    fn every_field_has_its_value() {
        let fields = good().fields();
        let value = |name: &str| fields.iter().find(|(field, _)| field == name).map(|(_, value)| value.as_str());
        assert_eq!(value("nodes"), Some("100"));
        assert_eq!(value("arrivals"), Some("Poisson(every: \"10min\", rates: Equal)"));
        assert_eq!(value("name"), Some("\"good\""));
        assert_eq!(fields.len(), good().canonical().lines().count() - 2, "a line per field between two brackets");
    }

    fn run_id(scenario: &Scenario, data_hash: &str) -> String {
        scenario.identity(&scenario.inputs(data_hash.into(), None).expect("it reads")).key.run_id
    }

    #[test]
    fn a_run_is_another_one_by_what_happens_and_not_by_what_it_is_called_or_records() {
        let id = run_id(&good(), "d1");
        let record = Record { receipts: Sampling::Nothing, ..good().record };
        assert_eq!(id, run_id(&Scenario { name: "other".into(), record, ..good() }, "d1"));
        for (other, data) in [(Scenario { seed: 2, ..good() }, "d1"), (Scenario { loss: 0.5, ..good() }, "d1"), (good(), "d2")] {
            assert_ne!(id, run_id(&other, data));
        }
    }

    #[test]
    fn files_of_the_network_and_initial_models_count_by_their_content() {
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

        let start = Scenario { start: Start::Models { path: "out/a".into(), evaluation: None }, ..good() };
        let id = |weight: f32| start.identity(&start.inputs("d1".into(), Some(&[vec![weight]])).expect("it reads")).key.run_id;
        assert_ne!(id(0.5), id(0.25));
    }
}
