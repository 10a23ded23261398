//! The product test documents × all models, and the best documents of each query under each model.
//!
//! Models lie side by side in vector lanes. A few documents at a time are scored under a group of models, and take their places in the
//! lists of the best while their scores are still at hand. Two ways of finding the best give the same lists: `sinking` and `keys`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "only the sets above sort keys"))]
mod keys;
mod sinking;

use crate::instructions::{kernel, prefetch};
use sinking::Place;

/// The largest number of models side by side.
pub const GROUP: usize = 2 * WHOLE;

/// The number of lanes that the registers of every instruction set can sum up for several documents.
pub const WHOLE: usize = 16;

/// The number of lanes for the last models of an evaluation, if these lanes are enough.
const HALF: usize = WHOLE / 2;

/// Linear models side by side: `weights[f][lane]` is weight f of the model in that lane.
pub enum Group {
    /// Twice [`WHOLE`] models or a few less. AVX-512 scores documents under all of them at once.
    Pair([Vec<[f32; WHOLE]>; 2]),
    /// Up to [`WHOLE`] models.
    Whole(Vec<[f32; WHOLE]>),
    /// Up to half as many.
    Half(Vec<[f32; HALF]>),
}

impl Group {
    /// Puts models side by side. All groups but the last are full.
    pub fn all(mut models: &[&[f32]], n_features: usize) -> Vec<Self> {
        let mut groups = Vec::new();
        while !models.is_empty() {
            let group = Self::of(models, n_features);
            models = &models[group.n_lanes().min(models.len())..];
            groups.push(group);
        }
        groups
    }

    /// The first of these models, in a group that leaves as few lanes empty as possible.
    fn of(models: &[&[f32]], n_features: usize) -> Self {
        let (first, second) = models.split_at(models.len().min(WHOLE));
        if models.len() <= HALF {
            Self::Half(side_by_side(first, n_features))
        } else if second.len() <= HALF {
            Self::Whole(side_by_side(first, n_features))
        } else {
            Self::Pair([first, second].map(|models| side_by_side(models, n_features)))
        }
    }

    /// The number of lanes.
    pub fn n_lanes(&self) -> usize {
        match self {
            Self::Pair(_) => GROUP,
            Self::Whole(_) => WHOLE,
            Self::Half(_) => HALF,
        }
    }
}

/// The weights of as many of these models as there are lanes.
fn side_by_side<const L: usize>(models: &[&[f32]], n_features: usize) -> Vec<[f32; L]> {
    (0..n_features).map(|f| std::array::from_fn(|lane| models.get(lane).map_or(0.0, |theta| theta[f]))).collect()
}

/// The gains of a query's documents.
pub struct Gains {
    gains: Vec<f32>,
    /// As [`keys`] wants them; empty if they have too many bits.
    tags: Vec<u32>,
}

impl From<Vec<f32>> for Gains {
    fn from(gains: Vec<f32>) -> Self {
        Self { tags: keys::tags(&gains), gains }
    }
}

/// The documents of one query, ready to be ranked.
struct Documents<'a> {
    rows: &'a [f32],
    gains: &'a [f32],
    /// `None` if the list of the best cannot be made of keys.
    tags: Option<&'a [u32]>,
    discounts: &'a [f64],
}

impl<'a> Documents<'a> {
    fn new(rows: &'a [f32], Gains { gains, tags }: &'a Gains, discounts: &'a [f64]) -> Self {
        let tags = Some(tags.as_slice()).filter(|tags| !tags.is_empty() && discounts.len() <= keys::PLACES);
        Self { rows, gains, tags, discounts }
    }

    fn n_places(&self) -> usize {
        self.discounts.len().min(self.gains.len())
    }
}

/// The best documents of a query under each model of a group.
pub struct TopList {
    whole: Vec<Place<WHOLE>>,
    half: Vec<Place<HALF>>,
}

impl TopList {
    /// A list of the best `cutoff` documents.
    pub fn new(cutoff: usize) -> Self {
        Self { whole: vec![Place::EMPTY; cutoff], half: vec![Place::EMPTY; cutoff] }
    }

