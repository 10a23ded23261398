//! Scores and lists of the best documents in registers of 16 scores or eight keys.

use super::keys::{DOCUMENTS, EMPTY, PLACES, enter};
use super::{Documents, WHOLE, blocks, first_rows};
use crate::instructions::prefetch;
use std::arch::x86_64::*;

/// Lanes of keys in a register.
const KEYS: usize = WHOLE / 2;

/// The best documents under `R` times [`WHOLE`] models.
struct Best<const R: usize> {
    /// Keys that rise. A register of scores becomes two of keys.
    places: [[[__m512d; PLACES]; 2]; R],
    /// By lane: whether a score was NaN.
    is_nan: [__mmask16; R],
}

/// The DCG of a query's documents under `R` times [`WHOLE`] models.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub fn rank<const R: usize>(documents: &Documents, tags: &[u32], weights: [&[[f32; WHOLE]]; R], dcg: &mut [f64]) {
    const FEW: usize = DOCUMENTS / 2;
    let mut best = Best::<R>::new();
    for (rows, tags) in blocks(documents.rows, weights[0].len(), DOCUMENTS).zip(tags.chunks(DOCUMENTS)) {
        if tags.len() > FEW {
            best.enter(&product::<DOCUMENTS, R>(rows, weights), tags);
        } else {
            best.enter(&product::<FEW, R>(rows, weights), tags);
        }
    }
    best.total(documents.discounts, dcg);
}

/// Scores documents and forgets the scores.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub fn score_only<const R: usize>(rows: &[f32], weights: [&[[f32; WHOLE]]; R]) {
    for rows in blocks(rows, weights[0].len(), DOCUMENTS) {
        std::hint::black_box(product::<DOCUMENTS, R>(rows, weights));
    }
}

/// The scores of up to `N` documents. The first document stands in for those that are missing. As many of the `next` documents begin to come
/// from memory meanwhile.
///
/// With two registers of weights a feature of a document is loaded once for two products. With one, loading takes longer than multiplying.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn product<const N: usize, const R: usize>([rows, next]: [&[f32]; 2], weights: [&[[f32; WHOLE]]; R]) -> [[__m512; R]; N] {
    let d = weights[0].len();
    let documents = first_rows::<N>(rows, d);
    let weights: [&[[f32; WHOLE]]; R] = weights.map(|weights| &weights[..d]);
    let mut sums = [[_mm512_setzero_ps(); R]; N];
    for f in 0..d {
        prefetch(next, f * N);
        let weights: [__m512; R] = std::array::from_fn(|r| bytemuck::cast(weights[r][f]));
        for (sums, document) in sums.iter_mut().zip(documents) {
            let x = _mm512_set1_ps(document[f]);
            for (sum, weights) in sums.iter_mut().zip(weights) {
                *sum = _mm512_add_ps(*sum, _mm512_mul_ps(x, weights));
            }
        }
    }
    sums
}

impl<const R: usize> Best<R> {
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    #[inline]
    fn new() -> Self {
        Self { places: [[[_mm512_set1_pd(EMPTY); PLACES]; 2]; R], is_nan: [0; R] }
    }

    /// Lets up to [`DOCUMENTS`] documents enter, as many as there are tags.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    #[inline]
    fn enter<const N: usize>(&mut self, scores: &[[__m512; R]; N], tags: &[u32]) {
        for (r, (places, is_nan)) in self.places.iter_mut().zip(&mut self.is_nan).enumerate() {
            let mut halves = [[_mm512_set1_pd(EMPTY); DOCUMENTS]; 2];
            for (i, (scores, tag)) in scores.iter().zip(tags).enumerate() {
                *is_nan |= _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(scores[r], scores[r]);
                [halves[0][i], halves[1][i]] = keys(scores[r], *tag);
            }
            for (places, keys) in places.iter_mut().zip(halves) {
                enter(keys, places, |a, b| (_mm512_min_pd(a, b), _mm512_max_pd(a, b)));
            }
        }
    }

    /// The DCG of the listed documents.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
    #[inline]
    fn total(&self, discounts: &[f64], dcg: &mut [f64]) {
        let lanes = self.places.iter().zip(self.is_nan).zip(dcg.as_chunks_mut::<WHOLE>().0);
        for ((places, is_nan), dcg) in lanes {
            for (half, places) in places.iter().enumerate() {
                let sums: [f64; KEYS] = bytemuck::cast(sum_gains(places, discounts));
                for (nth, sum) in sums.into_iter().enumerate() {
                    let lane = nth / 2 * 4 + half * 2 + nth % 2;
                    dcg[lane] = if is_nan >> lane & 1 == 0 { sum } else { f64::NAN };
                }
            }
        }
    }
}

/// The keys of one document: two lanes of every four, and the other two.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn keys(scores: __m512, tag: u32) -> [__m512d; 2] {
    // Adding 0 makes −0 equal to 0.
    let scores = _mm512_castps_si512(_mm512_add_ps(scores, _mm512_setzero_ps()));
    let tags = _mm512_xor_si512(_mm512_srai_epi32::<31>(scores), _mm512_set1_epi32(tag.cast_signed()));
    [_mm512_castsi512_pd(_mm512_unpacklo_epi32(tags, scores)), _mm512_castsi512_pd(_mm512_unpackhi_epi32(tags, scores))]
}

/// Σ gain · discount from the best place downwards.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
fn sum_gains(places: &[__m512d; PLACES], discounts: &[f64]) -> __m512d {
    let mut sums = _mm512_setzero_pd();
    for (place, discount) in places.iter().rev().zip(discounts) {
        let keys = _mm512_castpd_si512(*place);
        let gains = _mm512_slli_epi64::<16>(_mm512_xor_si512(keys, _mm512_srai_epi64::<63>(keys)));
        let gains = _mm512_cvtps_pd(_mm256_castsi256_ps(_mm512_cvtepi64_epi32(gains)));
        sums = _mm512_add_pd(sums, _mm512_mul_pd(gains, _mm512_set1_pd(*discount)));
    }
    sums
}
