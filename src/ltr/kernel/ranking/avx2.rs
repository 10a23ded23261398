//! Lists of the best documents with four keys per register.

use super::keys::{DOCUMENTS, EMPTY, PLACES, enter};
use super::{Documents, blocks, product};
use std::arch::x86_64::*;

/// Lanes of scores in a register.
const SCORES: usize = 8;

/// Lanes of keys in a register.
const KEYS: usize = 4;

/// The best documents under `R` times [`SCORES`] models.
struct Best<const R: usize> {
    /// Keys that rise. A register of scores becomes two of keys.
    places: [[[__m256d; PLACES]; 2]; R],
    /// By lane: all bits if a score was NaN.
    is_nan: [__m256; R],
}

/// The DCG of a query's documents under `L` models, where `L` is `R` times [`SCORES`].
#[target_feature(enable = "avx2")]
pub fn rank<const L: usize, const R: usize>(documents: &Documents, tags: &[u32], weights: &[[f32; L]], dcg: &mut [f64]) {
    const FEW: usize = DOCUMENTS / 2;
    let mut best = Best::<R>::new();
    for (rows, tags) in blocks(documents.rows, weights.len(), DOCUMENTS).zip(tags.chunks(DOCUMENTS)) {
        if tags.len() > FEW {
            best.enter(&product::<DOCUMENTS, L>(rows, weights), tags);
        } else {
            best.enter(&product::<FEW, L>(rows, weights), tags);
        }
    }
    best.total(documents.discounts, dcg);
}

/// The same with known scores.
#[target_feature(enable = "avx2")]
pub fn rank_scored<const L: usize, const R: usize>(scores: &[[f32; L]], documents: &Documents, tags: &[u32], dcg: &mut [f64]) {
    let mut best = Best::<R>::new();
    for (scores, tags) in scores.chunks(DOCUMENTS).zip(tags.chunks(DOCUMENTS)) {
        best.enter(scores, tags);
    }
    best.total(documents.discounts, dcg);
}

impl<const R: usize> Best<R> {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn new() -> Self {
        Self { places: [[[_mm256_set1_pd(EMPTY); PLACES]; 2]; R], is_nan: [_mm256_setzero_ps(); R] }
    }

    /// Lets up to [`DOCUMENTS`] documents enter, as many as there are tags.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn enter<const L: usize>(&mut self, scores: &[[f32; L]], tags: &[u32]) {
        for (r, (places, is_nan)) in self.places.iter_mut().zip(&mut self.is_nan).enumerate() {
            let mut halves = [[_mm256_set1_pd(EMPTY); DOCUMENTS]; 2];
            for (i, (scores, tag)) in scores.iter().zip(tags).take(DOCUMENTS).enumerate() {
                let scores: __m256 = bytemuck::cast(scores.as_chunks::<SCORES>().0[r]);
                *is_nan = _mm256_or_ps(*is_nan, _mm256_cmp_ps::<_CMP_UNORD_Q>(scores, scores));
                [halves[0][i], halves[1][i]] = keys(scores, *tag);
            }
            for (places, keys) in places.iter_mut().zip(halves) {
                enter(keys, places, |a, b| (_mm256_min_pd(a, b), _mm256_max_pd(a, b)));
            }
        }
    }

    /// The DCG of the listed documents.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn total(&self, discounts: &[f64], dcg: &mut [f64]) {
        let lanes = self.places.iter().zip(&self.is_nan).zip(dcg.as_chunks_mut::<SCORES>().0);
        for ((places, is_nan), dcg) in lanes {
            let is_nan: [u32; SCORES] = bytemuck::cast(*is_nan);
            for (half, places) in places.iter().enumerate() {
                let sums: [f64; KEYS] = bytemuck::cast(sum_gains(places, discounts));
                for (nth, sum) in sums.into_iter().enumerate() {
                    let lane = nth / 2 * 4 + half * 2 + nth % 2;
                    dcg[lane] = if is_nan[lane] == 0 { sum } else { f64::NAN };
                }
            }
        }
    }
}

/// The keys of one document: two lanes of every four, and the other two.
#[target_feature(enable = "avx2")]
#[inline]
fn keys(scores: __m256, tag: u32) -> [__m256d; 2] {
    // Adding 0 makes −0 equal to 0.
    let scores = _mm256_castps_si256(_mm256_add_ps(scores, _mm256_setzero_ps()));
    let tags = _mm256_xor_si256(_mm256_srai_epi32::<31>(scores), _mm256_set1_epi32(tag.cast_signed()));
    [_mm256_castsi256_pd(_mm256_unpacklo_epi32(tags, scores)), _mm256_castsi256_pd(_mm256_unpackhi_epi32(tags, scores))]
}

/// Σ gain · discount from the best place downwards.
#[target_feature(enable = "avx2")]
#[inline]
fn sum_gains(places: &[__m256d; PLACES], discounts: &[f64]) -> __m256d {
    let mut sums = _mm256_setzero_pd();
    for (place, discount) in places.iter().rev().zip(discounts) {
        let keys = _mm256_castpd_si256(*place);
        let is_negative = _mm256_shuffle_epi32::<0b11_11_01_01>(_mm256_srai_epi32::<31>(keys));
        let gains = _mm256_slli_epi32::<16>(_mm256_xor_si256(keys, is_negative));
        // The lower halves of all keys, side by side.
        let gains = _mm256_permutevar8x32_epi32(gains, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
        let gains = _mm256_cvtps_pd(_mm_castsi128_ps(_mm256_castsi256_si128(gains)));
        sums = _mm256_add_pd(sums, _mm256_mul_pd(gains, _mm256_set1_pd(*discount)));
    }
    sums
}
