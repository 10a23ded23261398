//! Documents in tiles, and the product history × received models.
//!
//! A tile holds several documents side by side: `tile[f]` has feature f of each of them, one per vector lane.

use crate::instructions::{Instructions, kernel, prefetch};

/// The number of documents in a tile of neural models.
pub const TILE: usize = 8;

/// The number of documents in a tile of linear models: one vector of AVX-512, or two of AVX2.
pub const LANES: usize = 16;

/// The number of models that a history is scored under at a time, so that their scores stay in a cache.
pub const BATCH: usize = 8;

/// The number of tiles that stay in a cache while they are scored under all models.
const BLOCK: usize = 4;

/// Arranges documents, given row after row, in tiles of `d` features. Unused lanes hold zeros.
pub fn tiles(rows: &[f32], d: usize) -> Vec<[f32; TILE]> {
    let n_rows = rows.len() / d;
    let mut tiles = vec![[0.0; TILE]; n_rows.div_ceil(TILE) * d];
    for (rows, tile) in rows.chunks(TILE * d).zip(tiles.chunks_exact_mut(d)) {
        for (lane, row) in rows.chunks_exact(d).enumerate() {
            row.iter().zip(tile.iter_mut()).for_each(|(&x, column)| column[lane] = x);
        }
    }
    tiles
}

/// Scores every tiled document under each linear model. `scores[m]` gets a score for each lane of each tile, from place `first` on.
///
/// # Panics
/// Panics if `scores` has no room for them.
pub fn score_tiles(tiles: &[[f32; LANES]], models: &[&[f32]], first: usize, scores: &mut [Vec<f32>]) {
    let Some(d) = models.first().map(|theta| theta.len()) else { return };
    let many_registers = Instructions::in_use() == Instructions::Avx512;
    for (b, block) in tiles.chunks(BLOCK * d).enumerate() {
        let next = &tiles[((b + 1) * BLOCK * d).min(tiles.len())..];
        score_block(block, next, models, first + b * BLOCK * LANES, many_registers, scores);
    }
}

kernel! {
    /// Scores the documents of one block under at most four models at a time, in groups of nearly equal size. With the first group, if
    /// it has three or four, the memory is asked for the `next` documents.
    fn score_block(
        tiles: &[[f32; LANES]],
        next: &[[f32; LANES]],
        models: &[&[f32]],
        first: usize,
        many_registers: bool,
        scores: &mut [Vec<f32>],
    ) {
        let (mut models, mut scores, mut next) = (models, scores, next);
        while !models.is_empty() {
            let n = models.len().div_ceil(models.len().div_ceil(4));
            let (group, other_models) = models.split_at(n);
            let (group_scores, other_scores) = scores.split_at_mut(n);
            // Eight independent sums hide the latency of one. AVX2 has registers for eight sums of eight lanes.
            match *group {
                [a, b, c, d] if many_registers => score_group::<4, 2>(tiles, next, [a, b, c, d], first, group_scores),
                [a, b, c, d] => score_group::<4, 1>(tiles, next, [a, b, c, d], first, group_scores),
                [a, b, c] => score_group::<3, 2>(tiles, next, [a, b, c], first, group_scores),
                [a, b] => score_group::<2, 2>(tiles, next, [a, b], first, group_scores),
                [a] => score_group::<1, 4>(tiles, next, [a], first, group_scores),
                _ => unreachable!("a group has one to four models"),
            }
            (models, scores, next) = (other_models, other_scores, &[]);
        }
    }
}

