//! The reproduction of the paper "Efficient and Robust Online Learning to Rank in Decentralized Systems": its experiments, its published
//! figures, and its claims as checks.
//!
//! Most experiments are sweeps of the same engine as any other. What needs no network, the number of sessions that it takes to reject a
//! poisoned model, is computed here from the same nodes, attackers and scores.

mod data_sets;
mod experiments;
mod sessions_needed;
mod theory;

pub use data_sets::{DATA_SETS, Data, DataSet, Size, data, quick_data};
pub use experiments::{EXPERIMENTS, Experiment, Sweep, Work};
pub use sessions_needed::{FORMS, Form, Rejection, needed_csv, needed_world, sessions_needed};
pub use theory::Weights;
