//! The rules that a scenario can name, with their parameters, and what each of them needs.

use super::distance::{CountSketch, Nearness};
use super::pooled::{self, Center, Divisor};
use super::rankguard::Rule;
use crate::fields::declare;
use crate::rng::Seed;

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
    /// | `FlTrust`, `ZenoPs`, `ZenoPlusPlus` | is rejected, or taken with a difference no longer than what the own history would change. |
    /// | `Balance`, `SketchGuard` | is too far from the own model and rejected, unless γ is as huge or a sketch of few buckets hides it. |
    /// | `Sentinel` | is rejected, or shortened to the length of the own model. |
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
        /// Zeno++: rescales the difference to a received model to the length of what a replay r of the own history would change, and takes it
        /// if its score is high enough: γ⟨v, g⟩ − ρ|g|² ≥ −γ ε, with both changes as gradients (v = r / γ) and the learning rate η as γ.
        ZenoPlusPlus {
            /// ρ: what the length of a difference costs. With ε = 0 a difference is taken if its cosine to the replay is ρ / η or more.
            #[serde(default = "rho")]
            #[limits(between(0.0, 1e6))]
            #[example(0.01)]
            rho: f64,
            /// ε: how much harm a difference may seem to do.
            #[serde(default)]
            #[limits(between(0.0, 1e6))]
            #[example(0.1)]
            epsilon: f64,
        },
        /// BALANCE: merges a received model if it is near: |θ_u − θ_v| ≤ γ exp(−κ t/T) |θ_u|, where t counts the node's searches.
        ///
        /// Fresh models are independent random vectors of equal length, √2 of that length apart. With a smaller γ, nodes take nothing until their
        /// own searches have brought their models together, while the distance that is allowed shrinks.
        Balance {
            /// γ: how far a model may be away at first, in lengths of the own model.
            #[serde(default = "gamma")]
            #[limits(between(0.0, 1e6))]
            #[example(0.3)]
            gamma: f64,
            /// κ: how fast this distance shrinks.
            #[serde(default = "one")]
            #[limits(between(0.0, 1e6))]
            #[example(1.0)]
            kappa: f64,
            /// T: the number of searches of a node after which it shrinks no more. The paper's setting has 300.
            #[serde(default = "three_hundred")]
            #[limits(at_least(1.0))]
            #[example(300)]
            horizon: u32,
            /// The weight that the own model keeps in a merge.
            #[serde(default = "one_half")]
            #[limits(between(0.0, 1.0))]
            #[example(0.5)]
            own_weight: f64,
        },
        /// SketchGuard: BALANCE whose test compares count sketches of the two models. Messages still carry whole models: its saving of
        /// traffic is not simulated.
        SketchGuard {
            /// The number of buckets of a sketch.
            #[serde(default = "thirty_two")]
            #[limits(between(1.0, 65_536.0))]
            #[example(32)]
            width: u32,
            /// γ: how far a sketch may be away at first, in lengths of the own sketch.
            #[serde(default = "gamma")]
            #[limits(between(0.0, 1e6))]
            #[example(0.3)]
            gamma: f64,
            /// κ: how fast this distance shrinks.
            #[serde(default = "one")]
            #[limits(between(0.0, 1e6))]
            #[example(1.0)]
            kappa: f64,
            /// T: the number of searches of a node after which it shrinks no more. The paper's setting has 300.
            #[serde(default = "three_hundred")]
            #[limits(at_least(1.0))]
            #[example(300)]
            horizon: u32,
            /// The weight that the own model keeps in a merge.
            #[serde(default = "one_half")]
            #[limits(between(0.0, 1.0))]
            #[example(0.5)]
            own_weight: f64,
        },
        /// Sentinel: drops models that point elsewhere, weighs the others by how little worse they explain the own history, and shortens them to
        /// the length of the own model.
        ///
        /// No merge lengthens a model, and one with a model at an angle shortens it: where many models arrive between two searches, models stay
        /// short and noisy.
        Sentinel {
            /// τ_S: the least cosine between a received model and the own one, averaged over layers.
            #[serde(default = "one_half")]
            #[limits(between(-1.0, 1.0))]
            #[example(0.5)]
            least_similarity: f64,
            /// τ_L: the least trust exp(−(L_v − L_u) / L_u) in a model whose loss on the own history is L_v, where the own model's is L_u.
            #[serde(default = "one_tenth")]
            #[limits(between(0.0, 1.0))]
            #[example(0.1)]
            least_trust: f64,
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
            Defense::ZenoPlusPlus { .. } => "Zeno++",
            Defense::Balance { .. } => "BALANCE",
            Defense::SketchGuard { .. } => "SketchGuard",
            Defense::Sentinel { .. } => "Sentinel",
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
            | Defense::ZenoPlusPlus { .. }
            | Defense::Balance { .. }
            | Defense::SketchGuard { .. }
            | Defense::Sentinel { .. }
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

    /// The parameters of BALANCE's test, which SketchGuard shares; `None` for every other rule.
    pub(super) fn nearness(&self) -> Option<Nearness> {
        match *self {
            Defense::Balance { gamma, kappa, horizon, own_weight } | Defense::SketchGuard { gamma, kappa, horizon, own_weight, .. } => {
                Some(Nearness { gamma, kappa, horizon, own_weight })
            }
            _ => None,
        }
    }

    /// The sketch of models with `n_weights` weights by which SketchGuard compares; `None` for every other rule.
    pub fn sketch(&self, seed: Seed, n_weights: usize) -> Option<CountSketch> {
        match *self {
            Defense::SketchGuard { width, .. } => Some(CountSketch::new(seed, width, n_weights)),
            _ => None,
        }
    }

    /// Whether the rule scores received models on the node's own history, so that the documents of that history must be kept.
    pub fn judges_by_history(&self) -> bool {
        match self {
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } | Defense::Ubar { .. } | Defense::Sentinel { .. } => true,
            // A replay reads its documents from the data set.
            Defense::FlTrust | Defense::ZenoPs { .. } | Defense::ZenoPlusPlus { .. } => false,
            Defense::Balance { .. } | Defense::SketchGuard { .. } => false,
            Defense::Cs { .. } | Defense::Gts { .. } | Defense::Cwtm { .. } | Defense::Krum { .. } => false,
            Defense::Median | Defense::GeometricMedian | Defense::Oracle | Defense::Undefended | Defense::Local => false,
        }
    }

    /// Whether the rule learns from the sessions of the history anew for every received model.
    pub fn replays_history(&self) -> bool {
        match self {
            Defense::FlTrust | Defense::ZenoPs { .. } | Defense::ZenoPlusPlus { .. } => true,
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } | Defense::Ubar { .. } | Defense::Sentinel { .. } => false,
            Defense::Balance { .. } | Defense::SketchGuard { .. } => false,
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
            Defense::ZenoPlusPlus { .. } | Defense::Balance { .. } | Defense::SketchGuard { .. } | Defense::Sentinel { .. } => None,
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

fn rho() -> f64 {
    0.001
}

fn gamma() -> f64 {
    0.3
}

fn one() -> f64 {
    1.0
}

fn one_tenth() -> f64 {
    0.1
}

fn three_hundred() -> u32 {
    300
}

// CHOICE(width): smaller than the smallest of the paper's models, which has 46 weights. SketchGuard's authors sketch millions of weights.
fn thirty_two() -> u32 {
    32
}
