//! Normalised discounted cumulative gain. The gain is 2^grade − 1, the discount 1 / log₂(position + 1), and positions count from 1.

use crate::math;

/// nDCG at a cut-off.
#[derive(Debug, Clone)]
pub struct Ndcg {
    discounts: Vec<f64>,
}

impl Ndcg {
    /// nDCG of the first `cutoff` positions.
    pub fn at(cutoff: usize) -> Self {
        Self { discounts: (1..=cutoff).map(|position| 1.0 / math::log2(position as f64 + 1.0)).collect() }
    }

    /// The number of positions that count.
    pub fn cutoff(&self) -> usize {
        self.discounts.len()
    }

    /// The discount of each position.
    pub fn discounts(&self) -> &[f64] {
        &self.discounts
    }

    /// The DCG of documents in ranked order.
    pub fn dcg(&self, ranked_grades: impl Iterator<Item = u8>) -> f64 {
        self.discounts.iter().zip(ranked_grades).map(|(discount, grade)| gain(grade) * discount).sum()
    }

    /// The largest DCG that the documents of a query allow; 0 if none is relevant.
    pub fn ideal(&self, grades: &[u8]) -> f64 {
        let mut best = grades.to_vec();
        best.sort_unstable_by(|a, b| b.cmp(a));
        self.dcg(best.into_iter())
    }

    /// The nDCG of a query ranked by a model's scores. It is `None` if no document is relevant; such queries are skipped.
    // CHOICE(skipped-queries): as in the reference code; the paper does not say. Counting them as 0 or 1 moves every level.
    pub fn of_scores(&self, scores: &[f32], grades: &[u8]) -> Option<f64> {
        let ideal = self.ideal(grades);
        (ideal > 0.0).then(|| self.dcg(order(scores).map(|document| grades[document])) / ideal)
    }

    /// The mean nDCG of a uniformly random ranking; `None` if no document is relevant.
    pub fn of_random(&self, grades: &[u8]) -> Option<f64> {
        let ideal = self.ideal(grades);
        let mean_gain = grades.iter().map(|&g| gain(g)).sum::<f64>() / grades.len() as f64;
        (ideal > 0.0).then(|| mean_gain * self.discounts.iter().take(grades.len()).sum::<f64>() / ideal)
    }
}

/// The gain of a grade: 2^grade − 1.
pub fn gain(grade: u8) -> f64 {
    ((1u64 << grade) - 1) as f64
}

/// Documents by descending score, and by descending index where scores are equal. If any score is NaN, all count as equal.
// CHOICE(ties): as in the reference code; the paper does not say.
fn order(scores: &[f32]) -> impl Iterator<Item = usize> {
    let is_tied = scores.iter().any(|s| s.is_nan());
    let mut order: Vec<usize> = (0..scores.len()).rev().collect();
    if !is_tied {
        order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).expect("no NaN"));
    }
    order.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(scores: &[f32], grades: &[u8], expect: Option<f64>) {
        let got = Ndcg::at(10).of_scores(scores, grades);
        match (got, expect) {
            (Some(got), Some(want)) => assert!((got - want).abs() < 1e-15, "{got}"),
            _ => assert_eq!(got, expect),
        }
    }

    #[test]
    fn ndcg_by_hand() {
        // Gains 0, 3, 1 at positions 1, 2, 3 against 3, 1, 0.
        let log3 = math::log2(3.0);
        check(&[3.0, 2.0, 1.0], &[0, 2, 1], Some((3.0 / log3 + 0.5) / (3.0 + 1.0 / log3)));
    }

    #[test]
    fn queries_without_a_relevant_document_are_skipped() {
        check(&[1.0, 2.0], &[0, 0], None);
    }

    #[test]
    fn ties_go_to_the_later_document_and_nan_ties_all() {
        check(&[0.5, 0.5], &[0, 1], Some(1.0));
        check(&[9.0, f32::NAN, 0.0], &[0, 0, 2], Some(1.0));
        check(&[0.0, -0.0], &[0, 1], Some(1.0));
    }

    #[test]
    fn random_is_the_mean_over_all_orders() {
        let (ndcg, grades) = (Ndcg::at(2), [2u8, 0, 1]);
        let orders = [[0.0, 1.0, 2.0], [0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [1.0, 2.0, 0.0], [2.0, 0.0, 1.0], [2.0, 1.0, 0.0]];
        let mean: f64 = orders.iter().map(|s| ndcg.of_scores(s, &grades).expect("relevant")).sum::<f64>() / 6.0;
        assert!((ndcg.of_random(&grades).expect("relevant") - mean).abs() < 1e-15);
    }
}
