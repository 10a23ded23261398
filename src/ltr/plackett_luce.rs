//! The Plackett–Luce model: it draws rankings, and tells how much exchanging two positions changes the probability of a ranking.

use crate::math;

/// Draws a ranking of `k` of the scored documents without replacement, best first, at temperature 1.
///
/// It adds independent Gumbel noise to the scores and takes the top k, which has the same distribution as drawing one document after
/// another. It draws noise for every document, in index order.
pub fn sample_ranking(scores: &[f64], k: usize, mut uniform: impl FnMut() -> f64) -> Vec<u32> {
    let mut best: Vec<(f64, u32)> = Vec::with_capacity(k + 1);
    for (document, score) in (0u32..).zip(scores) {
        let key = score - math::ln(-math::ln(uniform()));
        if best.len() < k || best.last().is_some_and(|worst| key > worst.0) {
            let position = best.partition_point(|other| other.0 >= key);
            best.insert(position, (key, document));
            best.truncate(k);
        }
    }
    best.into_iter().map(|(_, document)| document).collect()
}

/// log P(R | D): the log-probability that the shown documents were drawn in this order.
pub fn log_probability(scores: &[f64], ranking: &[u32]) -> f64 {
    let slate = Slate::new(scores, ranking);
    (0..ranking.len()).map(|r| slate.scores[r] - slate.log_mass_from(r)).sum()
}

/// A shown ranking, with the mass e^score of all candidates that it was drawn from.
#[derive(Debug, Clone)]
pub struct Slate {
    /// The score at each position, less the largest score of all candidates.
    scores: Vec<f64>,
    /// e^score at each position.
    mass: Vec<f64>,
    /// `suffix[r]` is the mass of the candidates not shown and of the positions from r on.
    suffix: Vec<f64>,
    /// log Σ e^score over the candidates not shown.
    log_unshown: f64,
}

/// Scores further below the best score than this have masses that are too small to be added up directly.
const TAME: f64 = -600.0;

impl Slate {
    /// The slate of a ranking drawn from documents with these scores.
    pub fn new(scores: &[f64], ranking: &[u32]) -> Self {
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shown: Vec<f64> = ranking.iter().map(|&document| scores[document as usize] - max).collect();
        let mass: Vec<f64> = shown.iter().map(|&s| math::exp(s)).collect();
        let is_shown = |document: usize| ranking.iter().any(|&r| r as usize == document);
        let unshown: Vec<f64> = scores.iter().enumerate().filter(|&(i, _)| !is_shown(i)).map(|(_, s)| s - max).collect();
        let top_unshown = unshown.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let unshown_mass: f64 = unshown.iter().map(|s| math::exp(s - top_unshown)).sum();
        let log_unshown = if unshown.is_empty() { f64::NEG_INFINITY } else { top_unshown + math::ln(unshown_mass) };
        let mut suffix = vec![math::exp(log_unshown); ranking.len() + 1];
        for r in (0..ranking.len()).rev() {
            suffix[r] = suffix[r + 1] + mass[r];
        }
        Self { scores: shown, mass, suffix, log_unshown }
    }

    /// ρ = P(R*) / (P(R) + P(R*)), where R* is the ranking with positions `a` and `b` exchanged. It does not matter which of them was
    /// clicked.
    // PAPER: eq. (2), in closed form: P(R)/P(R*) = Π over r = lo+1..hi of (Z_r − e_hi + e_lo) / Z_r.
    pub fn rho(&self, a: usize, b: usize) -> f64 {
        let (lo, hi) = (a.min(b), a.max(b));
        if self.scores.iter().all(|&s| s > TAME) { self.rho_by_mass(lo, hi) } else { self.rho_by_logs(lo, hi) }
    }

    /// ρ from masses. All factors of the ratio lie on one side of 1, so their product may overflow or vanish but never becomes NaN.
    fn rho_by_mass(&self, lo: usize, hi: usize) -> f64 {
        // This is Z_r with the document at hi replaced by the one at lo. It is built up without subtractions.
        let mut exchanged = self.suffix[hi + 1] + self.mass[lo];
        let mut ratio = exchanged / self.suffix[hi];
        for r in (lo + 1..hi).rev() {
            exchanged += self.mass[r];
            ratio *= exchanged / self.suffix[r];
        }
        1.0 / (1.0 + ratio)
    }

    /// ρ from logarithms, for scores so far apart that some masses vanish.
    fn rho_by_logs(&self, lo: usize, hi: usize) -> f64 {
        let mut exchanged = math::log_add_exp(self.log_mass_from(hi + 1), self.scores[lo]);
        let mut log_ratio = exchanged - self.log_mass_from(hi);
        for r in (lo + 1..hi).rev() {
            exchanged = math::log_add_exp(exchanged, self.scores[r]);
            log_ratio += exchanged - self.log_mass_from(r);
        }
        math::sigmoid(-log_ratio)
    }

