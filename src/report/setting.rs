//! The fields of a scenario that reports read, from the manifest of its results.

use crate::adversary::Attack;
use crate::corpus::{Dataset, Users};
use crate::network::{Attackers, Crowd};
use crate::node::Defense;
use crate::record::Record;
use crate::results::RunResults;
use crate::units::Extent;
use serde::Deserialize;

/// One run with its results, as reports read it.
pub type Run = RunResults<Setting>;

/// The fields that a report needs as values. It shows all other fields as they are written.
#[derive(Debug, Deserialize)]
pub struct Setting {
    pub stop: Extent,
    pub dataset: Dataset,
    pub users: Users,
    pub ndcg_cutoff: u32,
    pub defense: Defense,
    pub attack: Attack,
    #[serde(default)]
    pub attackers: Attackers,
    #[serde(default)]
    pub crowds: Vec<Crowd>,
    #[serde(default)]
    pub record: Record,
    #[serde(default)]
    weight_limit: Option<f64>,
}

impl Setting {
    /// Whether the limit of weights is the usual one of the defence.
    pub fn has_usual_weight_limit(&self) -> bool {
        self.weight_limit.is_none_or(|limit| limit == self.defense.usual_weight_limit())
    }
}
