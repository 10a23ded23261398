//! Algorithm 1 of the paper: what one node does when its user searches and when a model arrives.
//!
//! A node sees its own model, its own history and the models it is handed. It knows neither time nor queue nor other nodes.

pub mod defend;

pub use defend::{Defense, EmptySessions};

use serde::{Deserialize, Serialize};

/// What ranks, and how it learns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Ranker {
    /// f(d) = θᵀd.
    Linear {
        /// Learning rate η of PDGD.
        eta: f64,
        /// η is multiplied by this after every session of the node.
        #[serde(default = "no_decay")]
        decay: f64,
    },
}

fn no_decay() -> f64 {
    1.0
}

/// How much of its own past a node keeps to judge by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Keep {
    Unlimited,
    /// The last n sessions.
    Last(u32),
}
