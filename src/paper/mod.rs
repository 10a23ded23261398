//! The reproduction of the paper "Efficient and Robust Online Learning to Rank in Decentralized Systems": its experiments, its published
//! figures, and its claims as checks.
//!
//! Most experiments are sweeps of the same engine as any other. What needs no network, the number of sessions that it takes to reject a
//! poisoned model, is computed here from the same nodes, attackers and scores.

mod sessions_needed;

pub use sessions_needed::{Rejection, sessions_needed};
