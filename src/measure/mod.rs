//! Observes a run: how well models rank, who contributed to them, and how defences weigh them. It builds the rows of tables.
//!
//! This module changes no node and no message. A run that measures nothing has the same fingerprint.
//!
//! ```
//! use rankguard::corpus::{Shape, synthetic};
//! use rankguard::ltr::ModelShape;
//! use rankguard::measure::{Snapshot, TestSet};
//! use rankguard::rng::Seed;
//!
//! let corpus = synthetic::generate(Shape::Mq2007, 5, 20, Seed(1));
//! let test = TestSet::new(&corpus.test, 10);
//! let (shape, model) = (ModelShape::Linear { n_features: 46 }, vec![0.1; 46]);
//! let snapshot = Snapshot::of(shape, [model.as_slice(), model.as_slice()].into_iter());
//! let ndcg = test.evaluate(&snapshot);
//! assert!(ndcg[0] == ndcg[1] && (0.0..=1.0).contains(&ndcg[0]));
//! assert!((0.0..=1.0).contains(&test.random()));
//! ```

mod alpha_stats;
mod curve;
mod distinct;
mod evaluation;
mod node_rows;
mod sample;
mod timeline_rows;

pub(crate) use alpha_stats::Totals;
pub(crate) use curve::{Evaluated, Moment, Traffic, curve_row, evaluation_rows};
pub use evaluation::{Snapshot, TestSet};
pub(crate) use node_rows::FirstJoins;
pub(crate) use sample::EvaluatedNodes;
pub(crate) use timeline_rows::{fault_rows, histogram_rows, outcome_rows, presence_rows};

use crate::learn::{Alphas, Given};
use serde::{Deserialize, Serialize};

/// Everything that measuring carries from one window of steps to the next.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// The weights that received models got since the last evaluation.
    pub since_evaluation: Alphas,
    /// Sums of the weights that received models got over the whole run.
    pub totals: Totals,
}

impl State {
    /// Adds the weights of a window.
    pub fn add(&mut self, given: Vec<Given>) {
        let mut alphas = Alphas::default();
        alphas.extend(given);
        self.totals.add(&alphas);
        self.since_evaluation.append(alphas);
    }
}
