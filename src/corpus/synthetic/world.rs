//! What all queries share: which hidden factors matter, how features see them, and where one grade ends and the next begins.

use super::profile::Profile;
use super::query::{Slant, merit};
use crate::math;
use crate::rng::{Pcg64, Purpose, Rng, Seed, uniform};

/// Hidden factors of a document. Every feature sees factor 0, the common one. The first `N_RELEVANT` matter to judges, the others only to features.
pub const N_FACTORS: usize = 16;
pub const N_RELEVANT: usize = 10;

/// Factor 1 is the main one of the most families, and each further factor of so many times as many as the one before, as eigenvalues of real
/// data fall. The last ones are hardly seen: what they tell is found by many learners together, not by one.
const FALL: f64 = 0.65;

/// What the common factor is worth to judges, where any other is worth 1. It is what a learner finds first; were it worth more, less would be left
/// to learn together.
const COMMON_WORTH: f64 = 0.25;

/// A feature's correlation with what its family sees, before its units, lies between this and 1. The lower, the higher the effective dimension.
const LEAST_CLARITY: f64 = 0.9;

/// Shares of features by their units. Flags are the profile's, the rest is plain. They leave about half of all values below 0.05, as in real data.
const CONSTANT_SHARE: f64 = 0.03;
const HEAVY_SHARE: f64 = 0.4;
const SPARSE_SHARE: f64 = 0.3;

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

/// How a feature sees a document: three factors through noise, then in its own units.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    pub factors: [usize; 3],
    pub loads: [f64; 3],
    pub noise: f64,
    pub units: Units,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Units {
    Plain,
    /// A few documents have nearly all of it, as with counts and lengths.
    HeavyTailed,
    /// Nothing below the threshold.
    Sparse(f64),
    /// 1 above the mean, else 0.
    Flag,
    Constant,
}

impl World {
    pub fn draw(profile: &Profile, seed: Seed) -> Self {
        let rng = &mut seed.rng(Purpose::SyntheticWorld, 0, 0);
        // The sum of factors has variance 0.72 and the products 0.27: together, merit without noise has about 1.
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
            // A flag tells nothing of its family.
            let clarity = if units == Units::Flag { 0.0 } else { LEAST_CLARITY + (1.0 - LEAST_CLARITY) * clarities[f] };
            Feature { factors, loads: loads.map(|load| clarity * load), noise: (1.0 - clarity * clarity).sqrt(), units }
        })
        .collect()
}

/// The factors of each family and how much it sees of them: the common one, its main one, and a little of another.
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
            // One family in three sees its main factor from behind: less is better.
            let sign = if family % 3 == 2 { -1.0 } else { 1.0 };
            let other_sign = if other_signs[family] < 0.5 { -1.0 } else { 1.0 };
            // 0.9² + 0.44² = 1: what a family sees has variance 1.
            ([0, main, other], [common, own * 0.9 * sign, own * 0.44 * other_sign])
        })
        .collect()
}

/// The main factor of the family at `u` between the first, 0, and the last, 1.
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

/// `n` numbers spread evenly between 0 and 1, in random order. A seed thus decides which features are flags, say, not how many: no seed is much
/// harder than another.
fn spread(n: usize, rng: &mut Pcg64) -> Vec<f64> {
    let mut numbers: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5) / n as f64).collect();
    for i in (1..n).rev() {
        numbers.swap(i, (uniform(rng) * (i + 1) as f64) as usize);
    }
    numbers
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
