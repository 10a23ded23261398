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

use crate::math;
use crate::network::Knowledge;
use crate::units::Duration;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What malicious nodes do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Attack {
    NoAttack,
    /// Learns from inverted clicks and sends that model.
    Flip,
    /// A little is enough: the mean of all honest models less z standard deviations, the same to all.
    Lie {
        z: LieZ,
        #[serde(default)]
        knowledge: Knowledge,
        #[serde(default)]
        survey: Survey,
    },
    /// Inner-product manipulation: against what honest learning would do to the victim's own model.
    Ipm {
        form: IpmForm,
        epsilon: f64,
        #[serde(default)]
        knowledge: Knowledge,
    },
    /// Looks for a model that the victim's rule accepts and that harms, knowing the victim's model, history and rule.
    Adapt {
        /// κ of the RankGuard that it expects where the victims' rule is another one. Victims that use RankGuard are met by their own κ.
        #[serde(default)]
        kappa: Option<f64>,
        #[serde(default = "fifty")]
        steps: u32,
        #[serde(default)]
        send: AdaptSend,
        #[serde(default)]
        knowledge: Knowledge,
    },
    /// The victim's own model, scaled down: less sure of everything, no better at anything.
    Shrink {
        c: f64,
        #[serde(default)]
        knowledge: Knowledge,
    },
    /// The victim's own model with Gaussian noise on every weight.
    Noise {
        sd: f64,
        #[serde(default)]
        knowledge: Knowledge,
    },
    /// Learns honestly, merges what it receives half and half, and sends its own model as it was so long ago.
    Stale {
        age: Duration,
    },
    /// Each malicious node plays one of several attacks.
    Mix(Vec<Part>),
}

/// An attack and the share of the malicious nodes that carry it out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub share: f64,
    pub attack: Attack,
}

/// How many standard deviations LIE goes.
// CHOICE(z): the paper's text says `Majority`; its figures look more like `OneMinusBeta`, on stand-in data.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum LieZ {
    /// Φ⁻¹((n − m − s) / (n − m)), s = ⌊n/2 + 1⌋ − m: enough honest nodes further out to form a majority with the m malicious of n.
    Majority,
    /// Φ⁻¹(1 − m/n).
    OneMinusBeta,
    Value(f64),
}

/// How often LIE looks at all honest models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Survey {
    /// Whenever it sends: every look waits for the whole network.
    #[default]
    Exact,
    /// At most once in this time; in between it goes by the last look.
    Every(Duration),
}

/// Which of the models that it passes ADAPT sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum AdaptSend {
    /// The one it ends with.
    #[default]
    Last,
    /// The one with the lowest loss.
    Best,
}

/// What IPM sends to a victim with model θ_u.
// CHOICE(form): the paper's text says `Step`; most of its figures look more like `NegatedModel`, on stand-in data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum IpmForm {
    /// θ_u − ε η g: an honest step on a fresh query, turned round and ε times as long.
    Step,
    /// −ε θ_u.
    NegatedModel,
}

/// Whether malicious nodes merge what they receive, by the run's rule. A scenario with an attack must say it.
///
/// The paper contradicts itself. Its text says `Always`: malicious nodes "follow the protocol but send carefully crafted model updates", and
/// the protocol includes merging. Its figures for FLIP without a defence, far below a random ranking, need `Never`; those for FLIP against
/// pooled rules need that attackers merge there, `PooledOnly`, which is inferred from these figures on stand-in data and after the fact.
// CHOICE(malicious_aggregate): three readings, scenarios/paper/README.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MaliciousAggregate {
    Never,
    Always,
    /// Only under rules that pool several models.
    PooledOnly,
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
