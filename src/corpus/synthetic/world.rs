//! The hidden structure that all queries share: which factors matter, how features see them, and the thresholds between grades.

use super::profile::Profile;
use super::query::{Slant, merit};
use crate::math;
use crate::rng::{Pcg64, Purpose, Rng, Seed, uniform};

/// The number of hidden factors of a document. Every feature sees factor 0, the common one.
pub const N_FACTORS: usize = 16;
/// The number of factors, the first ones, that matter to judges. The others only show in features.
pub const N_RELEVANT: usize = 10;

/// Factor 1 is the main factor of the most families. Each further factor is the main one of `FALL` times as many families as the factor
/// before it, as the eigenvalues of real data fall. The last factors hardly show in features: a single learner does not find them, many
/// together do.
const FALL: f64 = 0.65;

/// The weight of the common factor for judges; every other relevant factor has the weight 1. A learner finds the common factor first. If it
/// weighed more, less would be left to learn together.
const COMMON_WORTH: f64 = 0.25;

/// The lowest correlation of a feature with the signal of its family, before units are applied. A lower value raises the effective
/// dimension.
const LEAST_CLARITY: f64 = 0.9;

/// The share of features that are constant. The profile gives the share of flags, and features of no other kind are plain. With these
/// shares about half of all values are below 0.05, as in real data.
const CONSTANT_SHARE: f64 = 0.03;
/// The share of heavy-tailed features.
const HEAVY_SHARE: f64 = 0.4;
/// The share of sparse features.
const SPARSE_SHARE: f64 = 0.3;

/// The number of documents drawn to find the thresholds between grades.
const N_CALIBRATION: u64 = 40_000;

/// The hidden factors of a document.
pub type Factors = [f64; N_FACTORS];

/// The structure that all queries of a data set share.
#[derive(Debug)]
pub struct World {
    /// The weight of each relevant factor.
    pub weights: [f64; N_RELEVANT],
    /// Pairs of factors whose product matters, each with its weight.
    pub products: Vec<(usize, usize, f64)>,
    /// How each feature sees a document.
    pub features: Vec<Feature>,
    /// The thresholds between grades. The grade of a document is the number of thresholds that its merit reaches.
    pub thresholds: Vec<f64>,
}

/// How a feature sees a document: it adds up three factors and noise, and converts the sum to its own units.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// The factors that it sees.
    pub factors: [usize; 3],
    /// How much it sees of each of them.
    pub loads: [f64; 3],
    /// The standard deviation of its noise.
    pub noise: f64,
    /// The units of its values.
    pub units: Units,
}

/// The units in which a feature gives its values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Units {
    /// The sum as it is.
    Plain,
    /// Few documents have large values, as with counts and lengths.
    HeavyTailed,
    /// 0 below the threshold.
    Sparse(f64),
    /// 1 above the mean, otherwise 0.
    Flag,
    /// 1 for every document.
    Constant,
}

impl World {
    /// Draws the world of a seed.
    pub fn draw(profile: &Profile, seed: Seed) -> Self {
        let rng = &mut seed.rng(Purpose::SyntheticWorld, 0, 0);
        // The sum of factors has the variance 0.72 and the products have 0.27, so merit without noise has about 1.
        let mut weights = [1.0; N_RELEVANT];
        weights[0] = COMMON_WORTH;
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
    let families = families(profile, rng);
    let n = profile.n_features;
    let (kinds, levels, clarities) = (spread(n, rng), spread(n, rng), spread(n, rng));
    (0..n)
        .map(|f| {
            let (factors, loads) = families[f / profile.family];
            let units = units(profile, kinds[f], levels[f]);
            // A flag shows nothing of its family.
            let clarity = if units == Units::Flag { 0.0 } else { LEAST_CLARITY + (1.0 - LEAST_CLARITY) * clarities[f] };
            Feature { factors, loads: loads.map(|load| clarity * load), noise: (1.0 - clarity * clarity).sqrt(), units }
        })
        .collect()
}

/// The factors of each family, and how much it sees of them: the common factor, its main factor, and a little of another one.
fn families(profile: &Profile, rng: &mut Pcg64) -> Vec<([usize; 3], [f64; 3])> {
    let n = profile.n_features.div_ceil(profile.family);
    let common = profile.common_load;
    let own = (1.0 - common * common).sqrt();
    let (others, other_signs) = (spread(n, rng), spread(n, rng));
    (0..n)
        .map(|family| {
            let main = main_factor((family as f64 + 0.5) / n as f64);
            let step = 1 + (others[family] * (N_FACTORS - 2) as f64) as usize;
            let other = 1 + (main - 1 + step) % (N_FACTORS - 1);
            // For one family in three the sign of the main factor is negative: less is better.
            let sign = if family % 3 == 2 { -1.0 } else { 1.0 };
            let other_sign = if other_signs[family] < 0.5 { -1.0 } else { 1.0 };
            // 0.9² + 0.44² = 1, so the signal of a family has the variance 1.
            ([0, main, other], [common, own * 0.9 * sign, own * 0.44 * other_sign])
        })
        .collect()
}

/// The main factor of the family at place `u`, where 0 is the first family and 1 the last.
fn main_factor(u: f64) -> usize {
    let share_up_to = |factor: usize| 1.0 - math::pow(FALL, factor as f64);
    let u = u * share_up_to(N_FACTORS - 1);
    (1..N_FACTORS).find(|&factor| u < share_up_to(factor)).expect("u below 1")
}

fn units(profile: &Profile, kind: f64, level: f64) -> Units {
    let flags = CONSTANT_SHARE + profile.flag_share;
    let heavy = flags + HEAVY_SHARE;
    match kind {
        ..CONSTANT_SHARE => Units::Constant,
        kind if kind < flags => Units::Flag,
        kind if kind < heavy => Units::HeavyTailed,
        kind if kind < heavy + SPARSE_SHARE => Units::Sparse(level),
        _ => Units::Plain,
    }
}

/// `n` numbers spread evenly between 0 and 1, in random order. A seed thus decides which features are flags, for example, but not how many:
/// no seed is much harder than another.
fn spread(n: usize, rng: &mut Pcg64) -> Vec<f64> {
    let mut numbers: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
    for i in (1..n).rev() {
        numbers.swap(i, (uniform(rng) * (i + 1) as f64) as usize);
    }
    numbers
}

/// The merits that divide a large sample into the profile's label shares.
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

/// A bell-shaped number with mean 0 and variance 1: the sum of four uniform numbers from the bits of one draw. It is cheap, and no part of
/// the generator needs exact tails.
pub fn bell(rng: &mut impl Rng) -> f64 {
    let bits = rng.next_u64();
    let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
    (sum as f64 / 65_535.0 - 2.0) * 1.732_050_807_568_877_2
}

/// Draws the number of documents of a query, log-normal within the profile's limits.
pub fn length(profile: &Profile, rng: &mut Pcg64) -> usize {
    let length = profile.median_length * math::exp(profile.length_spread * math::normal_quantile(uniform(rng)));
    (length.round() as u32).clamp(profile.shortest, profile.longest) as usize
}
