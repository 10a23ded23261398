//! The weights α that received models got.

use serde::{Deserialize, Serialize};

/// The weights that honest nodes gave, by kind of sender.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Alphas {
    /// To models of honest senders.
    pub honest: Vec<f64>,
    /// To models of malicious senders.
    pub malicious: Vec<f64>,
    /// Received models that were not finite, or had a weight beyond the limit.
    pub n_implausible: u64,
}

impl Alphas {
    /// Adds one weight.
    pub fn push(&mut self, sender_is_malicious: bool, alpha: f64) {
        if sender_is_malicious { self.malicious.push(alpha) } else { self.honest.push(alpha) }
    }

    /// Adds all weights of `other`.
    pub fn append(&mut self, mut other: Self) {
        self.honest.append(&mut other.honest);
        self.malicious.append(&mut other.malicious);
        self.n_implausible += other.n_implausible;
    }
}
