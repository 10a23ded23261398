//! The linear ranker f(d) = θᵀd.

use crate::instructions::kernel;
use crate::math;

/// Documents are read four at a time: four features of four rows are turned into four lanes, one per document.
const QUAD: usize = 4;

/// The number of quads scored together. Their independent sums hide the latency of one.
const TOGETHER: usize = 3;

/// The scores of documents given row after row. Each is summed in feature order.
pub fn scores(rows: &[f32], theta: &[f32], scores: &mut Vec<f64>) {
    scores.resize(rows.len() / theta.len(), 0.0);
    score_rows(rows, theta, scores);
}

kernel! {
    fn score_rows(rows: &[f32], theta: &[f32], scores: &mut [f64]) {
        score_in_quads(rows, theta, scores);
    } => avx2 {
        if scores.len() < eights::EIGHT {
            return score_in_quads(rows, theta, scores);
        }
        eights::score(rows, theta, scores);
    }
}

#[inline(always)]
fn score_in_quads(rows: &[f32], theta: &[f32], scores: &mut [f64]) {
    let (n, d) = (scores.len(), theta.len());
    let together = n - n % (TOGETHER * QUAD);
    for (rows, scores) in rows.chunks_exact(TOGETHER * QUAD * d).zip(scores.chunks_exact_mut(TOGETHER * QUAD)) {
        score_quads::<TOGETHER>(rows, theta, scores);
    }
    for first in (together..n).step_by(QUAD) {
        // The last quad may include documents that have their scores already, and gives them the same ones.
        match n.checked_sub(QUAD).map(|last| first.min(last)) {
            Some(first) => score_quads::<1>(&rows[first * d..(first + QUAD) * d], theta, &mut scores[first..first + QUAD]),
            None => rows.chunks_exact(d).zip(&mut *scores).for_each(|(row, score)| *score = f64::from(math::dot(row, theta))),
        }
    }
}

/// Scores Q quads of documents.
#[inline(always)]
fn score_quads<const Q: usize>(rows: &[f32], theta: &[f32], scores: &mut [f64]) {
    let d = theta.len();
    let documents: [[&[f32]; QUAD]; Q] = std::array::from_fn(|q| std::array::from_fn(|i| &rows[(q * QUAD + i) * d..][..d]));
    let mut sums = [[0.0f32; QUAD]; Q];
    let (blocks, rest) = theta.as_chunks::<QUAD>();
    for (b, weights) in blocks.iter().enumerate() {
        for (sums, documents) in sums.iter_mut().zip(&documents) {
            let products: [[f32; QUAD]; QUAD] = std::array::from_fn(|i| {
                let x = &documents[i][b * QUAD..][..QUAD];
                std::array::from_fn(|f| x[f] * weights[f])
            });
            for f in 0..QUAD {
                for (sum, products) in sums.iter_mut().zip(&products) {
                    *sum += products[f];
                }
            }
        }
    }
    for (f, weight) in (blocks.len() * QUAD..).zip(rest) {
        for (sums, documents) in sums.iter_mut().zip(&documents) {
            for (sum, document) in sums.iter_mut().zip(documents) {
                *sum += document[f] * weight;
            }
        }
    }
    for (score, sum) in scores.iter_mut().zip(sums.as_flattened()) {
        *score = f64::from(*sum);
    }
}

/// The same with eight documents at a time, for AVX2: two quads lie side by side in the halves of a register. The compiler finds the
/// shuffles of four lanes by itself, but not these, which are twice as fast (53 instead of 28 GB/s from the cache of a Zen 5).
#[cfg(target_arch = "x86_64")]
mod eights {
    use super::QUAD;
    use crate::instructions::{LINE, prefetch};
    use std::arch::x86_64::*;

    pub const EIGHT: usize = 2 * QUAD;
    /// How many documents ahead memory is asked for. The processor itself looks too few instructions ahead to keep the memory busy.
    const AHEAD: usize = 2 * EIGHT;

    /// Scores at least eight documents.
    #[target_feature(enable = "avx2")]
    pub fn score(rows: &[f32], theta: &[f32], scores: &mut [f64]) {
        let (n, d) = (scores.len(), theta.len());
        for first in (0..n).step_by(EIGHT) {
            // The last eight may include documents that have their scores already, and get the same ones.
            let first = first.min(n - EIGHT);
            let eight = score_eight(&rows[first * d..], theta);
            scores[first..first + EIGHT].iter_mut().zip(eight).for_each(|(score, sum)| *score = f64::from(sum));
        }
    }

