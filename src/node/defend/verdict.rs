//! What a rule did with a received model.

use super::mix::Mix;

/// The outcome of judging a received model.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What the rule did with the model.
    pub outcome: Outcome,
    /// The effective weight of received models in this merge: α, the factor of a difference cut to [0, 1], or the total of a pool.
    pub alpha: f64,
    /// The t-statistic behind the weight, if the rule has one.
    pub t: Option<f64>,
    /// The number of the node's own sessions by which the model was judged; 0 if the rule uses none.
    pub n_judged: u32,
    /// How the own model moved.
    pub mix: Mix,
}

/// What a rule did with a received model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It merged the model.
    Merged,
    /// It rejected the model.
    Rejected(Reason),
    /// It discarded the model without looking at it.
    Discarded,
    /// It keeps the model until the pool is full.
    Buffered,
    /// The model filled the pool, and the rule merged the pool.
    Pooled,
}

/// Why a rule rejected a received model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A weight or a score is NaN or infinite.
    NotFinite,
    /// A weight is beyond the run's limit.
    TooLarge,
    /// The Oracle knows that its sender is malicious.
    KnownMalicious,
    /// Its weight came out as 0.
    NoWeight,
    /// It points against the change that the own history would make.
    WrongDirection,
    /// It equals the own model, or the own history would change nothing.
    ZeroNorm,
    /// It is too far from the own model.
    TooFar,
    /// It points in too different a direction than the own model.
    Dissimilar,
    /// It explains the own history too badly.
    HighLoss,
}

impl Reason {
    /// The word for it in the `receipts` table.
    pub fn word(self) -> &'static str {
        match self {
            Reason::NotFinite => "not finite",
            Reason::TooLarge => "too large",
            Reason::KnownMalicious => "known malicious",
            Reason::NoWeight => "no weight",
            Reason::WrongDirection => "wrong direction",
            Reason::ZeroNorm => "zero norm",
            Reason::TooFar => "too far",
            Reason::Dissimilar => "dissimilar",
            Reason::HighLoss => "high loss",
        }
    }
}

impl Verdict {
    /// A verdict that left θ_u where it was.
    pub(super) fn new(outcome: Outcome, alpha: f64) -> Self {
        Self { outcome, alpha, t: None, n_judged: 0, mix: Mix::Unmoved }
    }

    /// A merge that moved θ_u by `factor` times the difference. A factor above 1 counts as a weight of 1.
    pub(super) fn merged(factor: f64) -> Self {
        let alpha = factor.clamp(0.0, 1.0);
        match alpha > 0.0 {
            true => Self { mix: Mix::Toward(factor), ..Self::new(Outcome::Merged, alpha) },
            false => Self::rejected(Reason::NoWeight),
        }
    }

    /// The effective weight of each model of the pool, oldest first, if a pool was merged. Empty otherwise.
    pub fn pool_weights(&self) -> Vec<f64> {
        if self.outcome == Outcome::Pooled { self.mix.weights().into_owned() } else { Vec::new() }
    }

    /// A verdict that gives the model no weight.
    pub(super) fn rejected(reason: Reason) -> Self {
        Self::new(Outcome::Rejected(reason), 0.0)
    }
}
