//! The rules by which a node judges the models that it receives, with one file per family of rules.

mod mix;
pub mod pooled;
mod rankguard;
pub mod reference;

pub use mix::Mix;
pub use rankguard::Rule;

use super::{History, Protocol, Received};
use crate::fields::declare;
use crate::ltr::{linear, pdgd};
use crate::math;
use crate::rng::Pcg64;
use pooled::{Center, Divisor, Pooled};

declare! {
    /// The rule that every honest node follows.
    ///
    /// Rules that pool gather ⌈log₂ n⌉ received models, merge them with the node's current model, and begin anew; the node searches, learns and
    /// sends meanwhile.
    ///
    /// A received model with a weight that is NaN, infinite or beyond `weight_limit` is rejected by every rule (`Local` discards it unseen) and
    /// counted. What a huge model does below the limit, or with `weight_limit: inf` and weights around 1e30:
    ///
    /// | rules | a huge model |
    /// |---|---|
    /// | `FlTrust`, `ZenoPs` | is rejected, or taken with a difference no longer than what the own history would change. |
    /// | `Oracle`, `Local` | never gets in from a malicious sender. |
    /// | `Cs`, `Gts`, `Cwtm`, `Krum`, `Median`, `GeometricMedian`, `Ubar` | is bounded as long as no more than f (a minority, for the medians) of a pool are huge. One pool with more, and the model is lost. |
    /// | `RankGuard`, `RankGuardRand` | gets a weight near 0, but not 0 unless its scores on the history overflow (then it is rejected), and 1e-5 of 1e30 swamps the own model. Later models may restore it. |
    /// | `Undefended` | is averaged like any other: half of 1e30 swamps the own model, and one such model is enough. This needs no `weight_limit: inf`. |
    ///
    /// No rule ever makes a node's model infinite. Where the scores of a swamped model overflow, its documents count as equal, in searches and in
    /// evaluations. `attack: Ipm(form: NegatedModel, epsilon: 1e30)` with `weight_limit: inf` shows all of it.
    #[derive(Clone, Copy, PartialEq)]
    pub enum Defense {
        /// Merges with weight α = σ(κ t): how surely the received model explains the node's own clicks better than its own model.
        RankGuard {
            /// The steepness κ of α = σ(κ t).
            #[limits(between(0.0, 1e6).or("beyond 1e6 α is a step already"))]
            #[example(4.0)]
            kappa: f64,
            /// α when t says nothing: fewer than two sessions, or no difference at all.
            #[serde(default = "one_half")]
            #[limits(between(0.0, 1.0))]
            #[example(0.5)]
            when_undecided: f64,
            /// Whether sessions that taught nothing count in t.
            #[serde(default)]
            #[example(Skip)]
            empty_sessions: EmptySessions,
            /// RankGuard-Calibrated: both models are compared at the scale that explains the history best, so that mere lack of confidence
            /// earns nothing.
            #[serde(default)]
            #[example(true)]
            calibrate: bool,
        },
        /// RankGuard on a fresh random share of the history for every received model.
        RankGuardRand {
            /// The steepness κ of α = σ(κ t).
            #[limits(between(0.0, 1e6).or("beyond 1e6 α is a step already"))]
            #[example(4.0)]
            kappa: f64,
            /// The share of the history that judges one model, two sessions at least.
            #[limits(above(0.0).at_most(1.0))]
            #[example(0.2)]
            share: f64,
            /// α when t says nothing: fewer than two sessions, or no difference at all.
            #[serde(default = "one_half")]
            #[limits(between(0.0, 1.0))]
            #[example(0.5)]
            when_undecided: f64,
            /// Whether sessions that taught nothing count in t.
            #[serde(default)]
            #[example(Skip)]
            empty_sessions: EmptySessions,
        },
        /// Takes the difference to a received model if it points along what a replay of the own history would change, rescaled to that length.
        FlTrust,
        /// Takes the difference g if it does not point too far against that replay r (⟨g, r⟩ ≥ ζ|r|² + e), clipped to |g|² ≤ (1 + γ)|r|².
        ZenoPs {
            /// ζ: how far the difference may point against the replay.
            #[serde(default = "zeta")]
            #[limits(between(-1e6, 1e6))]
            #[example(-0.02)]
            zeta: f64,
            /// γ: how much longer than the replay the difference may be.
            #[serde(default)]
            #[limits(between(-1.0, 1e6))]
            #[example(0.0)]
            gamma: f64,
            /// e: what is added to the bound.
            #[serde(default)]
            #[limits(between(-1e6, 1e6))]
            #[example(0.0)]
            e: f64,
        },
        /// CS+: pooled differences clipped to the distance of the (k − 2f)-th nearest model, averaged.
        Cs {
            /// How many of a pool of k models are taken to be malicious, f. It is lowered where nothing would be left.
            #[serde(default)]
            #[example(Count(2))]
            assumed: Assumed,
            /// What distances are measured from.
            #[serde(default)]
            #[example(Median)]
            center: Center,
        },
        /// The mean of the pooled models nearest to the centre.
        Gts {
            /// How many of a pool of k models are taken to be malicious, f. It is lowered where nothing would be left.
            #[serde(default)]
            #[example(Count(2))]
            assumed: Assumed,
            /// What distances are measured from.
            #[serde(default)]
            #[example(Median)]
            center: Center,
            /// What the kept differences are divided by; `All` where it is not given. Around `center: Median` the kept models are averaged,
            /// and a divisor is refused.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[example(Kept)]
            divisor: Option<Divisor>,
        },
        /// The coordinate-wise trimmed mean of the pooled models.
        Cwtm {
            /// How many of a pool of k models are taken to be malicious, f. It is lowered where nothing would be left.
            #[serde(default)]
            #[example(Count(2))]
            assumed: Assumed,
            /// Whether the node's own model counts among the values.
            #[serde(default)]
            #[example(Excluded)]
            own: Own,
        },
        /// Halfway to the pooled model that has the closest company.
        Krum {
            /// How many of a pool of k models are taken to be malicious, f. It is lowered where nothing would be left.
            #[serde(default)]
            #[example(Count(2))]
            assumed: Assumed,
        },
        /// The coordinate-wise median of the pool and the own model.
        Median,
        /// The geometric median of the pool and the own model.
        GeometricMedian,
        /// Halfway to the mean of those near pooled models that explain the own history at least as well as the own one, or to the best of
        /// them.
        Ubar {
            /// How many of a pool of k models are taken to be malicious, f. It is lowered where nothing would be left.
            #[serde(default)]
            #[example(Count(2))]
            assumed: Assumed,
        },
        /// Knows who is malicious: α = ½ for honest senders, 0 for others.
        Oracle,
        /// α = ½ for everyone; the paper calls it None.
        Undefended,
        /// Sends, but discards what it receives.
        Local,
    }
}

