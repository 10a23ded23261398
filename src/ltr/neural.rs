//! The neural ranker f(d) = w₂ᵀ σ(W₁ᵀd + b₁) with one hidden layer of sigmoid units and no output bias.
//!
//! θ is one flat vector: W₁ feature by feature (all units of a feature side by side), then b₁, then w₂.

mod gradient;

pub use gradient::{gradient, wide_score};

use super::kernel::TILE;
use crate::instructions::{Instructions, LINE, kernel, prefetch};
use crate::math;

/// The number of hidden units that share a pass over the documents' features.
const UNITS: usize = 4;

/// The number of documents side by side in a column: two vectors of AVX2, or one of AVX-512.
const LANES: usize = 16;

/// A model laid out for the kernel: its units are in blocks, and the last block is filled up with units of weight 0.
#[derive(Debug, Default)]
pub struct Packed {
    n_features: usize,
    /// The weights of each feature, block of units by block of units.
    first: Vec<[f32; UNITS]>,
    bias: Vec<[f32; UNITS]>,
    output: Vec<[f32; UNITS]>,
}

/// Buffers for scores and gradients, kept between calls to avoid allocations.
#[derive(Debug, Default)]
pub struct Buffers {
    packed: Packed,
    columns: Vec<[f32; LANES]>,
    scores: Vec<f32>,
    back: gradient::Buffers,
}

impl Packed {
    /// Lays out a model for documents of `d` features.
    pub fn new(theta: &[f32], d: usize) -> Self {
        let mut packed = Self::default();
        packed.pack(theta, d);
        packed
    }

    fn pack(&mut self, theta: &[f32], d: usize) {
        let hidden = n_hidden(theta.len(), d);
        let n_blocks = hidden.div_ceil(UNITS);
        self.n_features = d;
        self.first.resize(n_blocks * d, [0.0; UNITS]);
        self.bias.resize(n_blocks, [0.0; UNITS]);
        self.output.resize(n_blocks, [0.0; UNITS]);
        for (b, first) in self.first.chunks_exact_mut(d).enumerate() {
            let mut rows = theta.chunks_exact(hidden).map(|row| block_of_units(row, b));
            first.iter_mut().zip(&mut rows).for_each(|(weights, row)| *weights = row);
            (self.bias[b], self.output[b]) = rows.next().zip(rows.next()).expect("two rows follow those of the features");
        }
    }

    /// Scores all lanes of all tiles. In each vector lane, a unit sums over the features in order, and a score sums over the units in
    /// order.
    pub fn score_tiles(&self, tiles: &[[f32; TILE]], scores: &mut Vec<f32>) {
        scores.resize(tiles.len() / self.n_features * TILE, 0.0);
        score_columns(Source::Tiles(tiles), self, &mut Vec::new(), scores);
    }
}

/// Block `b` of a row with one weight per unit.
fn block_of_units(row: &[f32], b: usize) -> [f32; UNITS] {
    let units = &row[b * UNITS..];
    units.first_chunk().copied().unwrap_or_else(|| std::array::from_fn(|u| units.get(u).copied().unwrap_or(0.0)))
}

fn n_hidden(n_weights: usize, d: usize) -> usize {
    n_weights / (d + 2)
}

/// The scores of documents given row after row.
pub fn scores(rows: &[f32], d: usize, theta: &[f32], buffers: &mut Buffers, scores: &mut Vec<f64>) {
    let Buffers { packed, columns, scores: narrow, .. } = buffers;
    packed.pack(theta, d);
    narrow.resize(rows.len() / d, 0.0);
    score_columns(Source::Rows(rows), packed, columns, narrow);
    scores.clear();
    scores.extend(narrow.iter().copied().map(f64::from));
}

/// Where documents come from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Tiles(&'a [[f32; TILE]]),
    Rows(&'a [f32]),
}

impl Source<'_> {
    /// The numbers of the `n` documents from this one on, as far as they stand together.
    fn numbers(&self, document: usize, n: usize, d: usize) -> &[f32] {
        let numbers = match self {
            Source::Tiles(tiles) => tiles.as_flattened(),
            Source::Rows(rows) => rows,
        };
        let rest = &numbers[(document * d).min(numbers.len())..];
        &rest[..(n * d).min(rest.len())]
    }

    /// Copies a column of documents, from this one on, to place `t` of the columns.
    fn fill<const T: usize>(self, document: usize, t: usize, columns: &mut [[[f32; LANES]; T]]) {
        let d = columns.len();
        match self {
            Source::Tiles(tiles) => {
                let mut pair = tiles[document / TILE * d..].chunks_exact(d);
                for (half, tile) in [0..TILE, TILE..LANES].into_iter().zip(&mut pair) {
                    columns.iter_mut().zip(tile).for_each(|(column, x)| column[t][half.clone()].copy_from_slice(x));
                }
            }
            Source::Rows(rows) => {
                // Lanes without a document repeat the last one.
                let last = rows.len() - d;
                let rows: [&[f32]; LANES] = std::array::from_fn(|lane| &rows[((document + lane) * d).min(last)..][..d]);
                for (f, column) in columns.iter_mut().enumerate() {
                    column[t] = std::array::from_fn(|lane| rows[lane][f]);
                }
            }
        }
    }
}

/// Scores documents column by column.
fn score_columns(source: Source, model: &Packed, columns: &mut Vec<[f32; LANES]>, scores: &mut [f32]) {
    // Two columns and four units are eight sums of AVX-512, but sixteen of AVX2: too many for its registers.
    match Instructions::in_use() {
        Instructions::Avx512 => score_blocks::<2>(source, model, columns, scores, score_two_columns),
        Instructions::Avx2 | Instructions::Baseline => score_blocks::<1>(source, model, columns, scores, score_column),
    }
}

