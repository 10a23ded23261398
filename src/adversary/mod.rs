//! The attackers: which nodes are malicious, which attack each of them plays, and which messages it makes.
//!
//! This module knows neither clock nor queue. `network::Attackers` describes what attackers do with time.
//!
//! ```
//! use rankguard::adversary::{Attack, Roles};
//! use rankguard::rng::Seed;
//!
//! let roles = Roles::new(Seed(1), 100, 0.2, &Attack::Flip);
//! assert_eq!(roles.honest().count(), 80);
//! ```

mod adapt;
mod craft;
mod roles;

pub use craft::{Crafted, Population, craft};
pub use roles::{Roles, malicious, n_malicious, part_sizes};

use crate::fields::declare;
use crate::math;
use crate::network::Knowledge;
use crate::units::Duration;
use std::borrow::Cow;

declare! {
    /// What malicious nodes do.
    ///
    /// Attackers other than FLIP and Stale take their turns but do not search; they make each message for its receiver, and none for each other.
    #[derive(Clone, PartialEq)]
    pub enum Attack {
        /// Everybody is honest; `malicious_share` is 0.
        NoAttack,
        /// Malicious nodes learn from inverted clicks and send that model.
        Flip,
        /// A little is enough: the coordinate-wise mean of all honest models less `z` standard deviations, the same to all.
        Lie {
            /// How many standard deviations LIE goes. All malicious nodes count, whatever they play.
            #[example(Majority)]
            z: LieZ,
            /// When the attacker looks at the population.
            #[serde(default)]
            #[example(AtDelivery)]
            knowledge: Knowledge,
            /// How often LIE looks at all honest models. Honest nodes count whether or not they are online.
            #[serde(default)]
            #[example(Every("10min"))]
            survey: Survey,
        },
        /// Inner-product manipulation: the message points against the change that honest learning would make to the victim's model.
        Ipm {
            /// What IPM sends to a victim with model θ.
            #[example(Step)]
            form: IpmForm,
            /// ε; the paper uses 10. From about 1e38 on the messages are not finite: every rule rejects them, and the summary counts them.
            #[limits(finite())]
            #[example(10.0)]
            epsilon: f64,
            /// When the attacker looks at its victim.
            #[serde(default)]
            #[example(AtDelivery)]
            knowledge: Knowledge,
        },
        /// Looks, with full knowledge of the victim's model, history and rule, for a model that is accepted and harms: a warm start, then steps
        /// down both losses. Against a victim that judges by a random share of its history, it uses the whole history.
        Adapt {
            /// κ of the RankGuard that the attacker assumes if its victims use another rule; by default 4. For victims that use RankGuard
            /// it takes their own κ.
            #[serde(default)]
            #[limits(between(1e-6, 1e6).or("beyond them α does not change"))]
            #[example(4.0)]
            kappa: Option<f64>,
            /// How many steps of optimisation it takes.
            #[serde(default = "fifty")]
            #[limits(at_most(10_000.0))]
            #[example(50)]
            steps: u32,
            /// Which of the models on its way it sends. At η = 0.1 the steps end in a cycle.
            #[serde(default)]
            #[example(Best)]
            send: AdaptSend,
            /// When the attacker looks at its victim.
            #[serde(default)]
            #[example(AtDelivery)]
            knowledge: Knowledge,
        },
        /// The victim's own model, scaled down: less sure of everything, no better at anything.
        Shrink {
            /// The factor by which the victim's model is multiplied.
            #[limits(at_least(0.0).below(1.0))]
            #[example(0.5)]
            c: f64,
            /// When the attacker looks at its victim.
            #[serde(default)]
            #[example(AtDelivery)]
            knowledge: Knowledge,
        },
        /// The victim's own model with Gaussian noise on every weight.
        Noise {
            /// The standard deviation of the noise.
            #[limits(at_least(0.0).finite())]
            #[example(0.1)]
            sd: f64,
            /// When the attacker looks at its victim.
            #[serde(default)]
            #[example(AtDelivery)]
            knowledge: Knowledge,
        },
        /// Learns from honest clicks, merges what it receives half and half whatever the defence and `malicious_aggregate` (within the run's
        /// `weight_limit`), and sends the model that it had `age` ago, or its first model while it is younger than that.
        Stale {
            /// The age of the model that a stale attacker sends.
            #[limits(above(0.0))]
            #[example("2h")]
            age: Duration,
        },
        /// Several attacks at once: each malicious node plays one of them. A mix knows no mixes and no `NoAttack`.
        Mix(#[example([(share: 0.5, attack: Flip), (share: 0.5, attack: Stale(age: "2h"))])] Vec<Part>),
    }
}

declare! {
    /// An attack and the share of the malicious nodes that carry it out.
    #[derive(Clone, PartialEq)]
    pub struct Part {
        /// The share of the malicious nodes that play this part; all shares sum to 1. Sizes are whole nodes by largest remainder, at least one
        /// each; who plays what is drawn from the seed.
        #[limits(above(0.0).below(1.0))]
        #[example(0.5)]
        pub share: f64,
        /// What malicious nodes do in this part.
        #[example(Flip)]
        pub attack: Attack,
    }
}

declare! {
    /// How many standard deviations LIE goes.
    // CHOICE(z): the paper's text says `Majority`; its figures look more like `OneMinusBeta`, on stand-in data.
    #[derive(Clone, Copy, PartialEq)]
    pub enum LieZ {
        /// Φ⁻¹((n − m − s) / (n − m)), s = ⌊n/2 + 1⌋ − m: enough honest nodes further out to form a majority with the m malicious of n.
        Majority,
        /// Φ⁻¹(1 − m/n).
        OneMinusBeta,
        /// This number.
        Value(
            #[limits(finite())]
            #[example(0.5)]
            f64
        ),
    }
}

declare! {
    /// How often LIE looks at all honest models.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Survey {
        /// Whenever it sends: every look waits for the whole network.
        #[default]
        Exact,
        /// At most once in this time; in between it uses the last look.
        Every(
            #[limits(above(0.0).or("to look whenever it sends choose Exact"))]
            #[example("10min")]
            Duration
        ),
    }
}

