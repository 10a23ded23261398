//! One query's documents: their factors, their grades, and what the features show of them.

use super::profile::Profile;
use super::world::{Factors, Feature, N_RELEVANT, Units, World, bell};
use crate::corpus::letor::normalize;
use crate::rng::Pcg64;

/// What is peculiar to a query.
#[derive(Debug)]
pub struct Slant {
    /// Where its documents stand on average.
    centre: Factors,
    /// What its searchers value more or less than others do.
    weights: [f64; N_RELEVANT],
    /// How generous its judges are.
    generosity: f64,
}

impl Slant {
    pub fn draw(rng: &mut Pcg64) -> Self {
        Self {
            // With the documents' own 0.87, factors have variance 1 over all queries.
            centre: std::array::from_fn(|_| 0.5 * bell(rng)),
            // Seven tenths of a factor's weight of 0.28: queries disagree much, and it takes many to learn what they share.
            weights: std::array::from_fn(|_| 0.2 * bell(rng)),
            generosity: 0.35 * bell(rng),
        }
    }

    /// The factors of one of its documents.
    pub fn factors(&self, rng: &mut Pcg64) -> Factors {
        std::array::from_fn(|i| self.centre[i] + 0.87 * bell(rng))
    }
}

/// What a document is worth to the judges of a query.
pub fn merit(world: &World, profile: &Profile, slant: &Slant, factors: &Factors, rng: &mut Pcg64) -> f64 {
    let sum: f64 = (0..N_RELEVANT).map(|i| (world.weights[i] + slant.weights[i]) * factors[i]).sum();
    let products: f64 = world.products.iter().map(|&(i, j, weight)| weight * factors[i] * factors[j]).sum();
    sum + products + slant.generosity + profile.judge_noise * bell(rng)
}

/// Fills the rows of a query and returns their grades. `raw` is room to work in, kept from query to query.
pub fn draw(world: &World, profile: &Profile, rng: &mut Pcg64, raw: &mut Vec<f64>, rows: &mut [f32]) -> Vec<u8> {
    let slant = Slant::draw(rng);
    raw.clear();
    let grades = (0..rows.len() / profile.n_features)
        .map(|_| {
            let factors = slant.factors(rng);
            let merit = merit(world, profile, &slant, &factors, rng);
            raw.extend(world.features.iter().map(|feature| see(feature, &factors, rng)));
            world.thresholds.iter().filter(|&&threshold| merit >= threshold).count() as u8
        })
        .collect();
    normalize(raw, profile.n_features, rows);
    grades
}

fn see(feature: &Feature, factors: &Factors, rng: &mut Pcg64) -> f64 {
    let signal: f64 = feature.factors.iter().zip(&feature.loads).map(|(&factor, load)| load * factors[factor]).sum();
    let seen = signal + feature.noise * bell(rng);
    match feature.units {
        Units::Plain => seen,
        Units::HeavyTailed => {
            let raised = (seen + 2.5).max(0.0);
            let cubed = raised * raised * raised;
            cubed * cubed
        }
        Units::Sparse(threshold) => (seen - threshold).max(0.0),
        Units::Flag => f64::from(u8::from(seen > 0.0)),
        Units::Constant => 1.0,
    }
}
