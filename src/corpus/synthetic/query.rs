//! Draws the documents of one query: their factors, their grades and their features.

use super::profile::Profile;
use super::world::{Factors, Feature, N_RELEVANT, Units, World, bell};
use crate::corpus::letor::normalize;
use crate::rng::Pcg64;

/// The peculiarities of one query.
#[derive(Debug)]
pub struct Slant {
    /// The mean factors of its documents.
    centre: Factors,
    /// How much more or less its searchers value each factor than others do.
    weights: [f64; N_RELEVANT],
    /// How much its judges add to every merit.
    generosity: f64,
}

impl Slant {
    /// Draws the slant of a query.
    pub fn draw(rng: &mut Pcg64) -> Self {
        Self {
            // Together with the documents' own 0.87, this gives factors a variance of 1 over all queries.
            centre: std::array::from_fn(|_| 0.5 * bell(rng)),
            // This is seven tenths of a factor's weight of 0.28: queries disagree much, and a learner needs many to find what they share.
            weights: std::array::from_fn(|_| 0.2 * bell(rng)),
            generosity: 0.35 * bell(rng),
        }
    }

    /// Draws the factors of one document of the query.
    pub fn factors(&self, rng: &mut Pcg64) -> Factors {
        std::array::from_fn(|i| self.centre[i] + 0.87 * bell(rng))
    }
}

/// The merit of a document in the eyes of a query's judges.
pub fn merit(world: &World, profile: &Profile, slant: &Slant, factors: &Factors, rng: &mut Pcg64) -> f64 {
    let sum: f64 = (0..N_RELEVANT).map(|i| (world.weights[i] + slant.weights[i]) * factors[i]).sum();
    let products: f64 = world.products.iter().map(|&(i, j, weight)| weight * factors[i] * factors[j]).sum();
    sum + products + slant.generosity + profile.judge_noise * bell(rng)
}

/// Fills the rows of a query and returns their grades. `raw` is a buffer that is reused from query to query.
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
