//! Rules that accept a received model if it is near the own one: BALANCE, and SketchGuard, which measures on sketches.
//!
//! BALANCE is from Fang, Zhang, Hairi, Khanduri, Liu, Lu, Liu, Gong: "Byzantine-Robust Decentralized Federated Learning", CCS 2024. Node u
//! accepts θ_v if ‖θ_u − θ_v‖ ≤ γ exp(−κ λ(t)) ‖θ_u‖, with λ(t) = t/T in its experiments, and moves to α θ_u + (1 − α) · the mean of all
//! models that it accepted in the round.
//!
//! SketchGuard is from Rangwala, Azzedin, Sinnott, Buyya: "SketchGuard: Scaling Byzantine-Robust Decentralized Federated Learning via
//! Sketch-Based Screening", 2025. Its test is the same on count sketches; whole models are then fetched from accepted senders and merged.
//!
//! Both formulas stay as they are where they suit this setting badly. Fresh models are independent random vectors of one length and thus
//! √2 lengths apart, so with γ = 0.3 nodes accept nothing until their own searches have brought their models together.

use crate::math;
use crate::rng::{Purpose, Seed};

/// The parameters of the test, and of the merge that follows.
// CHOICE(pairwise): these rules, and Sentinel, average what they accepted in a round. Here there are no rounds: every model is judged on
// arrival and is the whole mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// γ: how far a model may be away at first, in lengths of the own one.
    pub gamma: f64,
    /// κ: how fast this distance shrinks.
    pub kappa: f64,
    /// T: the number of searches after which it shrinks no more.
    pub horizon: u32,
    /// The weight of the own model in a merge.
    pub own_weight: f64,
}

impl Nearness {
    /// γ exp(−κ t/T): how far a model may be away after `n_searches` searches, in lengths of the own one.
    // CHOICE(balance-time): the paper's t counts rounds, of which T are planned. Here nobody knows when a run ends: t is the number of the
    // node's own searches, T a parameter, and t/T at most 1. A node that loses its model counts on.
    pub fn radius(&self, n_searches: u64) -> f64 {
        let passed = (n_searches as f64 / f64::from(self.horizon)).min(1.0);
        self.gamma * math::exp(-self.kappa * passed)
    }

    /// Whether `received` is near enough to `own` after `n_searches` searches. Both are models, or sketches of models.
    // CHOICE(no-evidence): the formula also decides where the own model is zero: it then accepts nothing but its equal.
    pub fn accepts(&self, n_searches: u64, own: &[f64], received: &[f64]) -> bool {
        let distance = norm(own.iter().zip(received).map(|(u, v)| u - v));
        distance <= self.radius(n_searches) * norm(own.iter().copied())
    }
}

/// A count sketch: each weight is added to or taken from one of a few buckets. Distances between sketches are those between models, on
/// average over the choice of buckets and signs.
// CHOICE(sketch): one row of buckets, drawn from the run's seed, the same for all nodes and for the whole run. Whoever knows it can hide a
// change from it, but no attack here does.
#[derive(Debug, Clone, PartialEq)]
pub struct CountSketch {
    width: usize,
    /// By weight: its bucket, and whether it is taken away.
    cells: Vec<(u32, bool)>,
}

impl CountSketch {
    /// The sketch of a run's models, which have `n_weights` weights, into `width` buckets.
    pub fn new(seed: Seed, width: u32, n_weights: usize) -> Self {
        let cell = |weight: u64| {
            let drawn = (seed.uniform(Purpose::Sketch, 0, weight) * 2.0 * f64::from(width)) as u32;
            (drawn / 2, drawn % 2 == 1)
        };
        Self { width: width as usize, cells: (0..n_weights as u64).map(cell).collect() }
    }

    /// The sketch of a model.
    pub fn of(&self, theta: &[f32]) -> Vec<f64> {
        let mut buckets = vec![0.0; self.width];
        for (&weight, &(bucket, is_taken)) in theta.iter().zip(&self.cells) {
            let weight = f64::from(weight);
            buckets[bucket as usize] += if is_taken { -weight } else { weight };
        }
        buckets
    }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rule(gamma: f64) -> Nearness {
        Nearness { gamma, kappa: 1.0, horizon: 300, own_weight: 0.5 }
    }

    #[track_caller]
    fn check(n_searches: u64, received: [f64; 2], expect: bool) {
        assert_eq!(rule(0.3).accepts(n_searches, &[3.0, 4.0], &received), expect, "{n_searches} {received:?}");
    }

    #[test]
    fn balance_by_hand() {
        // |θ_u| = 5: the radius is 1.5 at first, 1.5/√e = 0.9098 halfway, and 1.5/e = 0.5518 from 300 searches on.
        check(0, [3.0, 5.5], true);
        check(0, [3.0, 5.51], false);
        check(150, [3.909, 4.0], true);
        check(150, [3.91, 4.0], false);
        check(300, [3.0, 3.449], true);
        check(300, [3.0, 3.448], false);
        check(1_000_000, [3.0, 3.449], true);
        check(1_000_000, [3.0, 4.0], true);
        // −θ_u is two lengths away.
        check(0, [-3.0, -4.0], false);
    }

