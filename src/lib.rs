//! Simulates a network of people who search, click, and teach each other's rankers by gossip, some of them maliciously.
#![doc = include_str!("ARCHITECTURE.md")]
#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests compute independently of math.rs"))]

pub mod adversary;
pub mod corpus;
pub mod error;
pub mod ltr;
pub mod math;
pub mod network;
pub mod node;
pub mod record;
pub mod report;
pub mod rng;
pub mod run;
pub mod scenario;
pub mod timeline;
pub mod units;
