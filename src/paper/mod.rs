//! The reproduction of the paper "Efficient and Robust Online Learning to Rank in Decentralized Systems": its experiments, its published
//! figures, and its claims as checks.
//!
//! Most experiments are sweeps of the same engine as any other. What needs no network, the number of sessions that it takes to reject a
//! poisoned model, is computed here from the same nodes, attackers and scores.

mod chapters;
mod claims;
mod data_sets;
mod document;
mod experiments;
mod found;
mod published;
mod sessions_needed;
mod theory;
mod times;

pub use chapters::report;
pub use claims::{Answer, CLAIMS, Claim, Finding, Verdict};
pub use data_sets::{DATA_SETS, Data, DataSet, Size, data, quick_data};
pub use document::{Chapter, Document, Part, Table};
pub use experiments::{EXPERIMENTS, Experiment, Sweep, Work};
pub use found::{OnData, find};
pub use sessions_needed::{FORMS, Form, Rejection, needed_csv, needed_world, sessions_needed};
pub use theory::{
    Distance, Mixing, Stretch, THEOREM_NOTE, Theory, TheoryRun, Weights, mixing, theory, theory_figures, theory_of, theory_rows,
};