declare! {
    /// Which of the models on its way ADAPT sends.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum AdaptSend {
        /// The model after the last step.
        #[default]
        Last,
        /// The model with the lowest loss.
        Best,
    }
}

declare! {
    /// What IPM sends to a victim with model θ_u.
    // CHOICE(form): the paper's text says `Step`; most of its figures look more like `NegatedModel`, on stand-in data.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum IpmForm {
        /// θ_u − ε η g: an honest step on a fresh query, turned round and ε times as long.
        Step,
        /// −ε θ_u.
        NegatedModel,
    }
}

declare! {
    /// Whether malicious nodes merge what they receive, by the run's rule. A scenario with an attack must say it.
    ///
    /// The paper contradicts itself. Its text says `Always`: malicious nodes "follow the protocol but send carefully crafted model updates", and
    /// the protocol includes merging. Its figures for FLIP without a defence, far below a random ranking, need `Never`; those for FLIP against
    /// pooled rules need that attackers merge there, `PooledOnly`, which is inferred from these figures on stand-in data and after the fact.
    /// It touches only attackers that send their own model by this rule: FLIP, and those that pose as honest. The others make their messages
    /// from honest models.
    // CHOICE(malicious_aggregate): three readings, scenarios/paper/README.md.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum MaliciousAggregate {
        /// Malicious nodes ignore what they receive.
        Never,
        /// They merge it by the run's rule.
        Always,
        /// They merge only under rules that pool several models.
        PooledOnly,
    }
}

impl MaliciousAggregate {
    /// Whether a malicious node merges under a rule that pools (`rule_pools`) or does not.
    pub fn merges(self, rule_pools: bool) -> bool {
        match self {
            MaliciousAggregate::Never => false,
            MaliciousAggregate::Always => true,
            MaliciousAggregate::PooledOnly => rule_pools,
        }
    }
}

