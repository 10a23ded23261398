//! How a node judges the models it receives: one file per family of rules.

pub mod pooled;
mod rankguard;
pub mod reference;

use super::{History, Received};
use crate::ltr::linear;
use crate::math;
use crate::rng::Pcg64;
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

/// What became of a received model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    pub outcome: Outcome,
    /// The weight that the received model got: α.
    pub alpha: f64,
    /// The t-statistic behind it, where there is one.
    pub t: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Merged,
    Rejected(Reason),
    /// Thrown away unseen, as the rule has it.
    Discarded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A weight or a score is NaN or infinite.
    NotFinite,
    /// The Oracle knows its sender.
    KnownMalicious,
    /// The judgement left it no weight at all.
    NoWeight,
    /// It points against what the own history teaches.
    WrongDirection,
    /// It changes nothing, or the own history teaches nothing.
    ZeroNorm,
}

impl Reason {
    /// How the `receipts` table says it.
    pub fn word(self) -> &'static str {
        match self {
            Reason::NotFinite => "not finite",
            Reason::KnownMalicious => "known malicious",
            Reason::NoWeight => "no weight",
            Reason::WrongDirection => "wrong direction",
            Reason::ZeroNorm => "zero norm",
        }
    }
}

impl Defense {
    /// As the paper and the summaries call it.
    pub fn name(&self) -> &'static str {
        match self {
            Defense::RankGuard { .. } => "RankGuard",
            Defense::RankGuardRand { .. } => "RankGuard-Rand",
            Defense::Oracle => "Oracle",
            Defense::Undefended => "None",
            Defense::Local => "Local",
        }
    }

    /// Whether received models are scored on the node's own history, so that its documents must be at hand.
    pub fn judges_by_history(&self) -> bool {
        matches!(self, Defense::RankGuard { .. } | Defense::RankGuardRand { .. })
    }
}

impl Verdict {
    fn merged(alpha: f64, t: Option<f64>) -> Self {
        let outcome = if alpha > 0.0 { Outcome::Merged } else { Outcome::Rejected(Reason::NoWeight) };
        Self { outcome, alpha, t }
    }

    fn rejected(reason: Reason) -> Self {
        Self { outcome: Outcome::Rejected(reason), alpha: 0.0, t: None }
    }
}

/// Buffers that judging fills and empties, kept between calls.
#[derive(Debug, Default)]
pub struct Scratch {
    scores: Vec<Vec<f32>>,
    margins: Vec<f32>,
    own_log_sigmoid: Vec<f32>,
    log_sigmoid: Vec<f32>,
    x: Vec<f64>,
}

/// Judges and merges models in order. `subset_rng(i)` is the generator for the i-th of them.
pub(super) fn receive(
    defense: Defense,
    theta: &mut [f32],
    history: &mut History,
    inbox: &[Received],
    subset_rng: impl Fn(usize) -> Pcg64,
    scratch: &mut Scratch,
) -> Vec<Verdict> {
    let mut one_by_one = |rule: fn(&Received) -> Verdict| -> Vec<Verdict> {
        inbox
            .iter()
            .map(|received| {
                let verdict = if math::all_finite(received.theta) { rule(received) } else { Verdict::rejected(Reason::NotFinite) };
                if verdict.alpha > 0.0 {
                    linear::interpolate(theta, received.theta, verdict.alpha);
                }
                verdict
            })
            .collect()
    };
    match defense {
        Defense::Undefended => one_by_one(|_| Verdict::merged(0.5, None)),
        Defense::Oracle => one_by_one(|received| match received.is_malicious {
            true => Verdict::rejected(Reason::KnownMalicious),
            false => Verdict::merged(0.5, None),
        }),
        Defense::Local => inbox.iter().map(|_| Verdict { outcome: Outcome::Discarded, alpha: 0.0, t: None }).collect(),
        Defense::RankGuard { kappa, when_undecided, empty_sessions } => {
            let rule = rankguard::Rule { kappa, when_undecided, empty_sessions, share: None };
            rule.receive(theta, history, inbox, subset_rng, scratch)
        }
        Defense::RankGuardRand { kappa, share, when_undecided, empty_sessions } => {
            let rule = rankguard::Rule { kappa, when_undecided, empty_sessions, share: Some(share) };
            rule.receive(theta, history, inbox, subset_rng, scratch)
        }
    }
}

fn one_half() -> f64 {
    0.5
}
