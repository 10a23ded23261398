//! How much merging shrinks the spread of models, exactly, if weights do not depend on the models.
//!
//! Let n nodes have the models x₁ … xₙ, and let their mean be 0, which loses nothing as weights sum to 1. Their spread is V = Σ |x_u|².
//!
//! **One merge at every node.** Node u replaces x_u by y_u = w₀x_u + Σ wⱼx_{vⱼ}, where the vⱼ are different other nodes, drawn uniformly, and the
//! weights sum to 1 and are independent of the models. Summed over u, each squared term gives E(wⱼ²) V, since the expectation over a
//! uniformly drawn v and all u of |x_v|² is that of |x_u|². Each product of two different terms gives −E(wᵢwⱼ) V/(n − 1), since the sum of
//! ⟨x_u, x_v⟩ over all ordered pairs is −V. All products together have the weight 1 − D, with D = E(Σ wⱼ²). Hence
//!
//! Σ E|y_u|² = V (D − (1 − D)/(n − 1)) = V (nD − 1)/(n − 1).
//!
//! This is the spread around the old mean; around the new one it can only be smaller. Only D matters. Three cases:
//!
//! - s models and the own one, uniformly: D = 1/(s + 1), and the factor is (1/(s + 1))(1 − s/(n − 1)), the constant of EL-Oracle.
//! - The same where everybody sends to s others, so that the number of models is binomial: D = (n − 1)(1 − (1 − s/(n − 1))ⁿ)/(ns), and the factor
//!   is (1/s)(1 − (1 − s/(n − 1))ⁿ) − 1/(n − 1), the constant of EL-Local.
//! - One model by α: D = (1 − â)² + â² + 2v = 1/(s* + 1), and the factor is the constant of EL-Oracle with s* in the place of s.
//!
//! The last line is why s* is an in-degree. It needs that α is independent of x_u and x_v: RankGuard chooses α by looking at both.
//!
//! **One merge at one node**, as gossip has it. A uniformly drawn node u replaces x_u by x_u + d, d = α(x_v − x_u), with a uniformly drawn other v. The
//! mean moves by d/n, so that the spread around the new mean is V + |x_u + d|² − |x_u|² − |d|²/n. By the above, E|x_u + d|² is 1/n of V (nD − 1)/(n − 1),
//! and E|d|² is E(α²) · 2V/(n − 1). With 1 − D = 2(â − E(α²)) the share of V that is left is
//!
//! 1 − 2(â − (1 − 1/n) E(α²))/(n − 1).

use super::Weights;

/// The share of the spread around the old mean that is left after one merge at every node, if the squared weights sum to `squares` on average:
/// (nD − 1)/(n − 1).
pub fn after_merges(squares: f64, n_nodes: u32) -> f64 {
    let n = f64::from(n_nodes);
    (n * squares - 1.0) / (n - 1.0)
}

/// The constant of EL-Oracle for s models: (1/(s + 1))(1 − s/(n − 1)). For s* it is that of merges by α.
pub fn epidemic(s: f64, n_nodes: u32) -> f64 {
    (1.0 - s / (f64::from(n_nodes) - 1.0)) / (s + 1.0)
}

