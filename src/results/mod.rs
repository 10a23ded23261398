//! A result folder: how a run makes one, and how its results are read back.
//!
//! A run writes into a hidden folder beside its target ([`Staging`]) and publishes it whole, so that nobody ever reads half a result. The
//! folder holds a folder of Parquet files for each table of [`crate::record`], a manifest as RON and as JSON ([`Manifest`]), and the times of
//! the run. If the target holds an earlier result, only files that the program wrote are replaced. With the feature `remote` a finished
//! folder can be uploaded to an object store (`Remote`). This module knows neither how to run a scenario nor what a row means.
//!
//! The example writes a curve of one evaluation, and reads it back with one call:
//!
//! ```
//! use rankguard::record::{CurveRow, Parameters, ParquetRecorder, Recorder, RunKey, Table};
//! use rankguard::results::{Begin, Results, Staging};
//! # use rankguard::record::SCHEMA_VERSION;
//! # use rankguard::results::{Inputs, Manifest, Messages, Summary};
//!
//! # let temporary = tempfile::tempdir().expect("a folder");
//! # let folder = temporary.path().join("kad");
//! # let row = CurveRow {
//! #     step: 8, evaluation: 0, at_ns: 60, sessions: 1000, evaluated: 9, evaluated_of: 9, queries: 5, queries_of: 5, online_nodes: 10,
//! #     ndcg_mean: 0.5, ndcg_sd: 0.25, ndcg_worst5: 0.2, ndcg_min: 0.1, ndcg_random: 0.3, alpha_honest: Some(0.75), alpha_malicious: None, auc: None, exposure: None, pull: None,
//! #     age_ns: None, sent: 30, delivered: 20, lost: 10,
//! # };
//! # let manifest = Manifest {
//! #     program_version: "0.1.0".into(), commit: "unknown".into(), schema_version: SCHEMA_VERSION, run_id: "r1".into(), result_id: "o1".into(),
//! #     seed: 1, inputs: Inputs { data_hash: "d1".into(), files: Default::default() }, rows: [("curve".into(), 1)].into(),
//! #     fingerprint: "f1".into(), messages: Messages::default(), scenario: "a scenario",
//! #     summary: Summary {
//! #         ndcg_mean: 0.5, ndcg_sd: 0.25, ndcg_worst5: 0.2, ndcg_random: 0.3, alpha_honest: Some(0.75), alpha_malicious: None,
//! #         last_alpha_honest: None, last_alpha_malicious: None, deserted_ns: None,
//! #     },
//! # };
//! let staging = Staging::claim(&folder, &Begin::Over)?;
//! let run = RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() };
//! let mut recorder = ParquetRecorder::create(staging.folder(), &[Table::Curve], &run)?;
//! recorder.record(vec![row.clone()].into())?;
//! recorder.finish()?;
//! manifest.write(&staging)?;
//! staging.publish()?;
//!
//! let results = Results::open(&folder)?;
//! assert_eq!(results.curve()?, [row]);
//! assert_eq!(results.manifest.summary.ndcg_mean, 0.5);
//! # Ok::<(), rankguard::error::Error>(())
//! ```

pub(crate) mod checkpoint;
mod folders;
mod identity;
mod leftovers;
mod lock;
mod manifest;
mod opened;
mod ours;
#[cfg(feature = "remote")]
mod remote;
mod runs;
mod staging;
mod target;

pub use checkpoint::{About, Checkpoint, kept as kept_checkpoints};
pub use folders::{remove_tree, replace_folder, write_whole};
pub use identity::{COMMIT, Identity, Inputs, VERSION, models_hash};
pub use leftovers::Leftovers;
pub use lock::{LOCK_NAME, LockedFolder};
pub use manifest::{Manifest, Messages, Summary, write_side_file};
pub use opened::Results;
pub use ours::{CHECKPOINTS_NAME, TIMING_NAME};
#[cfg(feature = "remote")]
pub use remote::Remote;
pub use runs::{RunResults, RunTable, is_sweep, runs};
pub use staging::{Begin, Staging};
