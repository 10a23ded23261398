//! What all queries share: which hidden factors matter, how features see them, and where one grade ends and the next begins.

use super::profile::Profile;
use super::query::{Slant, merit};
use crate::math;
use crate::rng::{Pcg64, Purpose, Rng, Seed, uniform};

/// Hidden factors of a document. The first `N_RELEVANT` matter to judges, the others only to features.
pub const N_FACTORS: usize = 16;
pub const N_RELEVANT: usize = 10;

/// Documents drawn to find the thresholds between grades.
const N_CALIBRATION: u64 = 40_000;

pub type Factors = [f64; N_FACTORS];

#[derive(Debug)]
pub struct World {
    /// What each relevant factor is worth.
    pub weights: [f64; N_RELEVANT],
    /// Pairs of factors that are worth something together.
    pub products: Vec<(usize, usize, f64)>,
    pub features: Vec<Feature>,
    /// A document has the grade of the number of thresholds below its merit.
    pub thresholds: Vec<f64>,
}

/// How a feature sees a document: two factors through noise, then in its own units.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    pub factors: [usize; 2],
    pub loads: [f64; 2],
    pub clarity: f64,
    pub units: Units,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Units {
    Plain,
    /// A few documents have nearly all of it, as with counts and lengths.
    HeavyTailed,
    /// Nothing below the threshold.
    Sparse(f64),
    /// 1 above the threshold, else 0.
    Binary(f64),
    Constant,
}

impl World {
    pub fn draw(profile: &Profile, seed: Seed) -> Self {
        let rng = &mut seed.rng(Purpose::SyntheticWorld, 0, 0);
        let mut weights = [0.0; N_RELEVANT];
        for (i, weight) in weights.iter_mut().enumerate() {
            // Falling slowly: no factor alone decides.
            *weight = 1.0 / (1.0 + 0.15 * i as f64);
        }
        let norm = weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        weights.iter_mut().for_each(|w| *w *= 0.85 / norm);
        let products = (0..4).map(|i| (2 * i, 2 * i + 1, if i % 2 == 0 { 0.26 } else { -0.26 })).collect();
        let features = features(profile, rng);
        let mut world = Self { weights, products, features, thresholds: Vec::new() };
        world.thresholds = thresholds(&world, profile, seed);
        world
    }
}

fn features(profile: &Profile, rng: &mut Pcg64) -> Vec<Feature> {
    let mut family = (0, 0, 0.0, 0.0);
    (0..profile.n_features)
        .map(|f| {
            if f % profile.family == 0 {
                let first = (f / profile.family) % N_FACTORS;
                let second = (uniform(rng) * N_FACTORS as f64) as usize;
                // A third of the families see their main factor from behind: less is better.
                let sign = if uniform(rng) < 0.33 { -1.0 } else { 1.0 };
                family = (first, second, sign * 0.9, 0.44 * if uniform(rng) < 0.5 { -1.0 } else { 1.0 });
            }
            let units = units(profile, uniform(rng), uniform(rng));
            let clarity = if matches!(units, Units::Binary(_)) { 0.0 } else { profile.clarity * (0.5 + uniform(rng)) };
            Feature { factors: [family.0, family.1], loads: [family.2, family.3], clarity, units }
        })
        .collect()
}

fn units(profile: &Profile, kind: f64, level: f64) -> Units {
    let flags = 0.03 + profile.flag_share;
    let heavy = flags + profile.heavy_share;
    match kind {
        ..0.03 => Units::Constant,
        kind if kind < flags => Units::Binary(2.0 * level - 1.0),
        kind if kind < heavy => Units::HeavyTailed,
        kind if kind < heavy + 0.15 => Units::Sparse(level),
        _ => Units::Plain,
    }
}

/// The merits that cut a large sample into the profile's label shares.
fn thresholds(world: &World, profile: &Profile, seed: Seed) -> Vec<f64> {
    let mut merits: Vec<f64> = (0..N_CALIBRATION / 20)
        .flat_map(|q| {
            let rng = &mut seed.rng(Purpose::SyntheticWorld, 1, q);
            let slant = Slant::draw(rng);
            (0..20).map(|_| merit(world, profile, &slant, &slant.factors(rng), rng)).collect::<Vec<_>>()
        })
        .collect();
    merits.sort_by(f64::total_cmp);
    let cumulated = profile.label_shares.iter().scan(0.0, |sum, share| {
        *sum += share;
        Some(*sum)
    });
    cumulated.take(profile.label_shares.len() - 1).map(|share| merits[(share * merits.len() as f64) as usize]).collect()
}

/// A bell-shaped number with mean 0 and variance 1: four uniform ones from the bits of one draw. Nothing here needs exact tails, and it is cheap.
pub fn bell(rng: &mut impl Rng) -> f64 {
    let bits = rng.next_u64();
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
    (sum as f64 / 65_535.0 - 2.0) * 1.732_050_807_568_877_2
}

/// A log-normal list length within the profile's limits.
pub fn length(profile: &Profile, rng: &mut Pcg64) -> usize {
    let length = profile.median_length * math::exp(profile.length_spread * math::normal_quantile(uniform(rng)));
    (length.round() as u32).clamp(profile.shortest, profile.longest) as usize
}