declare! {
    /// Whether sessions that taught nothing count in t.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum EmptySessions {
        /// As X = 0, as Algorithm 1 of the paper has it.
        // CHOICE(empty_sessions): the paper adds every session to the history and does not say whether those without pairs are counted.
        #[default]
        Count,
        /// They are left out.
        Skip,
    }
}

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
        }
    }
}

impl Defense {
    /// Its name in the paper and in summaries.
    pub fn name(&self) -> &'static str {
        match self {
            Defense::RankGuard { calibrate: false, .. } => "RankGuard",
            Defense::RankGuard { calibrate: true, .. } => "RankGuard-Calibrated",
            Defense::RankGuardRand { .. } => "RankGuard-Rand",
            Defense::FlTrust => "FLTrust",
            Defense::ZenoPs { .. } => "ZenoPS",
            Defense::Cs { .. } => "CS",
            Defense::Gts { .. } => "GTS",
            Defense::Cwtm { .. } => "CWTM",
            Defense::Krum { .. } => "Krum",
            Defense::Median => "Median",
            Defense::GeometricMedian => "Geometric median",
            Defense::Ubar { .. } => "UBAR",
            Defense::Oracle => "Oracle",
            Defense::Undefended => "None",
            Defense::Local => "Local",
        }
    }

    /// The largest weight of a received model that is not rejected, where a scenario does not say it.
    pub fn usual_weight_limit(&self) -> f64 {
        // Far above what learning on normalised features gives.
        if *self == Defense::Undefended { f64::INFINITY } else { 1e6 }
    }

    /// The parameters of RankGuard or one of its variants; `None` for every other rule.
    pub fn rankguard(&self) -> Option<Rule> {
        match *self {
            Defense::RankGuard { kappa, when_undecided, empty_sessions, calibrate } => {
                Some(Rule { kappa, when_undecided, empty_sessions, share: None, calibrate })
            }
            Defense::RankGuardRand { kappa, share, when_undecided, empty_sessions } => {
                Some(Rule { kappa, when_undecided, empty_sessions, share: Some(share), calibrate: false })
            }
            Defense::FlTrust
            | Defense::ZenoPs { .. }
            | Defense::Cs { .. }
            | Defense::Gts { .. }
            | Defense::Cwtm { .. }
            | Defense::Krum { .. }
            | Defense::Median
            | Defense::GeometricMedian
            | Defense::Ubar { .. }
            | Defense::Oracle
            | Defense::Undefended
            | Defense::Local => None,
        }
    }

    /// Whether the rule scores received models on the node's own history, so that the documents of that history must be kept.
    pub fn judges_by_history(&self) -> bool {
        match self {
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } | Defense::Ubar { .. } => true,
            // A replay reads its documents from the data set.
            Defense::FlTrust | Defense::ZenoPs { .. } => false,
            Defense::Cs { .. } | Defense::Gts { .. } | Defense::Cwtm { .. } | Defense::Krum { .. } => false,
            Defense::Median | Defense::GeometricMedian | Defense::Oracle | Defense::Undefended | Defense::Local => false,
        }
    }

    /// Whether the rule gathers several models before it merges any.
    pub fn pools(&self) -> bool {
        self.pooling().is_some()
    }

    /// How many models of a pool the rule assumes to be malicious; `None` if the rule does not pool.
    fn pooling(&self) -> Option<Assumed> {
        match *self {
            Defense::Cs { assumed, .. }
            | Defense::Gts { assumed, .. }
            | Defense::Cwtm { assumed, .. }
            | Defense::Krum { assumed }
            | Defense::Ubar { assumed } => Some(assumed),
            Defense::Median | Defense::GeometricMedian => Some(Assumed::Count(0)),
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } | Defense::FlTrust | Defense::ZenoPs { .. } => None,
            Defense::Oracle | Defense::Undefended | Defense::Local => None,
        }
    }

    /// The pool size in a network of `n_nodes` nodes, of which `n_malicious` are malicious.
    pub fn pool_size(&self, n_nodes: u32, n_malicious: u32) -> PoolSize {
        let models = n_nodes.next_power_of_two().trailing_zeros().max(1) as usize;
        let assumed = match self.pooling() {
            Some(Assumed::Count(f)) => f as usize,
            // CHOICE(assumed): the paper does not say how many malicious models its rules expect. Here it is the mean number, rounded up.
            Some(Assumed::ShareOfNodes) => pooled::assumed_malicious(models, n_malicious, n_nodes),
            None => 0,
        };
        PoolSize { models, assumed }
    }
}

