//! The manifest: a result folder's description of itself. Nothing in it depends on the machine or the wall clock, so a rerun writes the same
//! bytes. Figures that do depend on them go to a side file.

use super::{Inputs, Staging};
use crate::error::{Error, Result};
use crate::record::{RowCounts, SCHEMA_VERSION};
use ron::ser::PrettyConfig;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The manifest as RON, which this program reads back.
pub const FILE_NAME: &str = "manifest.ron";
/// The same content, for readers that do not know RON.
pub const JSON_NAME: &str = "manifest.json";

/// The manifest of a finished run; `S` is the scenario with every default filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest<S> {
    /// Version of the program that wrote the results.
    pub program_version: String,
    /// Commit of that program's source, or `unknown`.
    pub commit: String,
    /// Version of the tables' schema.
    pub schema_version: u32,
    /// Names the run by its scenario and its data. The scenario's name, the recorded tables and the program's version are not part of it.
    pub run_id: String,
    /// Names these files by the run, its name, the recorded tables and the program's version.
    pub result_id: String,
    /// The seed of the run.
    pub seed: u64,
    /// The inputs, named by their content.
    pub inputs: Inputs,
    /// Rows by table.
    pub rows: RowCounts,
    /// Hash of everything that happened, whatever was recorded.
    pub fingerprint: String,
    /// Where all messages ended.
    pub messages: Messages,
    /// The run in numbers.
    pub summary: Summary,
    /// The scenario.
    pub scenario: S,
}

/// Where all messages of a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Messages {
    /// Sent by nodes.
    pub sent: u64,
    /// Second copies that the network made.
    pub duplicated: u64,
    /// Delivered to their receivers.
    pub delivered: u64,
    /// Lost on the way.
    pub lost_in_transit: u64,
    /// Lost because the receiver was offline.
    pub lost_offline: u64,
    /// Lost at a border between groups.
    pub lost_partition: u64,
    /// Lost in a mailbox because they were too old.
    pub lost_expired: u64,
    /// Lost in a full mailbox, the oldest first.
    pub lost_overflow: u64,
    /// Lost because the sender left meanwhile.
    pub lost_cut: u64,
    /// Lost because the receiver had come back with another identity.
    pub lost_identity: u64,
    /// Still on the way, or waiting for their receiver, when the run ended.
    pub undelivered: u64,
}

/// The run in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Mean nDCG over honest nodes at the last evaluation. The next three figures are of the same evaluation, as in the last row of
    /// `curve`.
    pub ndcg_mean: f64,
    /// Standard deviation of nDCG over honest nodes.
    pub ndcg_sd: f64,
    /// Mean nDCG of the worst 5 % of honest nodes.
    pub ndcg_worst5: f64,
    /// Expected nDCG of a random ranking.
    pub ndcg_random: f64,
    /// Mean alpha that honest nodes gave to honest senders over the whole run.
    pub alpha_honest: Option<f64>,
    /// Mean alpha that honest nodes gave to malicious senders over the whole run.
    pub alpha_malicious: Option<f64>,
    /// Mean alpha of honest senders between the last two evaluations.
    pub last_alpha_honest: Option<f64>,
    /// Mean alpha of malicious senders between the last two evaluations.
    pub last_alpha_malicious: Option<f64>,
    /// The virtual time in nanoseconds after which no node could search any more, because all had left for good.
    pub deserted_ns: Option<u64>,
}

impl<S: Serialize> Manifest<S> {
    /// Writes the manifest as RON and as JSON. JSON knows no infinity: such a number is null there.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, staging: &Staging) -> Result<()> {
        write_side_file(staging, FILE_NAME, self)?;
        let path = staging.folder().join(JSON_NAME);
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::cannot_write(&path, &e))?;
        fs::write(&path, text + "\n").map_err(|e| Error::cannot_write(&path, &e))
    }
}

impl<S: DeserializeOwned> Manifest<S> {
    /// Reads the manifest of a result folder.
    ///
    /// # Errors
    /// There is no manifest, it is of another schema version, or its scenario is no `S`.
    pub fn read(result_folder: &Path) -> Result<Self> {
        let path = result_folder.join(FILE_NAME);
        let text = fs::read_to_string(&path).map_err(|e| without_manifest(result_folder, Error::cannot_read(&path, &e)))?;
        if let Some(version) = field(&text, "schema_version").filter(|version| *version != SCHEMA_VERSION.to_string()) {
            let problem = format!("{}: has schema version {version}; this program reads {SCHEMA_VERSION}", path.display());
            return Err(Error::input(format!("{problem}; run the scenario again")));
        }
        ron::from_str(&text).map_err(|e| Error::input(format!("{}:{}:{}: {}", path.display(), e.span.start.line, e.span.start.col, e.code)))
    }
}

/// The error with a hint at what the user may have meant.
fn without_manifest(folder: &Path, problem: Error) -> Error {
    let named = folder.display();
    if Staging::has_checkpoint(folder) {
        return problem.and(&format!("its run was interrupted; go on with `rankguard resume {named}`"));
    }
    let inside = fs::read_dir(folder).ok().and_then(|entries| {
        let mut with: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(|path| path.join(FILE_NAME).exists()).collect();
        with.sort();
        with.into_iter().next()
    });
    match inside {
        Some(first) => problem.and(&format!("name the results inside, such as {}, or all of them: {named}/*", first.display())),
        None if folder.is_file() => problem.and("name a result folder, which `rankguard run` writes, and not a file"),
        None => problem,
    }
}