    fn log_mass_from(&self, r: usize) -> f64 {
        self.scores[r..].iter().rev().fold(self.log_unshown, |mass, &s| math::log_add_exp(mass, s))
    }

    /// The margin s_a − s_b of two positions.
    pub fn margin(&self, a: usize, b: usize) -> f64 {
        self.scores[a] - self.scores[b]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// ρ from the definition: exchange the two documents and compare probabilities.
    fn rho_by_definition(scores: &[f64], ranking: &[u32], a: usize, b: usize) -> f64 {
        let mut exchanged = ranking.to_vec();
        exchanged.swap(a, b);
        math::sigmoid(log_probability(scores, &exchanged) - log_probability(scores, ranking))
    }

    #[test]
    fn two_equal_documents_prefer_neither() {
        assert_eq!(Slate::new(&[0.3, 0.3, 1.0], &[2, 0, 1]).rho(1, 2), 0.5);
    }

    #[test]
    fn rho_by_hand() {
        // R = (a, b) of masses 1 and 3: P(R) = ¼, P(R*) = ¾.
        let rho = Slate::new(&[0.0, math::ln(3.0)], &[0, 1]).rho(0, 1);
        assert!((rho - 0.75).abs() < 1e-15, "{rho}");
    }

    #[test]
    fn probabilities_of_all_rankings_add_up() {
        let scores = [0.2, -1.0, 2.5, 0.0];
        let mut total = 0.0;
        for a in 0..4u32 {
            for b in (0..4).filter(|&b| b != a) {
                total += math::exp(log_probability(&scores, &[a, b]));
            }
        }
        assert!((total - 1.0).abs() < 1e-14);
    }

    #[test]
    fn draws_follow_the_model() {
        use crate::rng::{Purpose, Seed, uniform};
        let scores = [0.5, -0.5, 1.0, 0.0];
        let n = 40_000;
        let mut counts = std::collections::BTreeMap::<Vec<u32>, f64>::new();
        for nth in 0..n {
            let mut rng = Seed(2).rng(Purpose::Ranking, 0, nth);
            *counts.entry(sample_ranking(&scores, 2, || uniform(&mut rng))).or_default() += 1.0;
        }
        assert_eq!(counts.len(), 12);
        // χ² with 11 degrees of freedom at 99.9 %: 31.3.
        let chi2: f64 = counts
            .iter()
            .map(|(ranking, count)| (math::exp(log_probability(&scores, ranking)) * n as f64, count))
            .map(|(want, got)| (got - want) * (got - want) / want)
            .sum();
        assert!(chi2 < 31.3, "χ² = {chi2}");
    }

    proptest! {
        #[test]
        fn rho_matches_its_definition(scores in prop::collection::vec(-20.0..20.0f64, 2..14), k in 2usize..10, a in 0usize..10, b in 0usize..10) {
            let k = k.min(scores.len());
            let ranking: Vec<u32> = (0..k as u32).rev().collect();
            let a = a % k;
            let b = (a + 1 + b % (k - 1)) % k;
            let slate = Slate::new(&scores, &ranking);
            let want = rho_by_definition(&scores, &ranking, a, b);
            prop_assert!((slate.rho(a, b) - want).abs() < 1e-12);
            prop_assert!((slate.rho_by_logs(a.min(b), a.max(b)) - want).abs() < 1e-12);
            prop_assert_eq!(slate.rho(a, b), slate.rho(b, a));
        }

        #[test]
        fn rho_is_finite_for_any_finite_scores(scores in prop::collection::vec(-1e38..1e38f64, 2..12), scale in -38i32..1) {
            let scores: Vec<f64> = scores.iter().map(|s| s * 10f64.powi(scale)).collect();
            let ranking: Vec<u32> = (0..scores.len().min(10) as u32).collect();
            let slate = Slate::new(&scores, &ranking);
            for a in 0..ranking.len() {
                for b in 0..a {
                    let rho = slate.rho(a, b);
                    prop_assert!((0.0..=1.0).contains(&rho), "{rho}");
                }
            }
        }

        #[test]
        fn a_ranking_holds_k_different_documents(scores in prop::collection::vec(-50.0..50.0f64, 1..40), k in 1usize..12, seed: u64) {
            let mut rng = crate::rng::Seed(seed).rng(crate::rng::Purpose::Ranking, 0, 0);
            let mut ranking = sample_ranking(&scores, k, || crate::rng::uniform(&mut rng));
            prop_assert_eq!(ranking.len(), k.min(scores.len()));
            ranking.sort_unstable();
            ranking.dedup();
            prop_assert_eq!(ranking.len(), k.min(scores.len()));
        }
    }
}