declare! {
    /// How many of the pooled models a rule takes to be malicious. Lowered where it would leave the rule nothing.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Assumed {
        /// ⌈k m / n⌉ of a pool of k, where m of n nodes are malicious.
        #[default]
        ShareOfNodes,
        /// This number.
        Count(#[example(2)] u32),
    }
}

declare! {
    /// Whether CWTM counts the node's own model among the values.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Own {
        // CHOICE(own): the paper does not say.
        /// It does.
        #[default]
        Included,
        /// It does not.
        Excluded,
    }
}

/// The size of a pool, and how many of its models are assumed to be malicious.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSize {
    /// The number of models that fill the pool: ⌈log₂ n⌉, but at least one.
    pub models: usize,
    /// How many of them the rule assumes to be malicious.
    pub assumed: usize,
}

impl Verdict {
    fn new(outcome: Outcome, alpha: f64) -> Self {
        Self { outcome, alpha, t: None, n_judged: 0, mix: Mix::Unmoved }
    }

    /// A merge that moved θ_u by `factor` times the difference. A factor above 1 counts as a weight of 1.
    fn merged(factor: f64) -> Self {
        let alpha = factor.clamp(0.0, 1.0);
        match alpha > 0.0 {
            true => Self { mix: Mix::Toward(factor), ..Self::new(Outcome::Merged, alpha) },
            false => Self::rejected(Reason::NoWeight),
        }
    }

