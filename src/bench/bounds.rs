//! What the machine can do at best: arithmetic on one core, reading, and the bare products of documents and models.
//!
//! Bounds do their work in the order that the program's invariants demand: multiply, then add, each sum in one lane. They keep nothing
//! but the sums.

use super::timing::Clock::Processor;
use crate::instructions::{Instructions, kernel};
use crate::ltr::kernel::{self, TILE, WHOLE};
use serde::Serialize;
use std::hint::black_box;

/// The speeds of one core.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Bounds {
    /// Multiplications and additions of f32 per second, each an instruction of its own, at the instruction set in use.
    pub flops_per_second: f64,
    /// Bytes per second that are read from 256 KiB, which the nearer caches hold.
    pub near: f64,
    /// Bytes per second that are read from 16 MiB, which only a last-level cache holds.
    pub far: f64,
    /// Bytes per second that are read from 512 MiB.
    pub memory: f64,
}

impl Bounds {
    /// Measures them.
    pub fn measure() -> Self {
        let numbers = vec![1.0f32; (512 << 20) / 4];
        let speed = |bytes: usize, times: u32| {
            let aligned = numbers.as_ptr().align_offset(64);
            let part = &numbers[aligned..aligned + bytes / 4 - 16];
            let again = (4 << 20) / bytes + 1;
            (bytes * again) as f64 / Processor.shortest(times, || (0..again).for_each(|_| _ = black_box(read(black_box(part)))))
        };
        Self { flops_per_second: peak(), near: speed(256 << 10, 50), far: speed(16 << 20, 20), memory: speed(512 << 20, 3) }
    }

    /// The set of instructions and the speeds, line by line.
    pub fn show(&self) -> String {
        let gb = |speed: f64| format!("{:.1} GB/s", speed / 1e9);
        format!(
            "bounds of one core, {} instructions\n  multiply and add  {:.1} GFLOP/s, f32\n  read              {} of 256 KiB   {} of 16 MiB   {} of 512 MiB\n",
            Instructions::in_use().name(),
            self.flops_per_second / 1e9,
            gb(self.near),
            gb(self.far),
            gb(self.memory)
        )
    }
}

/// The best speed of multiplying and adding, over several numbers of sums that run at once.
fn peak() -> f64 {
    let (x, weights, mut sums) = ([[0.3; WHOLE]; 8], vec![0.1; 1 << 16], [[0.0; WHOLE]; 8]);
    let speed = |n_rows: usize| {
        let time = Processor.shortest(60, || multiply_add(n_rows, black_box(&x), black_box(&weights), black_box(&mut sums)));
        (2 * n_rows * WHOLE * weights.len()) as f64 / time
    };
    [1, 2, 3, 4, 6, 8].map(speed).into_iter().fold(0.0, f64::max)
}

/// Multiplies and adds in registers for some microseconds.
pub(super) fn spin() {
    multiply_add(4, black_box(&[[0.3; WHOLE]; 8]), black_box(&[0.1; 1 << 10]), &mut [[0.0; WHOLE]; 8]);
}

kernel! {
    fn multiply_add(n_rows: usize, x: &[[f32; WHOLE]; 8], weights: &[f32], sums: &mut [[f32; WHOLE]; 8]) {
        match n_rows {
            1 => chains::<1>(x, weights, sums),
            2 => chains::<2>(x, weights, sums),
            3 => chains::<3>(x, weights, sums),
            4 => chains::<4>(x, weights, sums),
            6 => chains::<6>(x, weights, sums),
            _ => chains::<8>(x, weights, sums),
        }
    }
}

#[inline(always)]
fn chains<const N: usize>(x: &[[f32; WHOLE]; 8], weights: &[f32], all: &mut [[f32; WHOLE]; 8]) {
    let mut sums = [[0.0f32; WHOLE]; N];
    for weight in weights {
        for (sums, x) in sums.iter_mut().zip(x) {
            for (sum, x) in sums.iter_mut().zip(x) {
                *sum += x * weight;
            }
        }
    }
    all[..N].copy_from_slice(&sums);
}

kernel! {
    /// Reads every number once.
    pub fn read(numbers: &[f32]) -> u32 {
        const TOGETHER: usize = 128;
        let mut all = [0u32; TOGETHER];
        let (blocks, rest) = numbers.as_chunks::<TOGETHER>();
        for block in blocks {
            for (all, number) in all.iter_mut().zip(block) {
                *all |= number.to_bits();
            }
        }
        all.iter().fold(0, |all, bits| all | bits) | rest.iter().fold(0, |all, number| all | number.to_bits())
    }
}

/// The bare product of tiled documents and models, in the history's layout and by the fastest of several blockings.
pub struct TileProduct {
    d: usize,
    /// The weights of four models side by side, group of models by group of models.
    weights: Vec<[f32; 4]>,
    n_together: usize,
    scores: Vec<[f32; TILE]>,
}

impl TileProduct {
    /// The product of documents of `d` features with `n_models` models, which lie in groups of four.
    pub fn new(tiles: &[[f32; TILE]], d: usize, n_models: usize) -> Self {
        let mut product = Self { d, weights: vec![[0.1; 4]; n_models.div_ceil(4) * d], n_together: 1, scores: Vec::new() };
        let sample = &tiles[..tiles.len().min(32 * d)];
        let mut time = |n_together: usize| {
            product.n_together = n_together;
            Processor.shortest(5, || product.run(sample))
        };
        let times = [1, 2, 4].map(|n_together| (n_together, time(n_together)));
        product.n_together = times.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1, |(n_together, _)| n_together);
        product
    }

    /// Computes all sums.
    pub fn run(&mut self, tiles: &[[f32; TILE]]) {
        self.scores.resize(8 * 4, [0.0; TILE]);
        multiply_tiles(black_box(tiles), self.d, &self.weights, self.n_together, &mut self.scores);
        black_box(&self.scores);
    }
}

