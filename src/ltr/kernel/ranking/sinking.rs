//! The best documents of a query, found document by document: each new one sinks past those of lower score. This works for every cutoff, all
//! gains and all instruction sets.

use super::{Documents, blocks, product};

/// The number of documents that share a pass over the weights. Their sums and the weights of a feature just fit the registers of AVX2.
const DOCUMENTS: usize = 6;

/// The same where fewer documents are left.
const FEW: usize = DOCUMENTS / 2;

/// One place of a list: by lane, the score and the gain of the document that has it. Gains are kept as bits, because masks choose them.
#[derive(Clone, Copy)]
pub struct Place<const L: usize> {
    scores: [f32; L],
    gains: [u32; L],
}

impl<const L: usize> Place<L> {
    /// A place that no document has.
    pub const EMPTY: Self = Self { scores: [f32::NEG_INFINITY; L], gains: [0; L] };
}

/// Ranks the documents of a query, a few at a time.
#[inline(always)]
pub fn rank<const L: usize>(documents: &Documents, weights: &[[f32; L]], places: &mut [Place<L>], dcg: &mut [f64]) {
    places.fill(Place::EMPTY);
    let mut is_nan = [0; L];
    for (rows, gains) in blocks(documents.rows, weights.len(), DOCUMENTS).zip(documents.gains.chunks(DOCUMENTS)) {
        if gains.len() > FEW {
            sink_all(&product::<DOCUMENTS, L>(rows, weights), gains, places, &mut is_nan);
        } else {
            sink_all(&product::<FEW, L>(rows, weights), gains, places, &mut is_nan);
        }
    }
    total(places, &is_nan, documents.discounts, dcg);
}

/// Ranks the documents of a query by known scores.
#[inline(always)]
pub fn rank_scored<const L: usize>(scores: &[[f32; L]], documents: &Documents, places: &mut [Place<L>], dcg: &mut [f64]) {
    places.fill(Place::EMPTY);
    let mut is_nan = [0; L];
    sink_all(scores, documents.gains, places, &mut is_nan);
    total(places, &is_nan, documents.discounts, dcg);
}

/// Scores documents and forgets the scores.
#[inline(always)]
pub fn score_only<const L: usize>(rows: &[f32], weights: &[[f32; L]]) {
    for rows in blocks(rows, weights.len(), DOCUMENTS) {
        std::hint::black_box(product::<DOCUMENTS, L>(rows, weights));
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
fn total<const L: usize>(places: &[Place<L>], is_nan: &[u32; L], discounts: &[f64], dcg: &mut [f64]) {
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
