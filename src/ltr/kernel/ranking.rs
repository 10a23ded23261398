//! The product test documents × all models, and the best documents of each query under each model.

use crate::instructions::kernel;

/// The number of models side by side in an evaluation.
pub const GROUP: usize = 16;

/// Puts models side by side in lanes: `weights[f][lane]` is weight f of the model in that lane.
pub fn pack_group(models: &[&[f32]], n_features: usize) -> Vec<[f32; GROUP]> {
    assert!(models.len() <= GROUP);
    (0..n_features).map(|f| std::array::from_fn(|lane| models.get(lane).map_or(0.0, |theta| theta[f]))).collect()
}

/// The best documents of a query so far under each model of a group, best first.
pub struct TopList {
    scores: Vec<[f32; GROUP]>,
    gains: Vec<[f32; GROUP]>,
    /// Not 0 in a lane once that model gave NaN to any document.
    poison: [f32; GROUP],
}

impl TopList {
    /// A list of the best `cutoff` documents.
    pub fn new(cutoff: usize) -> Self {
        Self { scores: vec![[0.0; GROUP]; cutoff], gains: vec![[0.0; GROUP]; cutoff], poison: [0.0; GROUP] }
    }

    /// The DCG of one query's documents under each linear model of the group; `None` where a score is NaN.
    pub fn dcg(&mut self, rows: &[f32], gains: &[f32], weights: &[[f32; GROUP]], discounts: &[f64]) -> [Option<f64>; GROUP] {
        self.clear();
        rank(rows, gains, weights, &mut self.scores, &mut self.gains, &mut self.poison);
        self.total(discounts)
    }

    /// The DCG of one query's documents from their scores under each model; `None` where a score is NaN.
    pub fn dcg_of_scores(&mut self, scores: &[[f32; GROUP]], gains: &[f32], discounts: &[f64]) -> [Option<f64>; GROUP] {
        self.clear();
        rank_scored(scores, gains, &mut self.scores, &mut self.gains, &mut self.poison);
        self.total(discounts)
    }

    fn clear(&mut self) {
        self.scores.fill([f32::NEG_INFINITY; GROUP]);
        self.gains.fill([0.0; GROUP]);
        self.poison = [0.0; GROUP];
    }

    fn total(&self, discounts: &[f64]) -> [Option<f64>; GROUP] {
        std::array::from_fn(|lane| {
            let dcg = self.gains.iter().zip(discounts).map(|(gains, discount)| f64::from(gains[lane]) * discount).sum();
            (self.poison[lane] == 0.0).then_some(dcg)
        })
    }
}

kernel! {
    /// Scores documents in blocks of four, and lets each document sink to its place in the list of every model.
    fn rank(
        rows: &[f32],
        gains: &[f32],
        weights: &[[f32; GROUP]],
        top_scores: &mut [[f32; GROUP]],
        top_gains: &mut [[f32; GROUP]],
        poison: &mut [f32; GROUP],
    ) {
        const BLOCK: usize = 4;
        let d = weights.len();
        let (blocks, rest) = rows.split_at(rows.len() / (BLOCK * d) * (BLOCK * d));
        let (block_gains, rest_gains) = gains.split_at(blocks.len() / d);
        for (block, gains) in blocks.chunks_exact(BLOCK * d).zip(block_gains.chunks_exact(BLOCK)) {
            let (a, tail) = block.split_at(d);
            let (b, tail) = tail.split_at(d);
            let (c, e) = tail.split_at(d);
            let mut sums = [[0.0f32; GROUP]; BLOCK];
            for (f, weights) in weights.iter().enumerate() {
                let x = [a[f], b[f], c[f], e[f]];
                for (sums, x) in sums.iter_mut().zip(x) {
                    for (sum, weight) in sums.iter_mut().zip(weights) {
                        *sum += x * weight;
                    }
                }
            }
            for (sums, gain) in sums.into_iter().zip(gains) {
                sink(sums, *gain, top_scores, top_gains, poison);
            }
        }
        for (row, gain) in rest.chunks_exact(d).zip(rest_gains) {
            let mut sums = [0.0f32; GROUP];
            for (x, weights) in row.iter().zip(weights) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
            sink(sums, *gain, top_scores, top_gains, poison);
        }
    }
}