    /// The effective weight of each model of the pool, oldest first, if a pool was merged. Empty otherwise.
    pub fn pool_weights(&self) -> Vec<f64> {
        if self.outcome == Outcome::Pooled { self.mix.weights() } else { Vec::new() }
    }

    fn rejected(reason: Reason) -> Self {
        Self::new(Outcome::Rejected(reason), 0.0)
    }
}

/// Buffers for judging, kept between calls to avoid allocations.
#[derive(Debug, Default)]
pub struct Scratch {
    scores: Vec<Vec<f32>>,
    own_scores: Vec<f32>,
    margins: Vec<f32>,
    /// log σ(m_v) − log σ(m_u) for each preference.
    differences: Vec<f64>,
    x: Vec<f64>,
}

/// The part of a node that a rule may read and change.
pub(super) struct Judge<'a> {
    /// The settings of the run.
    pub protocol: &'a Protocol<'a>,
    /// θ_u.
    pub theta: &'a mut [f32],
    /// Q_u.
    pub history: &'a mut History,
    /// Received models that wait until the pool is full.
    pub pool: &'a mut Vec<Vec<f32>>,
    /// The change that the own history would make to θ_u, as long as both stay the same.
    pub reference: &'a mut Option<Vec<f64>>,
    /// The learning rate of a replay.
    pub eta: f64,
    /// Buffers.
    pub scratch: &'a mut Scratch,
}