kernel! {
    fn multiply_tiles(tiles: &[[f32; TILE]], d: usize, weights: &[[f32; 4]], n_together: usize, scores: &mut [[f32; TILE]]) {
        match n_together {
            1 => multiply_blocks::<1>(tiles, d, weights, scores),
            2 => multiply_blocks::<2>(tiles, d, weights, scores),
            _ => multiply_blocks::<4>(tiles, d, weights, scores),
        }
    }
}

/// All models pass over eight tiles before the next eight are read.
#[inline(always)]
fn multiply_blocks<const T: usize>(tiles: &[[f32; TILE]], d: usize, weights: &[[f32; 4]], scores: &mut [[f32; TILE]]) {
    for tiles in tiles.chunks(8 * d) {
        for weights in weights.chunks_exact(d) {
            let together = tiles.chunks_exact(T * d);
            for tile in together.remainder().chunks_exact(d) {
                multiply_block([tile], weights, &mut scores[..4]);
            }
            for tiles in together {
                multiply_block::<T>(std::array::from_fn(|t| &tiles[t * d..(t + 1) * d]), weights, &mut scores[..4 * T]);
            }
        }
    }
}

#[inline(always)]
fn multiply_block<const T: usize>(tiles: [&[[f32; TILE]]; T], weights: &[[f32; 4]], scores: &mut [[f32; TILE]]) {
    let mut sums = [[[0.0f32; TILE]; 4]; T];
    for (f, weights) in weights.iter().enumerate() {
        for (sums, tile) in sums.iter_mut().zip(tiles) {
            for (sums, weight) in sums.iter_mut().zip(weights) {
                for (sum, x) in sums.iter_mut().zip(&tile[f]) {
                    *sum += x * weight;
                }
            }
        }
    }
    scores.copy_from_slice(sums.as_flattened());
}

/// The bare product of documents and models, in the evaluation's layout and by the fastest of several blockings.
pub struct GroupProduct {
    /// The weights of each group of models.
    groups: Vec<Vec<[f32; WHOLE]>>,
    /// The same as the evaluation holds them.
    evaluated: Vec<kernel::Group>,
    /// How many documents share a pass over the weights; 0 stands for the blocking of the evaluation.
    n_together: usize,
}

impl GroupProduct {
    /// The product of documents of `d` features with `n_models` models.
    pub fn new(rows: &[f32], d: usize, n_models: usize) -> Self {
        let evaluated = kernel::Group::all(&vec![vec![0.1; d].as_slice(); n_models], d);
        let mut product = Self { groups: vec![vec![[0.1; WHOLE]; d]; n_models.div_ceil(WHOLE)], evaluated, n_together: 4 };
        let sample = &rows[..rows.len().min(128 * d)];
        let mut time = |n_together: usize| {
            product.n_together = n_together;
            Processor.shortest(5, || product.run(sample))
        };
        let times = [0, 2, 4, 6, 8].map(|n_together| (n_together, time(n_together)));
        product.n_together = times.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(4, |(n_together, _)| n_together);
        product
    }

    /// Computes all sums of the documents of one query.
    pub fn run(&self, rows: &[f32]) {
        if self.n_together == 0 {
            return self.evaluated.iter().for_each(|group| kernel::score_only(black_box(rows), group));
        }
        let mut sums = [[0.0; WHOLE]; 8];
        for weights in &self.groups {
            multiply_rows(black_box(rows), weights, self.n_together, black_box(&mut sums));
        }
    }
}

kernel! {
    fn multiply_rows(rows: &[f32], weights: &[[f32; WHOLE]], n_together: usize, sums: &mut [[f32; WHOLE]; 8]) {
        match n_together {
            2 => multiply_rows_of::<2>(rows, weights, sums),
            4 => multiply_rows_of::<4>(rows, weights, sums),
            6 => multiply_rows_of::<6>(rows, weights, sums),
            _ => multiply_rows_of::<8>(rows, weights, sums),
        }
    }
}

/// Several rows at a time, and the remaining ones one by one.
#[inline(always)]
fn multiply_rows_of<const R: usize>(rows: &[f32], weights: &[[f32; WHOLE]], all: &mut [[f32; WHOLE]; 8]) {
    let d = weights.len();
    let together = rows.chunks_exact(R * d);
    for row in together.remainder().chunks_exact(d) {
        all[..1].copy_from_slice(&sums_of([row], weights));
    }
    for rows in together {
        all[..R].copy_from_slice(&sums_of::<R>(std::array::from_fn(|r| &rows[r * d..(r + 1) * d]), weights));
    }
}

#[inline(always)]
fn sums_of<const R: usize>(rows: [&[f32]; R], weights: &[[f32; WHOLE]]) -> [[f32; WHOLE]; R] {
    let mut sums = [[0.0f32; WHOLE]; R];
    for (f, weights) in weights.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(rows) {
            let x = row[f];
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += x * weight;
            }
        }
    }
    sums
}