/// Scores T columns at a time.
fn score_blocks<const T: usize>(
    source: Source,
    model: &Packed,
    columns: &mut Vec<[f32; LANES]>,
    scores: &mut [f32],
    score: impl Fn(&[[[f32; LANES]; T]], &Packed, &mut [[f32; LANES]; T], &[f32]),
) {
    columns.resize(model.n_features * T, [0.0; LANES]);
    let (columns, _) = columns.as_chunks_mut::<T>();
    let mut block = [[0.0; LANES]; T];
    for (b, scores) in scores.chunks_mut(T * LANES).enumerate() {
        for t in 0..scores.len().div_ceil(LANES) {
            source.fill((b * T + t) * LANES, t, columns);
        }
        score(columns, model, &mut block, source.numbers((b + 1) * T * LANES, T * LANES, model.n_features));
        scores.copy_from_slice(&block.as_flattened()[..scores.len()]);
    }
}

kernel! {
    fn score_column(columns: &[[[f32; LANES]; 1]], model: &Packed, scores: &mut [[f32; LANES]; 1], next: &[f32]) {
        score_block(columns, model, scores, next);
    }

    fn score_two_columns(columns: &[[[f32; LANES]; 2]], model: &Packed, scores: &mut [[f32; LANES]; 2], next: &[f32]) {
        score_block(columns, model, scores, next);
    }
}

/// Computes four units of T columns at a time, and adds each to the scores as soon as it is known. Meanwhile the memory is asked for the
/// `next` documents.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "with iterators the sums would not stay in registers")]
fn score_block<const T: usize>(columns: &[[[f32; LANES]; T]], model: &Packed, scores: &mut [[f32; LANES]; T], next: &[f32]) {
    *scores = [[0.0; LANES]; T];
    let mut next = next.chunks(next.len().div_ceil(model.bias.len()).max(1));
    for ((first, bias), output) in model.first.chunks_exact(columns.len()).zip(&model.bias).zip(&model.output) {
        let part = next.next().unwrap_or_default();
        (0..part.len()).step_by(LINE).for_each(|i| prefetch(part, i));
        let mut sums = [bias.map(|b| [b; LANES]); T];
        for (columns, weights) in columns.iter().zip(first) {
            for t in 0..T {
                for u in 0..UNITS {
                    for lane in 0..LANES {
                        sums[t][u][lane] += columns[t][lane] * weights[u];
                    }
                }
            }
        }
        for t in 0..T {
            for u in 0..UNITS {
                for lane in 0..LANES {
                    scores[t][lane] += output[u] * math::sigmoid_f32(sums[t][u][lane]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeatable numbers in [−1, 1].
    pub(super) fn numbers(n: usize, salt: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 7919 + salt * 104_729 + i * i * 31) % 211) as f32 / 105.0 - 1.0).collect()
    }

    /// The sum of a unit over the features, in order.
    pub(super) fn unit_sum<T: Copy + Into<f64>>(
        x: &[f32],
        theta: &[T],
        hidden: usize,
        u: usize,
        add: impl Fn(f64, f64, f64) -> f64,
    ) -> f64 {
        let bias = theta[x.len() * hidden + u].into();
        x.iter().enumerate().fold(bias, |sum, (f, &x)| add(sum, f64::from(x), theta[f * hidden + u].into()))
    }

    #[test]
    fn any_number_of_documents_features_and_units_gives_the_bits_of_single_sums() {
        let narrow = |sum: f64, x: f64, w: f64| f64::from(sum as f32 + x as f32 * w as f32);
        for (n, d, hidden) in [(1, 1, 1), (5, 3, 4), (16, 5, 7), (17, 2, 9), (33, 6, 3), (70, 7, 12)] {
            let (rows, theta) = (numbers(n * d, 1), numbers((d + 2) * hidden, 2));
            let score = |row: &[f32]| {
                (0..hidden).fold(0.0, |score, u| {
                    score + theta[(d + 1) * hidden + u] * math::sigmoid_f32(unit_sum(row, &theta, hidden, u, narrow) as f32)
                })
            };
            let want: Vec<f32> = rows.chunks_exact(d).map(score).collect();
            for set in Instructions::ALL {
                set.use_at_most();
                let (mut by_rows, mut by_tiles) = (vec![1.0; 3], vec![1.0; 3]);
                scores(&rows, d, &theta, &mut Buffers::default(), &mut by_rows);
                Packed::new(&theta, d).score_tiles(&super::super::kernel::tiles(&rows, d), &mut by_tiles);
                assert_eq!(by_tiles[..n], want, "{n} tiled documents, {set:?}");
                assert!(by_rows.iter().eq(want.iter().map(|&s| f64::from(s)).collect::<Vec<_>>().iter()), "{n} documents, {set:?}");
            }
        }
    }

    #[test]
    fn saturated_units_stay_finite() {
        for scale in [1e3f32, 1e20, 3e38] {
            let theta: Vec<f32> = [1.0, -1.0, 1.0, -1.0, 0.0, 0.0].iter().map(|w| w * scale).chain([1.0, 1.0]).collect();
            let mut scores = Vec::new();
            Packed::new(&theta, 2).score_tiles(&super::super::kernel::tiles(&[0.5, 0.25], 2), &mut scores);
            assert_eq!(scores[0], 1.0, "one unit is on, the other off");
        }
    }
}