/// Writes a readable file beside the tables. It is published together with them.
///
/// # Errors
/// The file cannot be written.
pub fn write_side_file(staging: &Staging, name: &str, content: &impl Serialize) -> Result<()> {
    let path = staging.folder().join(name);
    let text = ron::ser::to_string_pretty(content, PrettyConfig::new().new_line("\n")).map_err(|e| Error::cannot_write(&path, &e))?;
    fs::write(&path, text + "\n").map_err(|e| Error::cannot_write(&path, &e))
}

/// The names of the run and of the results that a folder holds. Another version of this program may have written the manifest.
pub fn read_ids(result_folder: &Path) -> Option<(String, Option<String>)> {
    ids(&fs::read_to_string(result_folder.join(FILE_NAME)).ok()?)
}

/// The same in the text of a manifest.
pub fn ids(manifest: &str) -> Option<(String, Option<String>)> {
    let id = |name: &str| Some(field(manifest, name)?.trim_matches('"').to_string());
    Some((id("run_id")?, id("result_id")))
}

/// The text of a field that stands on a line of its own.
pub fn field<'a>(manifest: &'a str, name: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.trim().strip_prefix(name)?.trim_start().strip_prefix(':');
    Some(manifest.lines().find_map(value)?.trim().trim_end_matches(','))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Begin;
    use super::*;
    use tempfile::tempdir;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub enum Latency {
        Nothing,
        Constant { delay: String },
    }

    pub fn manifest() -> Manifest<Vec<Latency>> {
        Manifest {
            program_version: "0.1.0".into(),
            commit: "unknown".into(),
            schema_version: SCHEMA_VERSION,
            run_id: "r1".into(),
            result_id: "o1".into(),
            seed: u64::MAX,
            inputs: Inputs { data_hash: "d1".into(), files: [("trace.csv".to_string(), "x1".to_string())].into() },
            rows: [("receipts".to_string(), 12), ("curve".to_string(), 3)].into(),
            fingerprint: "f0".into(),
            messages: Messages { sent: 10, delivered: 7, lost_in_transit: 1, lost_offline: 1, undelivered: 1, ..Messages::default() },
            summary: Summary {
                ndcg_mean: 0.1 + 0.2,
                ndcg_sd: 0.0,
                ndcg_worst5: 1e-300,
                ndcg_random: 0.5,
                alpha_honest: Some(0.75),
                alpha_malicious: None,
                last_alpha_honest: Some(0.5),
                last_alpha_malicious: None,
                deserted_ns: Some(60_000_000_000),
            },
            scenario: vec![Latency::Nothing, Latency::Constant { delay: "5ms".into() }],
        }
    }

    #[test]
    fn a_manifest_reads_back_as_written() {
        let parent = tempdir().expect("a folder");
        let target = parent.path().join("kad");
        let staging = Staging::claim(&target, &Begin::Over).expect("it is free");
        manifest().write(&staging).expect("it writes");
        staging.publish().expect("it is published");
        assert_eq!(Manifest::read(&target), Ok(manifest()));
        assert_eq!(read_ids(&target), Some(("r1".into(), Some("o1".into()))));
        let json = fs::read_to_string(target.join(JSON_NAME)).expect("it is there");
        assert_eq!(serde_json::from_str::<Manifest<Vec<Latency>>>(&json).expect("it is JSON"), manifest());
    }

    #[test]
    fn the_run_of_an_unknown_manifest_is_found() {
        for (text, id) in [
            ("(\n    run_id: \"h12\",\n    wonders: Many(of: [them]),\n)", Some(("h12", None))),
            ("(\n    version: 9,\n    run_id : \"h34\",\n    result_id: \"o5\"\n)", Some(("h34", Some("o5")))),
            ("(\n    tasks: [],\n)", None),
            ("", None),
        ] {
            let folder = tempdir().expect("a folder");
            fs::write(folder.path().join(FILE_NAME), text).expect("it writes");
            let id = id.map(|(run, result): (&str, Option<&str>)| (run.to_string(), result.map(str::to_string)));
            assert_eq!(read_ids(folder.path()), id, "{text}");
        }
    }

    #[track_caller]
    fn refuse(text: Option<&str>, why: &str) {
        let folder = tempdir().expect("a folder");
        text.iter().for_each(|text| fs::write(folder.path().join(FILE_NAME), text).expect("it writes"));
        let problem = Manifest::<Vec<Latency>>::read(folder.path()).expect_err("it is refused");
        assert!(problem.to_string().contains(why) && problem.exit_code() == 2, "{problem}");
    }

    #[test]
    fn a_manifest_that_cannot_be_used_says_why() {
        refuse(None, "manifest.ron: cannot be read");
        refuse(Some("(\n    schema_version: 99,\n)"), "has schema version 99; this program reads 6; run the scenario again");
        refuse(Some("(\n    run_id: 3,\n)"), "manifest.ron:2:");
    }
}
