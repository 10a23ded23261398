//! Simulates a network of people who search, click, and teach each other's rankers by gossip, some of them maliciously.
//!
//! The `rankguard` program runs scenario files; this library is what it is made of. The tour below runs one scenario into a folder and reads
//! the results back. Each type leads to the next, and each step fails with a message that says where, what and what to do.
//!
//! A [`Scenario`](scenario::Scenario) says what to simulate. It is read from a RON file, or written down in place:
//!
//! ```
//! use rankguard::scenario::Scenario;
//!
//! let scenario = Scenario::parse(
//!     r#"(
//!         name: "tiny", seed: 1, nodes: 8, malicious_share: 0.25, stop: Sessions(80), evaluate_every: Sessions(40),
//!         dataset: Synthetic(like: Mq2007, train_queries: 20, test_queries: 10), shown: 10, ndcg_cutoff: 10,
//!         users: Perfect, ranker: Linear(eta: 0.1), defense: RankGuard(kappa: 4.0),
//!         attack: Flip, malicious_aggregate: Never, arrivals: Poisson(every: "10min"),
//!     )"#,
//!     "tiny.ron",
//! )?;
//!
//! // Only a scenario that was checked becomes a world, and only a world can be run.
//! let world = scenario.resolve()?;
//!
//! // The job claims a folder, makes or reads the documents, runs, and puts the results in place, whole.
//! # let temporary = tempfile::tempdir().expect("a folder");
//! # let folder = temporary.path().join("tiny");
//! use rankguard::run::{Job, job};
//! let published = job(&world, Job { threads: 2, ..Job::into(&folder) })?;
//! assert!(published.finished.tally.is_conserved());
//!
//! // Results are read by type.
//! use rankguard::record::ReceiptRow;
//! use rankguard::results::Results;
//! let results = Results::open(&folder)?;
//! let sessions: Vec<i64> = results.curve()?.iter().map(|row| row.sessions).collect();
//! assert_eq!(sessions, [0, 40, 80]);
//! let receipts = results.rows::<ReceiptRow>()?;
//! assert_eq!(receipts.len() as u64, published.finished.tally.delivered);
//! # Ok::<(), rankguard::error::Error>(())
//! ```
//!
//! Without a folder: [`run::run`] hands its rows to any [`Recorder`](record::Recorder), for example one in memory, and
//! [`run::run_network`] runs the virtual clock alone, for millions of nodes.
//!
#![doc = include_str!("ARCHITECTURE.md")]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compute independently of math.rs"))]

pub mod adversary;
pub mod bench;
pub mod corpus;
pub mod error;
pub mod fields;
pub mod files;
pub mod instructions;
pub mod learn;
pub mod ltr;
pub mod machine;
pub mod math;
pub mod measure;
pub mod network;
pub mod node;
pub mod paper;
pub(crate) mod pulse;
pub mod record;
pub mod report;
pub mod results;
pub mod rng;
pub mod run;
pub mod scenario;
pub mod sweep;
pub mod timeline;
pub mod units;
pub mod world;
