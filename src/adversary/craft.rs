//! Makes messages for one victim each, with full knowledge of its model.

use super::adapt::adapt;
use super::{Attack, IpmForm};
use crate::corpus::ClickTable;
use crate::math;
use crate::node::{Node, Protocol, Rehearsal};
use crate::rng::{Purpose, RngExt, uniform};
use crate::units::NodeId;
use serde::{Deserialize, Serialize};

/// The coordinate-wise mean and standard deviation of all honest models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Population {
    /// The mean of each weight.
    pub mean: Vec<f64>,
    /// The standard deviation of each weight.
    pub sd: Vec<f64>,
}

impl Population {
    /// The population of these models. The standard deviation of a single model is 0.
    // CHOICE(lie-ddof): the paper does not say which standard deviation; this one divides by n − 1.
    pub fn of(models: &[&[f32]]) -> Self {
        let coordinate = |c: usize| math::mean_sd(&models.iter().map(|theta| f64::from(theta[c])).collect::<Vec<_>>());
        let (mean, sd) = (0..models.first().map_or(0, |theta| theta.len())).map(coordinate).unzip();
        Self { mean, sd }
    }

    /// The message of LIE: μ − z σ.
    pub fn lie(&self, z: f64) -> Vec<f32> {
        self.mean.iter().zip(&self.sd).map(|(mean, sd)| (mean - z * sd) as f32).collect()
    }
}

/// A message for one victim.
#[derive(Debug, Clone, PartialEq)]
pub struct Crafted {
    /// The weights that it carries.
    pub theta: Vec<f32>,
    /// Whether these are the unchanged weights of the victim. Such a message tells nothing about a defence.
    pub is_noop: bool,
}

/// Makes the `nth` message of `attacker`, sent in its broadcast of that number, for `victim`. LIE needs the `population` and its z.
pub fn craft(
    attack: &Attack,
    attacker: NodeId,
    (broadcast, nth): (u64, u64),
    victim: &Node,
    protocol: &Protocol,
    honest: &ClickTable,
    population: Option<(&Population, f64)>,
) -> Crafted {
    let own = victim.theta();
    let theta: Vec<f32> = match *attack {
        Attack::NoAttack | Attack::Flip | Attack::Stale { .. } | Attack::Mix(_) => own.to_vec(),
        Attack::Lie { .. } => population.map_or_else(|| own.to_vec(), |(population, z)| population.lie(z)),
        Attack::Ipm { form: IpmForm::NegatedModel, epsilon, .. } => scaled(own, -epsilon),
        Attack::Ipm { form: IpmForm::Step, epsilon, .. } => {
            let draw = |purpose, nth| protocol.seed.rng(purpose, attacker.0.into(), nth);
            // CHOICE(ipm-query): one query per turn of the attacker; ranking and clicks anew for each victim.
            let query = draw(Purpose::CraftQuery, broadcast).random_range(0..protocol.train.n_queries() as u32);
            let mut rehearsal = Rehearsal::default();
            let (mut ranking_rng, mut click_rng) = (draw(Purpose::CraftRanking, nth), draw(Purpose::CraftClicks, nth));
            victim.rehearse(protocol, query, honest, &mut ranking_rng, &mut click_rng, &mut rehearsal);
            own.iter().zip(&rehearsal.gradient).map(|(&w, g)| (f64::from(w) - epsilon * protocol.ranker.eta() * g) as f32).collect()
        }
        Attack::Adapt { kappa, steps, send, .. } => adapt(victim, protocol, kappa, steps, send),
        Attack::Shrink { c, .. } => scaled(own, c),
        Attack::Noise { sd, .. } => {
            let mut rng = protocol.seed.rng(Purpose::Noise, attacker.0.into(), nth);
            own.iter().map(|&w| (f64::from(w) + sd * math::normal_quantile(uniform(&mut rng))) as f32).collect()
        }
    };
    Crafted { is_noop: theta == own, theta }
}

fn scaled(theta: &[f32], factor: f64) -> Vec<f32> {
    theta.iter().map(|&w| (f64::from(w) * factor) as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lie_by_hand() {
        let population = Population::of(&[&[1.0, 2.0], &[3.0, 2.0]]);
        assert_eq!((&population.mean, &population.sd), (&vec![2.0, 2.0], &vec![2f64.sqrt(), 0.0]));
        assert_eq!(population.lie(0.5), [(2.0 - 0.5 * 2f64.sqrt()) as f32, 2.0]);
    }

    #[test]
    fn one_honest_node_has_no_spread() {
        assert_eq!(Population::of(&[&[1.0, -2.0]]).lie(0.8), [1.0, -2.0]);
    }

    #[test]
    fn z_of_the_paper() {
        use crate::adversary::LieZ;
        assert!((LieZ::Majority.value(100, 20).expect("it exists") - 0.2858408748811657).abs() < 1e-12);
        assert!((LieZ::OneMinusBeta.value(100, 20).expect("it exists") - 0.8416212335729136).abs() < 1e-12);
        assert_eq!(LieZ::Majority.value(10, 6), None, "a majority needs nobody else");
        assert_eq!(LieZ::Value(1.5).value(3, 1), Some(1.5));
    }
}
