//! One query's documents: their factors, their grades, and what the features show of them.

use super::profile::Profile;
use super::world::{Factors, Feature, N_FACTORS, N_RELEVANT, Units, World, bell, length};
use crate::corpus::letor::normalize;
use crate::rng::{Pcg64, Purpose, Seed};

/// One query's documents, in rows.
#[derive(Debug)]
pub struct Candidates {
    pub features: Vec<f32>,
    pub grades: Vec<u8>,
}

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
            centre: std::array::from_fn(|_| 0.5 * bell(rng)),
            weights: std::array::from_fn(|_| 0.12 * bell(rng)),
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

/// The `q`th query of a stream.
pub fn draw(world: &World, profile: &Profile, seed: Seed, stream: u64, q: u64) -> Candidates {
    let rng = &mut seed.rng(Purpose::SyntheticQuery, stream, q);
    let n = length(profile, rng);
    let slant = Slant::draw(rng);
    let mut raw = Vec::with_capacity(n * profile.n_features);
    let grades = (0..n)
        .map(|_| {
            let factors = slant.factors(rng);
            let merit = merit(world, profile, &slant, &factors, rng);
            raw.extend(world.features.iter().map(|feature| see(feature, &factors, rng)));
            world.thresholds.iter().filter(|&&threshold| merit >= threshold).count() as u8
        })
        .collect();
    let mut features = vec![0.0; raw.len()];
    normalize(&raw, profile.n_features, &mut features);
    Candidates { features, grades }
}

fn see(feature: &Feature, factors: &[f64; N_FACTORS], rng: &mut Pcg64) -> f64 {
    let signal: f64 = feature.factors.iter().zip(&feature.loads).map(|(&factor, load)| load * factors[factor]).sum();
    let seen = feature.clarity * signal + (1.0 - feature.clarity * feature.clarity).sqrt() * bell(rng);
    match feature.units {
        Units::Plain => seen,
        Units::HeavyTailed => {
            let raised = (seen + 2.5).max(0.0);
            let cubed = raised * raised * raised;
            cubed * cubed
        }
        Units::Sparse(threshold) => (seen - threshold).max(0.0),
        Units::Binary(threshold) => f64::from(u8::from(seen > threshold)),
        Units::Constant => 1.0,
    }
}
