//! The Plackett–Luce model: it draws rankings, and tells how much exchanging two positions changes the probability of a ranking.

use crate::math;

/// The largest number of documents that a user is shown.
pub const SHOWN: usize = 16;

/// Draws a ranking of `k` of the scored documents without replacement, best first, at temperature 1.
///
/// It adds independent Gumbel noise to the scores and takes the top k, which has the same distribution as drawing one document after
/// another. It draws noise for every document, in index order. `keys` is a buffer.
pub fn sample_ranking(scores: &[f64], k: usize, mut uniform: impl FnMut() -> f64, keys: &mut Vec<f64>, ranking: &mut Vec<u32>) {
    keys.clear();
    keys.extend(scores.iter().map(|_| uniform()));
    math::gumbel_keys(keys, scores);
    take_largest(keys, k, ranking);
}

/// The indices of the `k` largest keys, the largest first and of equal keys the first one first. The keys are used up.
fn take_largest(keys: &mut Vec<f64>, k: usize, taken: &mut Vec<u32>) {
    // Taking a key changes its block alone, so each step looks at the largest keys of all blocks, which stand behind the keys.
    const BLOCK: usize = 16;
    let n = keys.len();
    keys.resize(n + n.div_ceil(BLOCK), 0.0);
    let (keys, largest) = keys.split_at_mut(n);
    for (largest, block) in largest.iter_mut().zip(keys.chunks(BLOCK)) {
        *largest = math::largest(block);
    }
    taken.clear();
    for _ in 0..k.min(n) {
        let best = math::largest(largest);
        let b = largest.iter().position(|key| *key == best).expect("it is one of them");
        let block = &mut keys[b * BLOCK..n.min((b + 1) * BLOCK)];
        let i = block.iter().position(|key| *key == best).expect("it is in its block");
        taken.push((b * BLOCK + i) as u32);
        block[i] = f64::NEG_INFINITY;
        largest[b] = math::largest(block);
    }
}

/// log P(R | D): the log-probability that the shown documents were drawn in this order.
pub fn log_probability(scores: &[f64], ranking: &[u32]) -> f64 {
    let slate = Slate::new(scores, ranking, &mut Vec::new());
    (0..ranking.len()).map(|r| slate.scores[r] - slate.log_mass_from(r)).sum()
}

/// A shown ranking, with the mass e^score of all candidates that it was drawn from.
#[derive(Debug, Clone)]
pub struct Slate {
    n_shown: usize,
    /// The score at each position, less the largest score of all candidates.
    scores: [f64; SHOWN],
    /// e^score at each position.
    mass: [f64; SHOWN],
    /// `suffix[r]` is the mass of the candidates not shown and of the positions from r on.
    suffix: [f64; SHOWN + 1],
    /// log Σ e^score over the candidates not shown.
    log_unshown: f64,
    /// Whether no score is so far below the largest one that masses vanish.
    is_tame: bool,
}

/// Scores further below the best score than this have masses that are too small to be added up directly.
const TAME: f64 = -600.0;

impl Slate {
    /// The slate of a ranking of at most [`SHOWN`] documents, drawn from documents with these scores. `unshown` is a buffer.
    pub fn new(scores: &[f64], ranking: &[u32], unshown: &mut Vec<f64>) -> Self {
        let (n_shown, max) = (ranking.len(), math::largest(scores));
        let mut shown = [0.0; SHOWN];
        shown[..n_shown].iter_mut().zip(ranking).for_each(|(shown, &document)| *shown = scores[document as usize] - max);
        let mut mass = shown;
        math::exps(&mut mass, 0.0);
        let log_unshown = log_mass_unshown(scores, ranking, max, unshown);
        let mut suffix = [math::exp(log_unshown); SHOWN + 1];
        for r in (0..n_shown).rev() {
            suffix[r] = suffix[r + 1] + mass[r];
        }
        let is_tame = shown[..n_shown].iter().all(|&s| s > TAME);
        Self { n_shown, scores: shown, mass, suffix, log_unshown, is_tame }
    }