    /// The DCG of one query's documents under each model of the group; NaN where a score is NaN.
    pub fn dcg(&mut self, rows: &[f32], gains: &Gains, group: &Group, discounts: &[f64]) -> [f64; GROUP] {
        let (documents, mut dcg) = (Documents::new(rows, gains, discounts), [0.0; GROUP]);
        let n_places = documents.n_places();
        match group {
            Group::Pair([a, b]) => rank_pair(&documents, [a, b], &mut self.whole[..n_places], &mut dcg),
            Group::Whole(weights) => rank_whole(&documents, weights, &mut self.whole[..n_places], &mut dcg),
            Group::Half(weights) => rank_half(&documents, weights, &mut self.half[..n_places], &mut dcg),
        }
        dcg
    }

    /// The DCG of one query's documents from their scores under each model; NaN where a score is NaN.
    pub fn dcg_of_scores(&mut self, scores: &[[f32; WHOLE]], gains: &Gains, discounts: &[f64]) -> [f64; GROUP] {
        let (documents, mut dcg) = (Documents::new(&[], gains, discounts), [0.0; GROUP]);
        rank_scored(scores, &documents, &mut self.whole[..documents.n_places()], &mut dcg);
        dcg
    }
}

kernel! {
    fn rank_pair(documents: &Documents, weights: [&[[f32; WHOLE]]; 2], places: &mut [Place<WHOLE>], dcg: &mut [f64; GROUP]) {
        for (weights, dcg) in weights.into_iter().zip(dcg.as_chunks_mut::<WHOLE>().0) {
            sinking::rank(documents, weights, places, dcg);
        }
    } => avx2 {
        for (weights, dcg) in weights.into_iter().zip(dcg.as_chunks_mut::<WHOLE>().0) {
            match documents.tags {
                Some(tags) => avx2::rank::<WHOLE, 2>(documents, tags, weights, dcg),
                None => sinking::rank(documents, weights, places, dcg),
            }
        }
    } => avx512 {
        if let Some(tags) = documents.tags {
            return avx512::rank(documents, tags, weights, dcg);
        }
        for (weights, dcg) in weights.into_iter().zip(dcg.as_chunks_mut::<WHOLE>().0) {
            sinking::rank(documents, weights, places, dcg);
        }
    }

    fn rank_whole(documents: &Documents, weights: &[[f32; WHOLE]], places: &mut [Place<WHOLE>], dcg: &mut [f64; GROUP]) {
        sinking::rank(documents, weights, places, dcg);
    } => avx2 {
        match documents.tags {
            Some(tags) => avx2::rank::<WHOLE, 2>(documents, tags, weights, dcg),
            None => sinking::rank(documents, weights, places, dcg),
        }
    } => avx512 {
        match documents.tags {
            Some(tags) => avx512::rank(documents, tags, [weights], dcg),
            None => sinking::rank(documents, weights, places, dcg),
        }
    }

    fn rank_half(documents: &Documents, weights: &[[f32; HALF]], places: &mut [Place<HALF>], dcg: &mut [f64; GROUP]) {
        sinking::rank(documents, weights, places, dcg);
    } => avx2 {
        match documents.tags {
            Some(tags) => avx2::rank::<HALF, 1>(documents, tags, weights, dcg),
            None => sinking::rank(documents, weights, places, dcg),
        }
    }

    fn rank_scored(scores: &[[f32; WHOLE]], documents: &Documents, places: &mut [Place<WHOLE>], dcg: &mut [f64; GROUP]) {
        sinking::rank_scored(scores, documents, places, dcg);
    } => avx2 {
        match documents.tags {
            Some(tags) => avx2::rank_scored::<WHOLE, 2>(scores, documents, tags, dcg),
            None => sinking::rank_scored(scores, documents, places, dcg),
        }
    }

    /// Scores documents under a group of models and forgets the scores: the part of ranking that cannot be avoided.
    pub fn score_only(rows: &[f32], group: &Group) {
        match group {
            Group::Pair([a, b]) => [a, b].into_iter().for_each(|weights| sinking::score_only(rows, weights)),
            Group::Whole(weights) => sinking::score_only(rows, weights),
            Group::Half(weights) => sinking::score_only(rows, weights),
        }
    } => avx512 {
        match group {
            Group::Pair([a, b]) => avx512::score_only(rows, [a, b]),
            Group::Whole(weights) => avx512::score_only(rows, [weights]),
            Group::Half(weights) => sinking::score_only(rows, weights),
        }
    }
}

