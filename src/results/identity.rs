//! The identity of a run: a hash of all its inputs. Two results with the same identity hold the same rows.

use crate::record::{Parameters, RunKey};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::Xxh3Default;

/// Version of this program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit that this program was built from, or `unknown`.
pub const COMMIT: &str = env!("RANKGUARD_COMMIT");

/// The inputs of a run beside its scenario, named by their content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// Hash of the documents in memory.
    pub data_hash: String,
    /// Hashes of the other files that the scenario names: traces, latencies, initial models.
    pub files: BTreeMap<String, String>,
}

/// The names of a run and of its results.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Names the run: its scenario, without name and recorded tables, and its inputs.
    pub key: RunKey,
    /// Names the written files: the run, its name, its tables, its place in a sweep and the version of this program. Only results of the same name are replaced
    /// without asking.
    pub result_id: String,
}

impl Inputs {
    /// The same inputs of a run that was forked from another one, which is then an input too.
    pub fn forked(mut self, from: Option<&str>) -> Self {
        self.files.extend(from.map(|from| ("forked from".to_string(), from.to_string())));
        self
    }
}

impl Identity {
    /// `experiment` is the scenario as text, without its name and the tables that it records, because neither changes what happens;
    /// `scenario` is the whole text.
    // The version is not part of a run's name, so that two versions can be compared; their fingerprints tell them apart. Neither are the axes
    // of a sweep, because they only name what the scenario says.
    pub fn new(experiment: &str, scenario: &str, seed: u64, parameters: Parameters, inputs: &Inputs) -> Self {
        let contents: Vec<&str> = [inputs.data_hash.as_str()].into_iter().chain(inputs.files.values().map(String::as_str)).collect();
        let contents = contents.join("\n");
        let axes = parameters.axes.iter().flat_map(|(axis, label)| [axis.as_str(), label]);
        let result: Vec<&str> = [scenario, &contents, VERSION].into_iter().chain(axes).collect();
        let result_id = name('o', &result);
        Self { key: RunKey { run_id: name('r', &[experiment, &contents]), seed, parameters }, result_id }
    }
}

/// A hash of the parts. It begins with a letter, because readers guess the types of partition values from their form.
fn name(letter: char, parts: &[&str]) -> String {
    let mut hash = Xxh3Default::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    format!("{letter}{:016x}", hash.digest())
}

/// The hash of models that a run begins with.
pub fn models_hash(models: &[Vec<f32>]) -> String {
    let hash = models.iter().fold(Xxh3Default::new(), |mut hash, theta| {
        theta.iter().for_each(|weight| hash.update(&weight.to_le_bytes()));
        hash
    });
    format!("x{:016x}", hash.digest())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(data_hash: &str, files: &[(&str, &str)]) -> Inputs {
        Inputs { data_hash: data_hash.into(), files: files.iter().map(|(path, hash)| (path.to_string(), hash.to_string())).collect() }
    }

    #[test]
    fn a_run_is_named_by_its_scenario_and_by_the_content_of_its_data() {
        let name = |experiment: &str, inputs: &Inputs| Identity::new(experiment, "all", 1, Parameters::default(), inputs).key.run_id;
        let id = name("(nodes: 3)", &inputs("d1", &[]));
        assert!(id.len() == 17 && id.starts_with('r') && id[1..].chars().all(|c| c.is_ascii_hexdigit()), "{id}");
        assert_eq!(id, name("(nodes: 3)", &inputs("d1", &[])));
        assert_eq!(name("", &inputs("d1", &[("here", "x1")])), name("", &inputs("d1", &[("there", "x1")])));
        for (experiment, inputs) in
            [("(nodes: 4)", inputs("d1", &[])), ("(nodes: 3)", inputs("d2", &[])), ("(nodes: 3)", inputs("d1", &[("trace", "x1")]))]
        {
            assert_ne!(id, name(experiment, &inputs), "{experiment} {inputs:?}");
        }
    }

    #[test]
    fn results_are_named_by_all_of_the_scenario() {
        let identity = |scenario: &str| Identity::new("(nodes: 3)", scenario, 1, Parameters::default(), &inputs("d1", &[]));
        let (one, other) = (identity("(name: a)"), identity("(name: b)"));
        assert!(one.key == other.key && one.result_id != other.result_id);
    }

    #[test]
    fn a_place_in_a_sweep_names_other_files_of_the_same_run() {
        let identity = |axes: &[(&str, &str)]| {
            let axes = axes.iter().map(|(axis, label)| (axis.to_string(), label.to_string())).collect();
            Identity::new("(nodes: 3)", "all", 1, Parameters { axes, ..Default::default() }, &inputs("d1", &[]))
        };
        let places = [&[][..], &[("nodes", "3")], &[("nodes", "three")], &[("size", "3")], &[("nodes", "3"), ("size", "3")]].map(identity);
        assert!(places.iter().all(|place| place.key.run_id == places[0].key.run_id));
        let names: std::collections::BTreeSet<&str> = places.iter().map(|place| place.result_id.as_str()).collect();
        assert_eq!(names.len(), places.len());
    }

    #[test]
    fn models_differ_by_a_bit() {
        assert_ne!(models_hash(&[vec![0.0, 1.0]]), models_hash(&[vec![-0.0, 1.0]]));
    }
}