    /// ρ = P(R*) / (P(R) + P(R*)), where R* is the ranking with positions `a` and `b` exchanged. It does not matter which of them was
    /// clicked.
    // PAPER: eq. (2), in closed form: P(R)/P(R*) = Π over r = lo+1..hi of (Z_r − e_hi + e_lo) / Z_r.
    pub fn rho(&self, a: usize, b: usize) -> f64 {
        let (lo, hi) = (a.min(b), a.max(b));
        if self.is_tame { self.rho_by_mass(lo, hi) } else { self.rho_by_logs(lo, hi) }
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
        self.scores[r..self.n_shown].iter().rev().fold(self.log_unshown, |mass, &s| math::log_add_exp(mass, s))
    }

    /// The margin s_a − s_b of two positions.
    pub fn margin(&self, a: usize, b: usize) -> f64 {
        self.scores[a] - self.scores[b]
    }
}

/// log Σ e^(score − max) over the candidates that the ranking does not show.
fn log_mass_unshown(scores: &[f64], ranking: &[u32], max: f64, unshown: &mut Vec<f64>) -> f64 {
    if ranking.len() == scores.len() {
        return f64::NEG_INFINITY;
    }
    unshown.clear();
    unshown.extend(scores.iter().map(|s| s - max));
    for &document in ranking {
        unshown[document as usize] = f64::NEG_INFINITY;
    }
    let top = math::largest(unshown);
    math::exps(unshown, top);
    top + math::ln(unshown.iter().sum())
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

    fn sample(scores: &[f64], k: usize, uniform: impl FnMut() -> f64) -> Vec<u32> {
        let mut ranking = vec![7];
        sample_ranking(scores, k, uniform, &mut vec![0.5], &mut ranking);
        ranking
    }

    #[test]
    fn two_equal_documents_prefer_neither() {
        assert_eq!(Slate::new(&[0.3, 0.3, 1.0], &[2, 0, 1], &mut Vec::new()).rho(1, 2), 0.5);
    }

    #[test]
    fn rho_by_hand() {
        // R = (a, b) of masses 1 and 3: P(R) = ¼, P(R*) = ¾.
        let rho = Slate::new(&[0.0, math::ln(3.0)], &[0, 1], &mut Vec::new()).rho(0, 1);
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
            *counts.entry(sample(&scores, 2, || uniform(&mut rng))).or_default() += 1.0;
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
            let slate = Slate::new(&scores, &ranking, &mut Vec::new());
            let want = rho_by_definition(&scores, &ranking, a, b);
            prop_assert!((slate.rho(a, b) - want).abs() < 1e-12);
            prop_assert!((slate.rho_by_logs(a.min(b), a.max(b)) - want).abs() < 1e-12);
            prop_assert_eq!(slate.rho(a, b), slate.rho(b, a));
        }

        #[test]
        fn rho_is_finite_for_any_finite_scores(scores in prop::collection::vec(-1e38..1e38f64, 2..12), scale in -38i32..1) {
            let scores: Vec<f64> = scores.iter().map(|s| s * 10f64.powi(scale)).collect();
            let ranking: Vec<u32> = (0..scores.len().min(10) as u32).collect();
            let slate = Slate::new(&scores, &ranking, &mut Vec::new());
            for a in 0..ranking.len() {
                for b in 0..a {
                    let rho = slate.rho(a, b);
                    prop_assert!((0.0..=1.0).contains(&rho), "{rho}");
                }
            }
        }

        #[test]
        fn the_largest_keys_come_first_and_of_equal_ones_the_first(keys in prop::collection::vec(0u8..9, 0..70), k in 1usize..17) {
            let mut want: Vec<u32> = (0..keys.len() as u32).collect();
            want.sort_by_key(|&i| std::cmp::Reverse(keys[i as usize]));
            want.truncate(k);
            let mut taken = vec![7];
            take_largest(&mut keys.iter().copied().map(f64::from).collect(), k, &mut taken);
            prop_assert_eq!(taken, want);
        }

        #[test]
        fn a_ranking_holds_k_different_documents(scores in prop::collection::vec(-50.0..50.0f64, 1..40), k in 1usize..12, seed: u64) {
            let mut rng = crate::rng::Seed(seed).rng(crate::rng::Purpose::Ranking, 0, 0);
            let mut ranking = sample(&scores, k, || crate::rng::uniform(&mut rng));
            prop_assert_eq!(ranking.len(), k.min(scores.len()));
            ranking.sort_unstable();
            ranking.dedup();
            prop_assert_eq!(ranking.len(), k.min(scores.len()));
        }
    }
}