kernel! {
    /// Lets documents with known scores sink to their places.
    fn rank_scored(
        scores: &[[f32; GROUP]],
        gains: &[f32],
        top_scores: &mut [[f32; GROUP]],
        top_gains: &mut [[f32; GROUP]],
        poison: &mut [f32; GROUP],
    ) {
        for (score, gain) in scores.iter().zip(gains) {
            sink(*score, *gain, top_scores, top_gains, poison);
        }
    }
}

/// Lets one document sink to its place. Documents come in index order and pass documents of equal score, so the later document wins a tie,
/// as the evaluation rule demands.
#[inline(always)]
fn sink(mut score: [f32; GROUP], gain: f32, top_scores: &mut [[f32; GROUP]], top_gains: &mut [[f32; GROUP]], poison: &mut [f32; GROUP]) {
    let mut gain = [gain; GROUP];
    for (poison, score) in poison.iter_mut().zip(score) {
        *poison += if score.is_nan() { 1.0 } else { 0.0 };
    }
    for (top_score, top_gain) in top_scores.iter_mut().zip(top_gains) {
        for lane in 0..GROUP {
            let passes = score[lane] >= top_score[lane];
            let (s, g) = (score[lane], gain[lane]);
            score[lane] = if passes { top_score[lane] } else { s };
            gain[lane] = if passes { top_gain[lane] } else { g };
            top_score[lane] = if passes { s } else { top_score[lane] };
            top_gain[lane] = if passes { g } else { top_gain[lane] };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltr::Ndcg;
    use crate::ltr::ndcg::gain;
    use crate::math;
    use proptest::prelude::*;

    /// Small whole numbers, so that ties are common.
    fn numbers(n: usize, salt: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 7919 + salt * 104_729 + i * i * 31) % 7) as f32 - 3.0).collect()
    }

    proptest! {
        #[test]
        fn a_group_evaluates_like_each_model_alone(n_docs in 1usize..40, d in 1usize..6, n_models in 1usize..17, cutoff in 1usize..13, salt in 0usize..1000) {
            let rows = numbers(n_docs * d, salt);
            let grades: Vec<u8> = (0..n_docs).map(|i| ((i * 13 + salt) % 5) as u8).collect();
            let gains: Vec<f32> = grades.iter().map(|&g| gain(g) as f32).collect();
            let models: Vec<Vec<f32>> = (0..n_models).map(|m| numbers(d, salt + m)).collect();
            let borrowed: Vec<&[f32]> = models.iter().map(Vec::as_slice).collect();
            let ndcg = Ndcg::at(cutoff);
            let dcg = TopList::new(cutoff).dcg(&rows, &gains, &pack_group(&borrowed, d), ndcg.discounts());
            for (theta, dcg) in models.iter().zip(dcg) {
                let scores: Vec<f32> = rows.chunks_exact(d).map(|row| math::dot(row, theta)).collect();
                let want = ndcg.of_scores(&scores, &grades);
                prop_assert_eq!(dcg.filter(|_| want.is_some()).map(|dcg| dcg / ndcg.ideal(&grades)), want);
            }
        }
    }

    #[test]
    fn nan_is_reported_for_its_model_alone() {
        let (good, bad) = ([1.0f32], [f32::NAN]);
        let dcg = TopList::new(2).dcg(&[1.0, 2.0], &[0.0, 1.0], &pack_group(&[&good, &bad], 1), Ndcg::at(2).discounts());
        assert_eq!((dcg[0], dcg[1]), (Some(1.0), None));
    }
}
