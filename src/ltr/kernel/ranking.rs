//! The product test documents × all models, and the best documents of each query under each model.
//!
//! Models lie side by side in vector lanes. A few documents at a time are scored under a group of models, and take their places in the
//! lists of the best while their scores are still at hand.

use crate::instructions::kernel;

/// The largest number of models side by side.
pub const GROUP: usize = 16;

/// The number of lanes for the last models of an evaluation, if these lanes are enough.
const HALF: usize = GROUP / 2;

/// The number of documents that share a pass over the weights. Their sums and the weights of a feature just fit the registers of AVX2.
const DOCUMENTS: usize = 6;

/// The same where fewer documents are left.
const FEW: usize = DOCUMENTS / 2;

/// Linear models side by side: `weights[f][lane]` is weight f of the model in that lane.
pub enum Group {
    /// Up to [`GROUP`] models.
    Whole(Vec<[f32; GROUP]>),
    /// Up to half as many.
    Half(Vec<[f32; HALF]>),
}

impl Group {
    /// Puts up to [`GROUP`] models side by side.
    pub fn of(models: &[&[f32]], n_features: usize) -> Self {
        assert!(models.len() <= GROUP);
        if models.len() <= HALF { Self::Half(side_by_side(models, n_features)) } else { Self::Whole(side_by_side(models, n_features)) }
    }
}

fn side_by_side<const L: usize>(models: &[&[f32]], n_features: usize) -> Vec<[f32; L]> {
    (0..n_features).map(|f| std::array::from_fn(|lane| models.get(lane).map_or(0.0, |theta| theta[f]))).collect()
}

/// The best documents of a query under each model of a group.
pub struct TopList {
    whole: Vec<Place<GROUP>>,
    half: Vec<Place<HALF>>,
}

/// One place of the list: by lane, the score and the gain of the document that has it. Gains are kept as bits, because masks choose them.
#[derive(Clone, Copy)]
struct Place<const L: usize> {
    scores: [f32; L],
    gains: [u32; L],
}

impl<const L: usize> Place<L> {
    const EMPTY: Self = Self { scores: [f32::NEG_INFINITY; L], gains: [0; L] };
}

impl TopList {
    /// A list of the best `cutoff` documents.
    pub fn new(cutoff: usize) -> Self {
        Self { whole: vec![Place::EMPTY; cutoff], half: vec![Place::EMPTY; cutoff] }
    }

    /// The DCG of one query's documents under each model of the group; NaN where a score is NaN.
    pub fn dcg(&mut self, rows: &[f32], gains: &[f32], group: &Group, discounts: &[f64]) -> [f64; GROUP] {
        let mut dcg = [0.0; GROUP];
        let n_places = discounts.len().min(gains.len());
        match group {
            Group::Whole(weights) => rank_whole(rows, gains, weights, discounts, &mut self.whole[..n_places], &mut dcg),
            Group::Half(weights) => rank_half(rows, gains, weights, discounts, &mut self.half[..n_places], &mut dcg),
        }
        dcg
    }

    /// The DCG of one query's documents from their scores under each model; NaN where a score is NaN.
    pub fn dcg_of_scores(&mut self, scores: &[[f32; GROUP]], gains: &[f32], discounts: &[f64]) -> [f64; GROUP] {
        let mut dcg = [0.0; GROUP];
        let n_places = discounts.len().min(gains.len());
        rank_scored(scores, gains, discounts, &mut self.whole[..n_places], &mut dcg);
        dcg
    }
}

kernel! {
    fn rank_whole(
        rows: &[f32],
        gains: &[f32],
        weights: &[[f32; GROUP]],
        discounts: &[f64],
        places: &mut [Place<GROUP>],
        dcg: &mut [f64; GROUP],
    ) {
        rank(rows, gains, weights, discounts, places, dcg);
    }

    fn rank_half(
        rows: &[f32],
        gains: &[f32],
        weights: &[[f32; HALF]],
        discounts: &[f64],
        places: &mut [Place<HALF>],
        dcg: &mut [f64; GROUP],
    ) {
        rank(rows, gains, weights, discounts, places, dcg);
    }

    fn rank_scored(scores: &[[f32; GROUP]], gains: &[f32], discounts: &[f64], places: &mut [Place<GROUP>], dcg: &mut [f64; GROUP]) {
        clear(places);
        let mut is_nan = [0; GROUP];
        sink_all(scores, gains, places, &mut is_nan);
        total(places, &is_nan, discounts, dcg);
    }
}

/// Ranks the documents of a query, a few at a time.
#[inline(always)]
fn rank<const L: usize>(
    rows: &[f32],
    gains: &[f32],
    weights: &[[f32; L]],
    discounts: &[f64],
    places: &mut [Place<L>],
    dcg: &mut [f64; GROUP],
) {
    clear(places);
    let mut is_nan = [0; L];
    for (rows, gains) in rows.chunks(DOCUMENTS * weights.len()).zip(gains.chunks(DOCUMENTS)) {
        if gains.len() > FEW {
            sink_all(&product::<DOCUMENTS, L>(rows, weights), gains, places, &mut is_nan);
        } else {
            sink_all(&product::<FEW, L>(rows, weights), gains, places, &mut is_nan);
        }
    }
    total(places, &is_nan, discounts, dcg);
}