impl Attack {
    /// Its name in the paper and in summaries.
    pub fn name(&self) -> Cow<'static, str> {
        match self {
            Attack::NoAttack => "no attack".into(),
            Attack::Flip => "FLIP".into(),
            Attack::Lie { .. } => "LIE".into(),
            Attack::Ipm { .. } => "IPM".into(),
            Attack::Adapt { .. } => "ADAPT".into(),
            Attack::Shrink { .. } => "Shrink".into(),
            Attack::Noise { .. } => "Noise".into(),
            Attack::Stale { .. } => "Stale".into(),
            Attack::Mix(parts) => parts.iter().map(|part| part.attack.name()).collect::<Vec<_>>().join(" and ").into(),
        }
    }

    /// The attacks that nodes play: the parts of a mix, or the attack itself.
    pub fn parts(&self) -> Vec<&Attack> {
        match self {
            Attack::Mix(parts) => parts.iter().map(|part| &part.attack).collect(),
            single => vec![single],
        }
    }

    /// When the attacker looks at its victim, if it makes a message for each receiver; `None` if it broadcasts its own model.
    pub fn crafts(&self) -> Option<Knowledge> {
        match *self {
            Attack::NoAttack | Attack::Flip | Attack::Stale { .. } | Attack::Mix(_) => None,
            Attack::Lie { knowledge, .. }
            | Attack::Ipm { knowledge, .. }
            | Attack::Adapt { knowledge, .. }
            | Attack::Shrink { knowledge, .. }
            | Attack::Noise { knowledge, .. } => Some(knowledge),
        }
    }

    /// Whether any attacker reads the histories of its victims, so that these must be kept under every defence.
    pub fn reads_history(&self) -> bool {
        self.parts().iter().any(|part| match part {
            Attack::Adapt { .. } => true,
            Attack::NoAttack | Attack::Flip | Attack::Stale { .. } | Attack::Lie { .. } | Attack::Ipm { .. } => false,
            Attack::Shrink { .. } | Attack::Noise { .. } | Attack::Mix(_) => false,
        })
    }

    /// The steps of optimisation behind a message, averaged over the parts of a mix.
    pub fn optimisation_steps(&self) -> f64 {
        match self {
            Attack::Adapt { steps, .. } => f64::from(*steps),
            Attack::Mix(parts) => parts.iter().map(|part| part.share * part.attack.optimisation_steps()).sum(),
            Attack::NoAttack | Attack::Flip | Attack::Stale { .. } | Attack::Lie { .. } | Attack::Ipm { .. } => 0.0,
            Attack::Shrink { .. } | Attack::Noise { .. } => 0.0,
        }
    }

    /// The age of the own model that the attacker sends; `None` if it does not send an old one.
    pub fn age(&self) -> Option<Duration> {
        match *self {
            Attack::Stale { age } => Some(age),
            Attack::NoAttack | Attack::Flip | Attack::Lie { .. } | Attack::Ipm { .. } | Attack::Adapt { .. } => None,
            Attack::Shrink { .. } | Attack::Noise { .. } | Attack::Mix(_) => None,
        }
    }

    /// How often the attacker looks at all honest models; `None` if it does not.
    pub fn surveys(&self) -> Option<Survey> {
        match *self {
            Attack::Lie { survey, .. } => Some(survey),
            Attack::NoAttack | Attack::Flip | Attack::Stale { .. } | Attack::Ipm { .. } | Attack::Adapt { .. } => None,
            Attack::Shrink { .. } | Attack::Noise { .. } | Attack::Mix(_) => None,
        }
    }
}

fn fifty() -> u32 {
    50
}

impl LieZ {
    /// The value of z if `m` of `n` nodes are malicious; `None` if the quantile does not exist.
    pub fn value(self, n: u32, m: u32) -> Option<f64> {
        let quantile = |p: f64| (p > 0.0 && p < 1.0).then(|| math::normal_quantile(p));
        let (n, m) = (f64::from(n), f64::from(m));
        match self {
            LieZ::Value(z) => Some(z),
            LieZ::OneMinusBeta => quantile(1.0 - m / n),
            LieZ::Majority => {
                let s = (n / 2.0 + 1.0).floor() - m;
                quantile((n - m - s) / (n - m))
            }
        }
    }
}
