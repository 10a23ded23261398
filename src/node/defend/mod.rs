//! How a node judges the models it receives.

use serde::{Deserialize, Serialize};

/// The rule that every honest node follows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Defense {
    /// α = σ(κ t): how surely the received model explains the node's own clicks better than its own model.
    RankGuard {
        kappa: f64,
        /// α when t says nothing: fewer than two sessions, or no difference at all.
        #[serde(default = "one_half")]
        when_undecided: f64,
        #[serde(default)]
        empty_sessions: EmptySessions,
    },
    /// RankGuard on a fresh random share of the history for every received model.
    RankGuardRand {
        kappa: f64,
        share: f64,
        #[serde(default = "one_half")]
        when_undecided: f64,
        #[serde(default)]
        empty_sessions: EmptySessions,
    },
    /// Knows who is malicious: α = ½ for honest senders, 0 for others.
    Oracle,
    /// α = ½ for everyone (the paper's None).
    Undefended,
    /// Sends, but discards what it receives.
    Local,
}

/// Whether sessions that taught nothing count in t.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum EmptySessions {
    /// As X = 0, as Algorithm 1 of the paper has it.
    // CHOICE: the paper adds every session to the history and does not say whether those without pairs are counted.
    #[default]
    Count,
    Skip,
}

fn one_half() -> f64 {
    0.5
}