    /// Scores the first eight of these documents.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn score_eight(rows: &[f32], theta: &[f32]) -> [f32; EIGHT] {
        let d = theta.len();
        let documents: [&[f32]; EIGHT] = std::array::from_fn(|i| &rows[i * d..][..d]);
        let whole = d - d % QUAD;
        let mut sums = _mm256_setzero_ps();
        for f in (0..whole).step_by(QUAD) {
            // Two lines: as much as this turn of the loop reads.
            prefetch(rows, AHEAD * d + EIGHT * f);
            prefetch(rows, AHEAD * d + EIGHT * f + LINE);
            let weights = halves(&theta[f..], &theta[f..]);
            let products = |i: usize| _mm256_mul_ps(halves(&documents[i][f..], &documents[QUAD + i][f..]), weights);
            let (a, b, c, d) = (products(0), products(1), products(2), products(3));
            let (low_ab, low_cd) = (_mm256_unpacklo_ps(a, b), _mm256_unpacklo_ps(c, d));
            let (high_ab, high_cd) = (_mm256_unpackhi_ps(a, b), _mm256_unpackhi_ps(c, d));
            // Now one register after the other holds one feature of all eight documents.
            sums = _mm256_add_ps(sums, _mm256_shuffle_ps::<0x44>(low_ab, low_cd));
            sums = _mm256_add_ps(sums, _mm256_shuffle_ps::<0xEE>(low_ab, low_cd));
            sums = _mm256_add_ps(sums, _mm256_shuffle_ps::<0x44>(high_ab, high_cd));
            sums = _mm256_add_ps(sums, _mm256_shuffle_ps::<0xEE>(high_ab, high_cd));
        }
        let mut sums: [f32; EIGHT] = bytemuck::cast(sums);
        for f in whole..d {
            sums.iter_mut().zip(documents).for_each(|(sum, document)| *sum += document[f] * theta[f]);
        }
        sums
    }

    /// The first four numbers of two slices in the halves of one register.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn halves(low: &[f32], high: &[f32]) -> __m256 {
        let quad = |x: &[f32]| _mm_setr_ps(x[0], x[1], x[2], x[3]);
        _mm256_setr_m128(quad(&low[..QUAD]), quad(&high[..QUAD]))
    }
}

/// The score of one document, computed in f64.
pub fn wide_score(document: &[f32], theta: &[f64]) -> f64 {
    document.iter().zip(theta).map(|(&x, w)| f64::from(x) * w).sum()
}

/// The gradient g = Σ weight · d over documents and their weights.
pub fn gradient<'a>(documents: impl Iterator<Item = (&'a [f32], f64)>, gradient: &mut [f64]) {
    gradient.fill(0.0);
    for (document, weight) in documents.filter(|(_, weight)| *weight != 0.0) {
        add_scaled(gradient, document, weight);
    }
}

kernel! {
    /// sums += weight · x.
    fn add_scaled(sums: &mut [f64], x: &[f32], weight: f64) {
        sums.iter_mut().zip(x).for_each(|(sum, &x)| *sum += weight * f64::from(x));
    }
}

kernel! {
    /// θ ← (1 − α) θ + α θ′.
    pub fn interpolate(theta: &mut [f32], other: &[f32], alpha: f64) {
        for (w, &v) in theta.iter_mut().zip(other) {
            *w = ((1.0 - alpha) * f64::from(*w) + alpha * f64::from(v)) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;

    #[test]
    fn every_number_of_documents_and_features_gives_the_bits_of_single_sums() {
        for set in Instructions::ALL {
            set.use_at_most();
            for (n, d) in (0..30).flat_map(|n| [1, 3, 4, 13, 46].map(|d| (n, d))) {
                let rows: Vec<f32> = (0..n * d).map(|i| ((i * 37 % 101) as f32 - 50.0) / 7.0).collect();
                let theta: Vec<f32> = (0..d).map(|i| ((i * 29 % 17) as f32 - 8.0) / 3.0).collect();
                let want: Vec<f64> = rows.chunks_exact(d).map(|row| f64::from(math::dot(row, &theta))).collect();
                let mut got = vec![1.0; 7];
                scores(&rows, &theta, &mut got);
                assert_eq!(got, want, "{n} documents of {d} features, {set:?}");
            }
        }
    }

    #[test]
    fn interpolation_meets_both_ends() {
        let (a, b) = ([0.1f32, -3.0], [7.7f32, 0.3]);
        for (alpha, want) in [(0.0, a), (1.0, b)] {
            let mut theta = a;
            interpolate(&mut theta, &b, alpha);
            assert_eq!(theta, want);
        }
    }
}