/// The scores of up to `N` documents. The first document stands in for those that are missing.
#[inline(always)]
fn product<const N: usize, const L: usize>(rows: &[f32], weights: &[[f32; L]]) -> [[f32; L]; N] {
    let d = weights.len();
    let mut documents = [&rows[..d]; N];
    for (nth, document) in documents.iter_mut().enumerate().skip(1) {
        if let Some(row) = rows.get(nth * d..(nth + 1) * d) {
            *document = &row[..d];
        }
    }
    let mut sums = [[0.0; L]; N];
    for (f, weights) in weights.iter().enumerate() {
        for (sums, document) in sums.iter_mut().zip(documents) {
            let x = document[f];
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += x * weight;
            }
        }
    }
    sums
}

#[inline(always)]
fn clear<const L: usize>(places: &mut [Place<L>]) {
    for place in places {
        place.scores = [f32::NEG_INFINITY; L];
        place.gains = [0; L];
    }
}

/// Lets documents sink to their places. Most documents of a long query reach no list and are skipped.
#[inline(always)]
fn sink_all<const L: usize>(scores: &[[f32; L]], gains: &[f32], places: &mut [Place<L>], is_nan: &mut [u32; L]) {
    for (scores, gain) in scores.iter().zip(gains) {
        let last = &places[places.len() - 1].scores;
        let mut reached = 0;
        for lane in 0..L {
            is_nan[lane] |= u32::from(scores[lane].is_nan());
            reached |= u32::from(scores[lane] >= last[lane]);
        }
        if reached != 0 {
            sink(*scores, gain.to_bits(), places);
        }
    }
}

/// Lets one document sink to its place. Documents come in index order and pass documents of equal score, so the later document wins a tie,
/// as the evaluation rule demands.
///
/// Lanes choose by masks, minimum and maximum: the compiler makes branches of every other form.
#[inline(always)]
fn sink<const L: usize>(mut scores: [f32; L], gain: u32, places: &mut [Place<L>]) {
    let mut gains = [gain; L];
    for place in places {
        for lane in 0..L {
            let (score, other) = (scores[lane], place.scores[lane]);
            let passes = u32::from(score >= other).wrapping_neg();
            let exchanged = passes & (gains[lane] ^ place.gains[lane]);
            gains[lane] ^= exchanged;
            place.gains[lane] ^= exchanged;
            scores[lane] = if score < other { score } else { other };
            place.scores[lane] = if other > score { other } else { score };
        }
    }
}

/// The DCG of the listed documents.
#[inline(always)]
fn total<const L: usize>(places: &[Place<L>], is_nan: &[u32; L], discounts: &[f64], dcg: &mut [f64; GROUP]) {
    let mut sums = [0.0; L];
    for (place, discount) in places.iter().zip(discounts) {
        for (sum, gain) in sums.iter_mut().zip(place.gains) {
            *sum += f64::from(f32::from_bits(gain)) * discount;
        }
    }
    for ((dcg, sum), is_nan) in dcg.iter_mut().zip(sums).zip(is_nan) {
        *dcg = if *is_nan == 0 { sum } else { f64::NAN };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
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
            for set in Instructions::ALL {
                set.use_at_most();
                let dcg = TopList::new(cutoff).dcg(&rows, &gains, &Group::of(&borrowed, d), ndcg.discounts());
                for (theta, dcg) in models.iter().zip(dcg) {
                    let scores: Vec<f32> = rows.chunks_exact(d).map(|row| math::dot(row, theta)).collect();
                    let want = ndcg.of_scores(&scores, &grades);
                    prop_assert_eq!(want.map(|_| dcg / ndcg.ideal(&grades)), want, "{:?}", set);
                }
            }
        }

        #[test]
        fn known_scores_rank_like_computed_ones(n_docs in 1usize..40, cutoff in 1usize..13, salt in 0usize..1000) {
            let columns: Vec<Vec<f32>> = (0..GROUP).map(|lane| numbers(n_docs, salt + lane)).collect();
            let scores: Vec<[f32; GROUP]> = (0..n_docs).map(|i| std::array::from_fn(|lane| columns[lane][i])).collect();
            let gains: Vec<f32> = (0..n_docs).map(|i| ((i * 13 + salt) % 5) as f32).collect();
            let (ndcg, mut top) = (Ndcg::at(cutoff), TopList::new(cutoff));
            let got = top.dcg_of_scores(&scores, &gains, ndcg.discounts());
            for (lane, column) in columns.iter().enumerate() {
                // The scores are the only feature, and the model is 1.
                let want = top.dcg(column, &gains, &Group::of(&[&[1.0]], 1), ndcg.discounts())[0];
                prop_assert_eq!(got[lane], want);
            }
        }
    }

    #[test]
    fn the_later_of_equal_documents_wins() {
        // Two documents of score 2 and one of score 1; gains tell which of them are listed.
        let dcg = |cutoff| TopList::new(cutoff).dcg(&[2.0, 1.0, 2.0], &[4.0, 2.0, 1.0], &Group::of(&[&[1.0]], 1), &[1.0, 0.5][..cutoff])[0];
        assert_eq!((dcg(1), dcg(2)), (1.0, 1.0 + 4.0 * 0.5));
    }

    #[test]
    fn nan_is_reported_for_its_model_alone() {
        let (good, bad, unbounded) = ([1.0f32], [f32::NAN], [f32::NEG_INFINITY]);
        for n_good in [1, 9] {
            let models = [vec![good.as_slice(); n_good], vec![&bad, &unbounded]].concat();
            let dcg = TopList::new(2).dcg(&[1.0, 2.0], &[0.0, 1.0], &Group::of(&models, 1), Ndcg::at(2).discounts());
            assert!(dcg[..n_good].iter().all(|&dcg| dcg == 1.0) && dcg[n_good].is_nan() && dcg[n_good + 1] == 1.0, "{dcg:?}");
        }
    }
}