impl Judge<'_> {
    /// Judges and merges models in order. `subset_rng(i)` is the generator for the i-th model.
    pub fn receive(&mut self, inbox: &[Received], subset_rng: impl Fn(usize) -> Pcg64) -> Vec<Verdict> {
        match self.protocol.defense {
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } => {
                let rule = self.protocol.defense.rankguard().expect("it is one of its variants");
                rule.receive(self, inbox, subset_rng)
            }
            Defense::FlTrust => self.one_by_one(inbox, |judge, received| judge.take_difference(received, reference::fltrust)),
            Defense::ZenoPs { zeta, gamma, e } => {
                self.one_by_one(inbox, |judge, received| judge.take_difference(received, |g, r| reference::zenops(g, r, zeta, gamma, e)))
            }
            Defense::Oracle => self.one_by_one(inbox, |judge, received| match received.is_malicious {
                true => Verdict::rejected(Reason::KnownMalicious),
                false => judge.take_half(received),
            }),
            Defense::Undefended => self.one_by_one(inbox, |judge, received| judge.take_half(received)),
            Defense::Local => inbox.iter().map(|_| Verdict::new(Outcome::Discarded, 0.0)).collect(),
            Defense::Cs { .. }
            | Defense::Gts { .. }
            | Defense::Cwtm { .. }
            | Defense::Krum { .. }
            | Defense::Median
            | Defense::GeometricMedian
            | Defense::Ubar { .. } => self.one_by_one(inbox, Self::gather),
        }
    }

    fn one_by_one(&mut self, inbox: &[Received], rule: impl Fn(&mut Self, &Received) -> Verdict) -> Vec<Verdict> {
        let mut judge = |received: &Received| match self.implausible(received) {
            None => rule(self, received),
            Some(reason) => Verdict::rejected(reason),
        };
        inbox.iter().map(&mut judge).collect()
    }

    /// The reason why no rule may see this model, if there is one.
    // CHOICE(weight_limit): the paper does not say what a weight may be. If a rule gives every model a little weight, one model with
    // weights of 1e30 destroys the receiver.
    fn implausible(&self, received: &Received) -> Option<Reason> {
        if !math::all_finite(received.theta) {
            return Some(Reason::NotFinite);
        }
        let most = received.theta.iter().fold(0.0f32, |most, w| most.max(w.abs()));
        (f64::from(most) > self.protocol.weight_limit).then_some(Reason::TooLarge)
    }

    fn take_half(&mut self, received: &Received) -> Verdict {
        linear::interpolate(self.theta, received.theta, 0.5);
        Verdict::merged(0.5)
    }

    /// Moves θ_u by factor · (θ_v − θ_u). `rule` finds the factor by comparing that difference with the change that the own history would
    /// make.
    fn take_difference(&mut self, received: &Received, rule: impl Fn(&[f64], &[f64]) -> Result<f64, Reason>) -> Verdict {
        let (theta, history, protocol, eta) = (&*self.theta, &*self.history, self.protocol, self.eta);
        let r = self.reference.get_or_insert_with(|| reference::replay(theta, history, protocol, eta));
        let g: Vec<f64> = received.theta.iter().zip(theta).map(|(&v, &u)| f64::from(v) - f64::from(u)).collect();
        let verdict = match rule(&g, r) {
            Err(reason) => Verdict::rejected(reason),
            Ok(factor) => {
                pdgd::step(self.theta, factor, &g);
                *self.reference = None;
                Verdict::merged(factor)
            }
        };
        Verdict { n_judged: self.history.len() as u32, ..verdict }
    }

    /// Adds a model to the pool, and merges the pool when it is full.
    fn gather(&mut self, received: &Received) -> Verdict {
        self.pool.push(received.theta.to_vec());
        if self.pool.len() < self.protocol.pool.models {
            return Verdict::new(Outcome::Buffered, 0.0);
        }
        let wide = |theta: &[f32]| theta.iter().copied().map(f64::from).collect::<Vec<f64>>();
        let (own, models): (_, Vec<Vec<f64>>) = (wide(self.theta), self.pool.iter().map(|theta| wide(theta)).collect());
        let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
        let merged = self.merge_pool(&own, &buffer);
        self.pool.clear();
        for (weight, merged) in self.theta.iter_mut().zip(&merged.theta) {
            *weight = *merged as f32;
        }
        let n_judged = if self.protocol.defense.judges_by_history() { self.history.len() as u32 } else { 0 };
        let total = merged.mix.weights().iter().sum();
        Verdict { n_judged, mix: merged.mix, ..Verdict::new(Outcome::Pooled, total) }
    }

    fn merge_pool(&mut self, own: &[f64], buffer: &[&[f64]]) -> Pooled {
        let (k, f) = (buffer.len(), self.protocol.pool.assumed);
        match self.protocol.defense {
            Defense::Cs { center, .. } => pooled::clipped_mean(own, buffer, f.min((k - 1) / 2), center),
            Defense::Gts { center, divisor, .. } => pooled::nearest_mean(own, buffer, f, center, divisor.unwrap_or_default()),
            Defense::Cwtm { own: Own::Included, .. } => pooled::trimmed_mean(Some(own), buffer, f),
            Defense::Cwtm { own: Own::Excluded, .. } => pooled::trimmed_mean(None, buffer, f),
            Defense::Krum { .. } => pooled::krum(own, buffer, f),
            Defense::Median => pooled::median(own, buffer),
            Defense::GeometricMedian => pooled::geometric_median(own, buffer),
            Defense::Ubar { .. } => {
                let models: Vec<&[f32]> = [&*self.theta].into_iter().chain(self.pool.iter().map(Vec::as_slice)).collect();
                let scores = rankguard::mean_session_scores(self.history, &models);
                pooled::ubar(own, buffer, f, scores[0], &scores[1..])
            }
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } | Defense::FlTrust | Defense::ZenoPs { .. } => {
                unreachable!("only rules that pool come here")
            }
            Defense::Oracle | Defense::Undefended | Defense::Local => unreachable!("only rules that pool come here"),
        }
    }
}

fn one_half() -> f64 {
    0.5
}

fn zeta() -> f64 {
    -0.02
}