/// Rows of `d` features, `n` at a time, each time with all that follow.
#[inline(always)]
fn blocks(rows: &[f32], d: usize, n: usize) -> impl Iterator<Item = [&[f32]; 2]> {
    rows.chunks(n * d).enumerate().map(move |(i, block)| [block, &rows[i * n * d + block.len()..]])
}

/// The scores of up to `N` documents. The first document stands in for those that are missing. As many of the `next` documents begin to come
/// from memory meanwhile.
#[inline(always)]
fn product<const N: usize, const L: usize>([rows, next]: [&[f32]; 2], weights: &[[f32; L]]) -> [[f32; L]; N] {
    let documents = first_rows::<N>(rows, weights.len());
    let mut sums = [[0.0; L]; N];
    for (f, weights) in weights.iter().enumerate() {
        prefetch(next, f * N);
        for (sums, document) in sums.iter_mut().zip(documents) {
            let x = document[f];
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += x * weight;
            }
        }
    }
    sums
}

/// The first `N` rows of `d` features. The first one stands in for those that are missing.
#[inline(always)]
fn first_rows<const N: usize>(rows: &[f32], d: usize) -> [&[f32]; N] {
    let mut documents = [&rows[..d]; N];
    for (nth, document) in documents.iter_mut().enumerate().skip(1) {
        if let Some(row) = rows.get(nth * d..(nth + 1) * d) {
            *document = &row[..d];
        }
    }
    documents
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

    fn borrowed(models: &[Vec<f32>]) -> Vec<&[f32]> {
        models.iter().map(Vec::as_slice).collect()
    }

    /// The DCG of each model.
    fn dcg(rows: &[f32], gains: Vec<f32>, models: &[&[f32]], discounts: &[f64]) -> Vec<f64> {
        let (groups, gains, mut top) = (Group::all(models, models[0].len()), Gains::from(gains), TopList::new(discounts.len()));
        let lanes = groups.iter().flat_map(|group| top.dcg(rows, &gains, group, discounts)[..group.n_lanes()].to_vec());
        lanes.take(models.len()).collect()
    }

    /// The same by sorting the documents of each model: by score, and by index where scores are equal.
    fn plain_dcg(scores: &[f32], gains: &[f32], discounts: &[f64]) -> f64 {
        if scores.iter().any(|score| score.is_nan()) {
            return f64::NAN;
        }
        let mut documents: Vec<usize> = (0..scores.len()).collect();
        documents.sort_by(|&i, &j| scores[j].partial_cmp(&scores[i]).expect("no NaN").then(j.cmp(&i)));
        documents.iter().zip(discounts).fold(0.0, |sum, (&i, discount)| sum + f64::from(gains[i]) * discount)
    }

    /// Scores among which ties, infinities and zeros of both signs are common, and NaN is not too rare.
    fn score() -> impl Strategy<Value = f32> {
        let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, -f32::MIN_POSITIVE / 8.0, f32::MAX, f32::MIN];
        prop_oneof![
            300 => (-3i8..4).prop_map(f32::from),
            300 => -2.0f32..2.0,
            200 => prop::sample::select(special.to_vec()),
            1 => Just(f32::NAN),
            1 => Just(-f32::NAN),
        ]
    }

    proptest! {
        #[test]
        fn a_group_evaluates_like_each_model_alone(n_docs in 1usize..40, d in 1usize..6, n_models in 1usize..70, cutoff in 1usize..13, salt in 0usize..1000) {
            let rows = numbers(n_docs * d, salt);
            let grades: Vec<u8> = (0..n_docs).map(|i| ((i * 13 + salt) % 5) as u8).collect();
            let gains: Vec<f32> = grades.iter().map(|&g| gain(g) as f32).collect();
            let models: Vec<Vec<f32>> = (0..n_models).map(|m| numbers(d, salt + m)).collect();
            let ndcg = Ndcg::at(cutoff);
            for set in Instructions::ALL {
                set.use_at_most();
                let dcg = dcg(&rows, gains.clone(), &borrowed(&models), ndcg.discounts());
                for (theta, dcg) in models.iter().zip(dcg) {
                    let scores: Vec<f32> = rows.chunks_exact(d).map(|row| math::dot(row, theta)).collect();
                    let want = ndcg.of_scores(&scores, &grades);
                    prop_assert_eq!(want.map(|_| dcg / ndcg.ideal(&grades)), want, "{:?}", set);
                }
            }
        }

        #[test]
        fn all_scores_and_gains_give_the_bits_of_a_plain_sort(
            scores in prop::collection::vec(prop::array::uniform16(score()), 1..60),
            cutoff in 1usize..13,
            largest in prop::sample::select(vec![1u32, 5, 9, 12]),
        ) {
            // Gains of grades above 8 have no tags.
            let gains: Vec<f32> = (0..scores.len()).map(|i| gain((i as u32 * 13 % largest) as u8) as f32).collect();
            let ndcg = Ndcg::at(cutoff);
            let columns: Vec<Vec<f32>> = (0..WHOLE).map(|lane| scores.iter().map(|scores| scores[lane]).collect()).collect();
            for set in Instructions::ALL {
                set.use_at_most();
                let known = TopList::new(cutoff).dcg_of_scores(&scores, &Gains::from(gains.clone()), ndcg.discounts());
                for (column, known) in columns.iter().zip(known) {
                    let want = plain_dcg(column, &gains, ndcg.discounts());
                    prop_assert_eq!(known.to_bits(), want.to_bits(), "{:?}", set);
                    // The scores are the only feature, and all models are 1. There is a group of every kind.
                    for n_models in [1, 16, 32] {
                        let computed = dcg(column, gains.clone(), &vec![&[1.0f32][..]; n_models], ndcg.discounts());
                        prop_assert!(computed.iter().all(|dcg| dcg.to_bits() == want.to_bits()), "{:?}, {} models", set, n_models);
                    }
                }
            }
        }
    }

    #[test]
    fn models_fill_groups_and_leave_few_lanes_empty() {
        let lanes = |n: usize| Group::all(&vec![&[1.0f32][..]; n], 1).iter().map(Group::n_lanes).collect::<Vec<_>>();
        for (n_models, want) in [
            (0, vec![]),
            (8, vec![8]),
            (9, vec![16]),
            (17, vec![16, 8]),
            (24, vec![16, 8]),
            (25, vec![32]),
            (80, vec![32, 32, 16]),
            (81, vec![32, 32, 16, 8]),
        ] {
            assert_eq!(lanes(n_models), want, "{n_models} models");
        }
    }

    #[test]
    fn the_later_of_equal_documents_wins() {
        // Two documents of one score and one of a lower score; gains tell which of them are listed.
        for rows in [[2.0, 1.0, 2.0], [-1.0, -2.0, -1.0], [0.0, -1.0, -0.0], [-0.0, -1.0, 0.0]] {
            let dcg = |cutoff| dcg(&rows, vec![4.0, 2.0, 1.0], &[&[1.0]], &[1.0, 0.5][..cutoff])[0];
            assert_eq!((dcg(1), dcg(2)), (1.0, 1.0 + 4.0 * 0.5), "{rows:?}");
        }
    }

    #[test]
    fn nan_is_reported_for_its_model_alone() {
        let (good, bad, unbounded) = ([1.0f32], [f32::NAN], [f32::NEG_INFINITY]);
        for n_good in [1, 9, 25] {
            let models = [vec![good.as_slice(); n_good], vec![&bad, &unbounded]].concat();
            let dcg = dcg(&[1.0, 2.0], vec![0.0, 1.0], &models, Ndcg::at(2).discounts());
            assert!(dcg[..n_good].iter().all(|&dcg| dcg == 1.0) && dcg[n_good].is_nan() && dcg[n_good + 1] == 1.0, "{dcg:?}");
        }
    }
}
