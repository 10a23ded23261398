//! The rules that a scenario can name, with their parameters, and what each of them needs.

use super::pooled::{self, Center, Divisor};
use super::rankguard::Rule;
use crate::fields::declare;

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

    /// Whether the rule learns from the sessions of the history anew for every received model.
    pub fn replays_history(&self) -> bool {
        match self {
            Defense::FlTrust | Defense::ZenoPs { .. } => true,
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } | Defense::Ubar { .. } => false,
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

fn one_half() -> f64 {
    0.5
}

fn zeta() -> f64 {
    -0.02
}
