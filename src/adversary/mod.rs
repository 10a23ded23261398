//! Who deviates, and how.

mod adapt;
mod craft;

pub use craft::{Crafted, Population, craft};

use crate::math;
use crate::rng::{Purpose, Seed};
use crate::units::Duration;
use rand::seq::index;
use serde::{Deserialize, Serialize};

/// What malicious nodes do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// Looks for a model that RankGuard with this κ accepts and that harms, knowing the victim's model and history.
    Adapt {
        kappa: f64,
        #[serde(default = "fifty")]
        steps: u32,
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
}

/// When an attacker looks at its victim, or at the population. The same where messages take no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Knowledge {
    #[default]
    AtSend,
    AtDelivery,
}

/// How many standard deviations LIE goes.
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

/// What IPM sends to a victim with model θ_u.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum IpmForm {
    /// θ_u − ε η g: an honest step on a fresh query, turned round and ε times as long.
    Step,
    /// −ε θ_u.
    NegatedModel,
}

/// Whether malicious nodes merge what they receive, by the run's rule. The paper does not say; a scenario with an attack must.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum MaliciousAggregate {
    Never,
    Always,
    /// Only under rules that pool several models.
    PooledOnly,
}

impl MaliciousAggregate {
    /// Whether a malicious node merges under a rule that does (or does not) pool.
    pub fn merges(self, rule_pools: bool) -> bool {
        match self {
            MaliciousAggregate::Never => false,
            MaliciousAggregate::Always => true,
            MaliciousAggregate::PooledOnly => rule_pools,
        }
    }
}

/// Which of `n_nodes` nodes are malicious: ⌊βn⌉ of them, drawn from the seed.
pub fn malicious(seed: Seed, n_nodes: u32, share: f64) -> Vec<bool> {
    let mut is_malicious = vec![false; n_nodes as usize];
    let mut rng = seed.rng(Purpose::Malicious, 0, 0);
    for node in index::sample(&mut rng, n_nodes as usize, n_malicious(n_nodes, share) as usize) {
        is_malicious[node] = true;
    }
    is_malicious
}

/// ⌊βn⌉.
pub fn n_malicious(n_nodes: u32, share: f64) -> u32 {
    (share * f64::from(n_nodes)).round() as u32
}

impl Attack {
    /// As the paper and the summaries call it.
    pub fn name(&self) -> &'static str {
        match self {
            Attack::NoAttack => "no attack",
            Attack::Flip => "FLIP",
            Attack::Lie { .. } => "LIE",
            Attack::Ipm { .. } => "IPM",
            Attack::Adapt { .. } => "ADAPT",
            Attack::Shrink { .. } => "Shrink",
            Attack::Noise { .. } => "Noise",
        }
    }

    /// When the attacker makes its messages one by one, for whom they are for; otherwise it broadcasts its own model.
    pub fn crafts(&self) -> Option<Knowledge> {
        match *self {
            Attack::NoAttack | Attack::Flip => None,
            Attack::Lie { knowledge, .. }
            | Attack::Ipm { knowledge, .. }
            | Attack::Adapt { knowledge, .. }
            | Attack::Shrink { knowledge, .. }
            | Attack::Noise { knowledge, .. } => Some(knowledge),
        }
    }

    /// Whether the attacker reads its victims' histories, so that these must be at hand whatever the defence.
    pub fn reads_history(&self) -> bool {
        matches!(self, Attack::Adapt { .. })
    }

    /// How often the attacker needs to look at all honest models, if at all.
    pub fn surveys(&self) -> Option<Survey> {
        match *self {
            Attack::Lie { survey, .. } => Some(survey),
            _ => None,
        }
    }
}

fn fifty() -> u32 {
    50
}

impl LieZ {
    /// z for `m` malicious of `n` nodes; `None` where the quantile does not exist.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_malicious_set_has_the_rounded_size_and_follows_the_seed() {
        for (n, share, want) in [(100, 0.2, 20), (10, 0.25, 3), (3, 0.1, 0), (1, 0.0, 0), (5, 0.5, 3)] {
            assert_eq!(malicious(Seed(1), n, share).iter().filter(|&&m| m).count(), want, "{share} of {n}");
        }
        assert_eq!(malicious(Seed(1), 100, 0.2), malicious(Seed(1), 100, 0.2));
        assert_ne!(malicious(Seed(1), 100, 0.2), malicious(Seed(2), 100, 0.2));
    }
}
