//! The weights α that received models got.

use serde::{Deserialize, Serialize};

/// The weights that honest nodes gave, by kind of sender, in the order of the receipts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Alphas {
    /// To models of honest senders.
    pub honest: Vec<f64>,
    /// To models of malicious senders.
    pub malicious: Vec<f64>,
    /// Received models that were not finite, or had a weight beyond the limit.
    pub n_implausible: u64,
}

/// One weight that an honest node gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Given {
    /// The step of the receipt. A pool gives all its weights with its last receipt.
    pub step: u64,
    pub alpha: f64,
    /// Whether the model's sender is malicious.
    pub to_malicious: bool,
    /// Whether the model was not finite, or had a weight beyond the limit.
    pub is_implausible: bool,
}

impl Alphas {
    /// Adds the weights of later receipts, given in any order.
    pub fn extend(&mut self, mut given: Vec<Given>) {
        // A stable sort keeps the weights of a pool in their order.
        given.sort_by_key(|given| given.step);
        for Given { alpha, to_malicious, is_implausible, .. } in given {
            if to_malicious {
                self.malicious.push(alpha)
            } else {
                self.honest.push(alpha)
            }
            self.n_implausible += u64::from(is_implausible);
        }
    }

    /// Adds all weights of `other`, which come later.
    pub fn append(&mut self, mut other: Self) {
        self.honest.append(&mut other.honest);
        self.malicious.append(&mut other.malicious);
        self.n_implausible += other.n_implausible;
    }
}
