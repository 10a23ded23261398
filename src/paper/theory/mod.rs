//! The paper's theorem on convergence, as far as it can be held against runs.
//!
//! The statement of the theorem is not at hand. What follows uses its definition of the effective in-degree s* and what can be derived from it.
//!
//! A node that averages its model with s others uniformly gives s + 1 weights whose squares sum to 1/(s + 1). A merge by α has the weights 1 − α
//! and α; the expectation of their squares is (1 − â)² + â² + 2v, with the mean â and the variance v of α. If both are to be equal, s is
//! s* = (2â(1 − â) − 2v) / ((1 − â)² + â² + 2v). The theorem is therefore one on epidemic learning (De Vos et al., NeurIPS 2023), with s* in
//! the place of the number s of models that a node averages with its own. [`mixing`] derives that this is right for the constant by which
//! merging shrinks the spread of models, if α does not depend on the models and all nodes are honest.
//!
//! Neither assumption holds in a run. Every quantity therefore stands here twice or three times: under the theorem's assumptions (all nodes
//! alike, all judgements of honest nodes in one pot), for honest nodes among themselves, and as measured.
//!
//! *The spread to be expected.* The consensus distance is the mean squared distance of honest models from their mean, relative to the squared
//! norm of that mean. Learning steps drive models apart, and merging draws them together. In one session the mean squared distance m becomes
//! (m + g)·q: one node learns, which adds g, and then r merges each keep the share k of [`mixing::kept`], so that q = kʳ. After S sessions it
//! is q^S m + g q (1 − q^S)/(1 − q). What learning adds is taken from the runs of None without an attack, where the assumptions hold: their
//! spread is measured, and their q is known. Learning is taken to add as much under every other defence and attack. It does
//! not, where models are shorter or longer, so that a factor of two between expectation and measurement means little, and a factor of ten much.

mod measured;
pub mod mixing;
mod predicted;
mod show;
mod weights;

pub use measured::Distance;
pub use show::{theory_figures, theory_rows};
pub use weights::Weights;

use crate::error::Result;
use crate::report::{self, Run};
use serde::Serialize;
use std::path::Path;

/// Stands wherever results of this module are shown.
pub const THEOREM_NOTE: &str =
    "The statement of the theorem is not at hand; what follows uses its definition of s* and what can be derived from it.";

/// What runs say of the theorem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Theory {
    /// What is missing.
    pub note: &'static str,
    /// The runs, in their order.
    pub runs: Vec<TheoryRun>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TheoryRun {
    /// The attack, as the sweep labels it.
    pub attack: String,
    /// The defence, as the sweep labels it.
    pub defense: String,
    /// The seed.
    pub seed: u64,
    /// Whether there are malicious nodes.
    pub is_attacked: bool,
    /// Whether the defence is None, so that every α is ½.
    pub is_undefended: bool,
    /// All nodes.
    pub n_nodes: u32,
    /// Honest nodes.
    pub n_honest: u32,
    /// One in so many judgements was recorded.
    pub one_in: u32,
    /// The whole run. Its distances are means over the evaluations of its second half.
    pub whole: Stretch,
    /// From each evaluation at which models were kept to the next. Distances are those at its end.
    pub intervals: Vec<Stretch>,
    /// The consensus distance at the first evaluation.
    pub start: Option<Distance>,
}

/// A part of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stretch {
    /// Sessions of the whole network before it.
    pub from: i64,
    /// Sessions of the whole network at its end.
    pub to: i64,
    /// Under the theorem's assumptions: all nodes are alike, and every judgement of an honest node counts, whoever sent the model.
    pub assumed: Mixing,
    /// Among honest nodes: judgements of models that honest nodes sent.
    pub honest: Mixing,
    /// The α of models that malicious nodes sent to honest ones, without those that are just the receiver's own model.
    pub malicious: Weights,
    /// The consensus distance as measured; `None` if it is not finite.
    pub measured: Option<Distance>,
}

/// How a number of nodes mix their models.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mixing {
    /// How many nodes.
    pub n_nodes: u32,
    /// The weights that they give.
    pub weights: Weights,
    /// Merges per session of the whole network.
    pub merges: f64,
    /// The share of the spread that is left after one merge at every node, by s* ([`mixing::epidemic`]).
    pub constant: Option<f64>,
    /// The share of the spread that is left after one merge at one node ([`mixing::kept`]).
    pub kept: Option<f64>,
    /// The consensus distance to be expected; `None` without a run of None without an attack.
    pub distance: Option<f64>,
}

impl Mixing {
    fn new(n_nodes: u32, weights: Weights, merges: f64) -> Self {
        let is_known = weights.n > 0 && n_nodes > 1;
        let constant = weights.effective_in_degree().filter(|_| is_known).map(|s| mixing::epidemic(s, n_nodes));
        let kept = is_known.then(|| mixing::kept(&weights, n_nodes));
        Mixing { n_nodes, weights, merges, constant, kept, distance: None }
    }
}

impl Theory {
    /// All judgements under None and their s*, which is 1 if every α is ½; `None` if no run is undefended.
    pub fn undefended(&self) -> Option<(u64, f64)> {
        let undefended = self.runs.iter().filter(|run| run.is_undefended);
        let all = undefended.fold(Weights::default(), |all, run| all.and(run.whole.assumed.weights));
        all.effective_in_degree().map(|s| (all.n, s))
    }
}

/// What these runs say of the theorem.
///
/// # Errors
/// A run did not record its receipts, its curve, or its models, its rule pools models, or a file cannot be read.
pub fn theory(runs: &[Run]) -> Result<Theory> {
    let runs = runs.iter().map(measured::read).collect::<Result<Vec<_>>>()?;
    Ok(Theory { note: THEOREM_NOTE, runs: predicted::complete(runs) })
}

/// What the runs of these result folders or collected sweeps say of the theorem.
///
/// # Errors
/// As [`theory`].
pub fn theory_of(folders: &[impl AsRef<Path>]) -> Result<Theory> {
    theory(&report::runs(folders)?)
}