/// Scores M models on T tiles at a time, and on the remaining tiles one by one. The memory is asked for `next` tiles, where there are as many.
#[inline(always)]
fn score_group<const M: usize, const T: usize>(
    tiles: &[[f32; LANES]],
    next: &[[f32; LANES]],
    models: [&[f32]; M],
    first: usize,
    scores: &mut [Vec<f32>],
) {
    let d = models[0].len();
    let together = tiles.len() / (T * d) * (T * d);
    for (i, tiles) in tiles[..together].chunks_exact(T * d).enumerate() {
        // Asking again for what is at hand costs less than asking whether there is more.
        let next = next.get(i * T * d..(i + 1) * T * d).unwrap_or(tiles);
        score_tiles_at::<M, T>(tiles, next, models, first + i * T * LANES, scores);
    }
    for (i, tile) in tiles[together..].chunks_exact(d).enumerate() {
        score_tiles_at::<M, 1>(tile, tile, models, first + together / d * LANES + i * LANES, scores);
    }
}

/// Scores M models on T tiles at once, and asks the memory for T others if M is more than two. A product has a variable of its own: with other
/// spellings, LLVM transposes the sums at every feature.
#[inline(always)]
fn score_tiles_at<const M: usize, const T: usize>(
    tiles: &[[f32; LANES]],
    next: &[[f32; LANES]],
    models: [&[f32]; M],
    first: usize,
    scores: &mut [Vec<f32>],
) {
    let d = models[0].len();
    let models: [&[f32]; M] = models.map(|theta| &theta[..d]);
    let [tiles, next]: [[&[[f32; LANES]]; T]; 2] = [tiles, next].map(|tiles| std::array::from_fn(|t| &tiles[t * d..(t + 1) * d]));
    let mut sums = [[[0.0f32; LANES]; M]; T];
    for f in 0..d {
        for t in 0..T {
            let x: [f32; LANES] = tiles[t][f];
            // Fewer models read as fast as the cache gives, and a request would take the place of a read.
            if M > 2 {
                prefetch(&next[t][f], 0);
            }
            for m in 0..M {
                let weight = [models[m][f]; LANES];
                let products: [f32; LANES] = std::array::from_fn(|lane| x[lane] * weight[lane]);
                for lane in 0..LANES {
                    sums[t][m][lane] += products[lane];
                }
            }
        }
    }
    for (t, sums) in sums.into_iter().enumerate() {
        for (scores, sums) in scores.iter_mut().zip(sums) {
            scores[first + t * LANES..][..LANES].copy_from_slice(&sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
    use crate::math;

    /// Small whole numbers, so that ties are common.
    fn numbers(n: usize, salt: usize) -> Vec<f32> {
        (0..n).map(|i| ((i * 7919 + salt * 104_729 + i * i * 31) % 7) as f32 - 3.0).collect()
    }

    #[test]
    fn a_batch_scores_like_each_model_alone_on_every_set_of_instructions() {
        let (d, n_tiles) = (11, 9usize);
        let rows: Vec<f32> = numbers(n_tiles * LANES * d, 1).iter().map(|x| x / 3.0).collect();
        let mut tiles = vec![[0.0; LANES]; n_tiles * d];
        for (r, row) in rows.chunks_exact(d).enumerate() {
            row.iter().enumerate().for_each(|(f, &x)| tiles[r / LANES * d + f][r % LANES] = x);
        }
        for (n_models, set) in (1..=BATCH + 3).flat_map(|n| Instructions::ALL.map(|set| (n, set))) {
            set.use_at_most();
            let models: Vec<Vec<f32>> = (0..n_models).map(|m| numbers(d, m + 2).iter().map(|x| x / 7.0).collect()).collect();
            let borrowed: Vec<&[f32]> = models.iter().map(Vec::as_slice).collect();
            let mut scores = vec![vec![f32::NAN; 5 + n_tiles * LANES]; n_models];
            score_tiles(&tiles, &borrowed, 5, &mut scores);
            for (theta, scores) in models.iter().zip(&scores) {
                let want: Vec<f32> = rows.chunks_exact(d).map(|row| math::dot(row, theta)).collect();
                assert_eq!(scores[5..], want, "{n_models} models, {set:?}");
            }
        }
    }
}