    #[test]
    fn a_model_of_zeros_accepts_nothing_but_its_equal() {
        assert!(rule(0.3).accepts(0, &[0.0, 0.0], &[0.0, 0.0]));
        assert!(!rule(0.3).accepts(0, &[0.0, 0.0], &[1e-30, 0.0]));
    }

    #[test]
    fn a_sketch_adds_each_weight_to_one_bucket_with_one_sign() {
        let sketch = CountSketch::new(Seed(1), 4, 9);
        let mut counts = [0; 4];
        for c in 0..9 {
            let unit: Vec<f32> = (0..9).map(|i| f32::from(u8::from(i == c))).collect();
            let buckets = sketch.of(&unit);
            assert_eq!(buckets.iter().map(|b| b.abs()).sum::<f64>(), 1.0);
            counts[buckets.iter().position(|b| *b != 0.0).expect("one")] += 1;
        }
        assert_eq!(counts.iter().sum::<i32>(), 9);
        assert_eq!(sketch, CountSketch::new(Seed(1), 4, 9));
        assert_ne!(sketch, CountSketch::new(Seed(2), 4, 9));
    }

    #[test]
    fn every_bucket_and_sign_is_as_likely() {
        let mut counts = [[0.0f64; 2]; 8];
        CountSketch::new(Seed(3), 8, 16_000).cells.iter().for_each(|&(bucket, sign)| counts[bucket as usize][usize::from(sign)] += 1.0);
        // χ² with 15 degrees of freedom at 99.9 %: 37.7.
        let chi2: f64 = counts.iter().flatten().map(|c| (c - 1_000.0) * (c - 1_000.0) / 1_000.0).sum();
        assert!(chi2 < 37.7, "χ² = {chi2}");
    }

    #[test]
    fn inner_products_are_preserved_on_average_over_seeds() {
        let (x, y): (Vec<f32>, Vec<f32>) = (0..46).map(|i| ((i * 7 % 13) as f32 - 5.0, (i * 5 % 11) as f32 - 3.0)).unzip();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let wide = |v: &[f32]| v.iter().copied().map(f64::from).collect::<Vec<_>>();
        let (truth, n) = (dot(&wide(&x), &wide(&y)), 20_000);
        let products: Vec<f64> = (0..n)
            .map(|seed| {
                let sketch = CountSketch::new(Seed(seed), 32, 46);
                dot(&sketch.of(&x), &sketch.of(&y))
            })
            .collect();
        let (mean, sd) = math::mean_sd(&products);
        // The variance of one is (|x|²|y|² + ⟨x, y⟩² − 2 Σ x²y²) / width; the mean of many is within four standard errors.
        let squares: f64 = x.iter().zip(&y).map(|(x, y)| f64::from(x * x * y * y)).sum();
        let want = ((dot(&wide(&x), &wide(&x)) * dot(&wide(&y), &wide(&y)) + truth * truth - 2.0 * squares) / 32.0).sqrt();
        assert!((sd / want - 1.0).abs() < 0.05, "{sd}, not {want}");
        assert!((mean - truth).abs() < 4.0 * want / (n as f64).sqrt(), "{mean}, not {truth}");
    }

    proptest! {
        #[test]
        fn balance_accepts_if_and_only_if_the_inequality_holds(
            own in prop::collection::vec(-2.0..2.0f64, 5),
            step in prop::collection::vec(-2.0..2.0f64, 5),
            (gamma, kappa, t, horizon) in (0.0..3.0f64, 0.0..3.0f64, 0..900u64, 1..600u32),
        ) {
            let received: Vec<f64> = own.iter().zip(&step).map(|(u, s)| u + s).collect();
            let length = |v: &[f64]| v.iter().fold(0.0f64, |sum, x| sum.hypot(*x));
            let lambda = if t > u64::from(horizon) { 1.0 } else { t as f64 / f64::from(horizon) };
            let spare = gamma * libm::exp(-kappa * lambda) * length(&own) - length(&step);
            prop_assume!(spare.abs() > 1e-9);
            prop_assert_eq!(Nearness { gamma, kappa, horizon, own_weight: 0.5 }.accepts(t, &own, &received), spare > 0.0);
        }

        #[test]
        fn a_sketch_is_linear(x in prop::collection::vec(-8i16..8, 30), y in prop::collection::vec(-8i16..8, 30)) {
            // Small whole numbers have no rounding errors.
            let sketch = CountSketch::new(Seed(5), 7, 30);
            let narrow = |v: &[i16]| v.iter().copied().map(f32::from).collect::<Vec<_>>();
            let sum: Vec<i16> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
            let parts: Vec<f64> = sketch.of(&narrow(&x)).iter().zip(sketch.of(&narrow(&y))).map(|(x, y)| x + y).collect();
            prop_assert_eq!(sketch.of(&narrow(&sum)), parts);
        }
    }
}