/// The share of the spread that is left after one merge at one node: 1 − 2(â − (1 − 1/n) E(α²))/(n − 1).
pub fn kept(weights: &Weights, n_nodes: u32) -> f64 {
    let n = f64::from(n_nodes);
    1.0 - 2.0 * (weights.mean() - (1.0 - 1.0 / n) * weights.mean_square()) / (n - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weights(alphas: &[f64]) -> Weights {
        let mut weights = Weights::default();
        alphas.iter().for_each(|&alpha| weights.add(alpha));
        weights
    }

    /// The sum of squared distances from a centre.
    fn around(center: f64, x: &[f64]) -> f64 {
        x.iter().map(|x| (x - center).powi(2)).sum()
    }

    fn mean(x: &[f64]) -> f64 {
        x.iter().sum::<f64>() / x.len() as f64
    }

    /// The mean over a list of cases.
    fn expected(cases: impl Iterator<Item = f64>) -> f64 {
        let (sum, n) = cases.fold((0.0, 0), |(sum, n), case| (sum + case, n + 1));
        sum / f64::from(n)
    }

    /// All (u, v, α) with u ≠ v.
    fn merges(n: usize, alphas: &[f64]) -> impl Iterator<Item = (usize, usize, f64)> {
        let pairs = (0..n).flat_map(move |u| (0..n).filter(move |v| *v != u).map(move |v| (u, v)));
        pairs.flat_map(move |(u, v)| alphas.iter().map(move |alpha| (u, v, *alpha)))
    }

    /// All sets of nodes, as bits.
    fn sets(n: usize) -> impl Iterator<Item = u32> {
        0..1u32 << n
    }

    fn average(x: &[f64], set: u32) -> f64 {
        let members = (0..x.len()).filter(|i| set >> i & 1 == 1);
        members.map(|i| x[i]).sum::<f64>() / f64::from(set.count_ones())
    }

    #[test]
    fn by_hand() {
        // −1 and 1: one of them goes to 0. The spread is 2 before and ½ after, around −½ or ½.
        assert_eq!(kept(&weights(&[0.5]), 2), 0.25);
        // One of two takes over the other's model; nothing is left.
        assert_eq!(kept(&weights(&[1.0]), 2), 0.0);
        assert_eq!(kept(&weights(&[0.0, 0.0]), 7), 1.0);
        // Everybody averages with everybody.
        assert_eq!(epidemic(4.0, 5), 0.0);
        assert_eq!(epidemic(1.0, 100), 0.5 * (98.0 / 99.0));
        assert_eq!(after_merges(1.0, 9), 1.0);
    }

    #[test]
    fn the_constant_of_el_oracle_is_that_of_uniform_averages() {
        let x = [0.3, -1.0, 2.0, 0.7, 5.0];
        for s in 1..5u32 {
            let of = |u: usize| {
                expected(
                    sets(5)
                        .filter(|set| set >> u & 1 == 1 && set.count_ones() == s + 1)
                        .map(|set| average(&x, set))
                        .map(|y| (y - mean(&x)).powi(2)),
                )
            };
            let after: f64 = (0..5).map(of).sum();
            assert!((after / around(mean(&x), &x) - epidemic(f64::from(s), 5)).abs() < 1e-12, "{s}");
        }
    }

    #[test]
    fn the_constant_of_el_local_follows_from_squared_weights() {
        let (x, n) = ([0.3, -1.0, 2.0, 0.7, 5.0], 5.0f64);
        for s in [1.0, 2.0, 3.0] {
            let p: f64 = s / (n - 1.0);
            let chance = |set: u32| p.powi(set.count_ones() as i32 - 1) * (1.0 - p).powi(5 - set.count_ones() as i32);
            let of = |u: usize| {
                sets(5).filter(|set| set >> u & 1 == 1).map(|set| chance(set) * (average(&x, set) - mean(&x)).powi(2)).sum::<f64>()
            };
            let after: f64 = (0..5).map(of).sum::<f64>() / around(mean(&x), &x);
            let squares = (n - 1.0) * (1.0 - (1.0 - p).powi(5)) / (n * s);
            let constant = (1.0 - (1.0 - p).powi(5)) / s - 1.0 / (n - 1.0);
            assert!((after - constant).abs() < 1e-12 && (after_merges(squares, 5) - constant).abs() < 1e-12, "{s}: {after} {constant}");
        }
    }

    proptest! {
        #[test]
        fn formulas_agree_with_enumeration(
            x in prop::collection::vec(-2.0..2.0f64, 2..7),
            alphas in prop::collection::vec(0.0..=1.0f64, 1..5),
        ) {
            let (n, before, weights) = (x.len() as u32, around(mean(&x), &x), weights(&alphas));
            prop_assume!(before > 1e-3);
            let s = weights.effective_in_degree().expect("there are judgements");
            // Every node merges once; what the others do does not matter to the spread around the old mean.
            let merged = |(u, v, alpha): (usize, usize, f64)| (1.0 - alpha) * x[u] + alpha * x[v];
            let after = f64::from(n) * expected(merges(x.len(), &alphas).map(|merge| (merged(merge) - mean(&x)).powi(2)));
            prop_assert!((after / before - epidemic(s, n)).abs() < 1e-9);
            prop_assert!((after / before - after_merges(weights.squared_weights(), n)).abs() < 1e-9);
            // One node merges; the spread is that around the new mean.
            let one = |merge: (usize, usize, f64)| {
                let mut x = x.clone();
                x[merge.0] = merged(merge);
                around(mean(&x), &x)
            };
            let after = expected(merges(x.len(), &alphas).map(one));
            prop_assert!((after / before - kept(&weights, n)).abs() < 1e-9);
        }
    }
}
