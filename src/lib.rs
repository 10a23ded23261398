//! Simulates a network of people who search, click, and teach each other's rankers by gossip, some of them maliciously.
//!
//! The `rankguard` program runs scenario files; this library is what it is made of. A small network, in memory:
//!
//! ```
//! use rankguard::corpus::Corpus;
//! use rankguard::record::MemoryRecorder;
//! use rankguard::scenario::Scenario;
//! use std::ops::ControlFlow;
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
//! let corpus = Corpus::load(&scenario.dataset)?;
//! let mut rows = MemoryRecorder::default();
//! let finished = rankguard::run::run(&scenario, &corpus, None, 1, &mut rows, &mut |_| ControlFlow::Continue(()))?;
//! assert_eq!(rows.searches.len(), 80);
//! assert_eq!(rows.curve.len(), 3); // at the start, after 40 searches, and at the end
//! assert!(finished.tally.is_conserved());
//! # Ok::<(), rankguard::error::Error>(())
//! ```
//!
#![doc = include_str!("ARCHITECTURE.md")]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compute independently of math.rs"))]

pub mod adversary;
pub mod corpus;
pub mod error;
pub mod fields;
pub mod files;
pub mod learn;
pub mod ltr;
pub mod machine;
pub mod math;
pub mod measure;
pub mod network;
pub mod node;
pub mod record;
pub mod report;
pub mod rng;
pub mod run;
pub mod scenario;
pub mod timeline;
pub mod units;
pub mod world;
