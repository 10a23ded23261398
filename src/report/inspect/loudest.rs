//! The malicious model that got the largest weight, and what became of its receiver.

use super::super::setting::Run;
use super::nodes::Around;
use crate::error::Result;
use crate::record::{NodeRow, ReceiptRow, Table};
use serde::Serialize;

/// The malicious model that an honest node gave the largest weight; the first if several got the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loudest {
    /// The step of its receipt.
    pub step: i64,
    /// Virtual time of its arrival in nanoseconds.
    pub at_ns: i64,
    /// Who sent it.
    pub sender: i32,
    /// The attack that the sender plays, if nodes were recorded.
    pub plays: Option<&'static str>,
    /// Who received it.
    pub receiver: i32,
    /// Its weight in effect.
    pub alpha: f64,
    /// The t statistic by which it was judged, if there was one.
    pub t: Option<f64>,
    /// How much of it malicious nodes put in.
    pub exposure: Option<f64>,
    /// Malicious models that honest nodes weighed.
    pub n_models: u64,
    /// Those that got a weight of 0.01 or more.
    pub n_weighed: u64,
    /// Those that got this very weight, itself included.
    pub n_alike: u64,
    /// What its receiver's nDCG did, if evaluations tell.
    pub effect: Option<Effect>,
}

/// A smaller weight changes hardly anything. RankGuard gives every model some.
const SOME: f64 = 0.01;

/// nDCG of a receiver at the evaluations around a receipt, and of all evaluated nodes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Effect {
    /// The receiver's at the last evaluation before it.
    pub before: f64,
    /// The receiver's at the first evaluation after it.
    pub after: f64,
    /// The change of the mean over all evaluated nodes in the same time.
    pub change_of_all: f64,
}

impl Loudest {
    /// A model that is louder than all before.
    pub fn new(row: &ReceiptRow, alpha: f64, before: Option<&Self>) -> Self {
        let (n_models, n_weighed) = before.map_or((0, 0), |before| (before.n_models, before.n_weighed));
        Self {
            step: row.step,
            at_ns: row.at_ns,
            sender: row.sender,
            plays: None,
            receiver: row.receiver,
            alpha,
            t: row.t,
            exposure: row.exposure,
            n_models: n_models + 1,
            n_weighed: n_weighed + u64::from(alpha >= SOME),
            n_alike: 1,
            effect: None,
        }
    }

    /// Counts a model that is not louder.
    pub fn count(&mut self, alpha: f64) {
        self.n_models += 1;
        self.n_weighed += u64::from(alpha >= SOME);
        self.n_alike += u64::from(alpha == self.alpha);
    }

    /// The same with what other tables tell of it.
    pub fn with(self, around: Around, run: &Run) -> Result<Self> {
        let mut plays = None;
        if run.has(Table::Nodes) {
            for row in run.table::<NodeRow>()?.rows()? {
                let row = row?;
                plays = plays.or(row.plays.filter(|_| row.node == self.sender));
            }
        }
        Ok(Self { plays, effect: around.effect(), ..self })
    }
}
