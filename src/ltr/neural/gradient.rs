//! The neural ranker in f64: its gradient by backpropagation, and its score.

use super::n_hidden;
use crate::instructions::kernel;
use crate::math;

/// The number of documents that share a pass over the weights.
const BACK: usize = 4;

/// θ in f64, the features of a few documents, and a number per document and unit.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    theta: Vec<f64>,
    x: Vec<f64>,
    units: Vec<f64>,
    deltas: Vec<f64>,
}

/// The score of one document, computed in f64.
pub fn wide_score(document: &[f32], theta: &[f64]) -> f64 {
    let hidden = n_hidden(theta.len(), document.len());
    let (mut x, mut units) = (Vec::new(), vec![0.0; hidden]);
    hidden_units(side_by_side([document], &mut x), theta, &mut units, add_product);
    units.iter().zip(&theta[theta.len() - hidden..]).map(|(h, w)| h * w).sum()
}

/// The gradient g = Σ weight · ∇f(d) over documents and their weights, by backpropagation.
pub fn gradient<'a, W: Copy + Into<f64>>(
    documents: impl Iterator<Item = (&'a [f32], f64)>,
    theta: &[W],
    d: usize,
    buffers: &mut super::Buffers,
    gradient: &mut [f64],
) {
    let Buffers { theta: wide, x, units, deltas } = &mut buffers.back;
    wide.clear();
    wide.extend(theta.iter().map(|&w| w.into()));
    let hidden = n_hidden(theta.len(), d);
    units.resize(BACK * hidden, 0.0);
    deltas.resize(BACK * hidden, 0.0);
    gradient.fill(0.0);
    let mut documents = documents.filter(|(_, weight)| *weight != 0.0);
    let mut few = [(&[][..], 0.0); BACK];
    loop {
        let n = few.iter_mut().zip(&mut documents).map(|(place, document)| *place = document).count();
        if n < BACK {
            for (row, weight) in &few[..n] {
                let x = side_by_side([row], x);
                hidden_units(x, wide, &mut units[..hidden], add_product);
                back([*weight], wide, units, deltas, gradient);
                add_outer_product(&mut gradient[..d * hidden], x, &deltas[..hidden]);
            }
            return;
        }
        let x = side_by_side(few.map(|(row, _)| row), x);
        hidden_units(x, wide, units, add_products);
        back(few.map(|(_, weight)| weight), wide, units, deltas, gradient);
        add_outer_products(&mut gradient[..d * hidden], x, deltas);
    }
}

/// The features of a few documents, side by side.
fn side_by_side<'a, const N: usize>(rows: [&[f32]; N], x: &'a mut Vec<f64>) -> &'a [[f64; N]] {
    x.resize(N * rows[0].len(), 0.0);
    let (x, _) = x.as_chunks_mut();
    for (f, x) in x.iter_mut().enumerate() {
        *x = rows.map(|row| f64::from(row[f]));
    }
    x
}

/// The hidden units σ(W₁ᵀd + b₁) of a few documents, document after document.
fn hidden_units<const N: usize>(x: &[[f64; N]], theta: &[f64], units: &mut [f64], add: impl Fn(&mut [f64], &[[f64; N]], &[f64])) {
    let hidden = units.len() / N;
    let (first, rest) = theta.split_at(x.len() * hidden);
    units.chunks_exact_mut(hidden).for_each(|sums| sums.copy_from_slice(&rest[..hidden]));
    add(units, x, first);
    math::sigmoids(units);
}

/// Adds the gradients of bias and output, and finds the deltas: the slope of each document's score by the sum of each unit, times its weight.
fn back<const N: usize>(weights: [f64; N], theta: &[f64], units: &[f64], deltas: &mut [f64], gradient: &mut [f64]) {
    let hidden = units.len() / BACK;
    let output = &theta[theta.len() - hidden..];
    let (rest, outer) = gradient.split_at_mut(theta.len() - hidden);
    let (_, bias) = rest.split_at_mut(theta.len() - 2 * hidden);
    for ((weight, units), deltas) in weights.iter().zip(units.chunks_exact(hidden)).zip(deltas.chunks_exact_mut(hidden)) {
        for ((delta, h), w) in deltas.iter_mut().zip(units).zip(output) {
            *delta = weight * w * h * (1.0 - h);
        }
        bias.iter_mut().zip(deltas).for_each(|(g, delta)| *g += *delta);
        outer.iter_mut().zip(units).for_each(|(g, h)| *g += weight * h);
    }
}

kernel! {
    /// sums += xᵀW.
    fn add_product(sums: &mut [f64], x: &[[f64; 1]], rows: &[f64]) {
        add_few_products(sums, x, rows);
    }

    /// The same for a few documents, whose sums stand one after another.
    fn add_products(sums: &mut [f64], x: &[[f64; BACK]], rows: &[f64]) {
        add_few_products(sums, x, rows);
    }

    /// W += x yᵀ.
    fn add_outer_product(rows: &mut [f64], x: &[[f64; 1]], y: &[f64]) {
        for (x, row) in x.iter().zip(rows.chunks_exact_mut(y.len())) {
            row.iter_mut().zip(y).for_each(|(w, y)| *w += x[0] * y);
        }
    }

    /// The same for a few documents, in their order.
    fn add_outer_products(rows: &mut [f64], x: &[[f64; BACK]], y: &[f64]) {
        let hidden = y.len() / BACK;
        let [a, b, c, e]: [&[f64]; BACK] = std::array::from_fn(|i| &y[i * hidden..(i + 1) * hidden]);
        for (x, row) in x.iter().zip(rows.chunks_exact_mut(hidden)) {
            for ((((w, a), b), c), e) in row.iter_mut().zip(a).zip(b).zip(c).zip(e) {
                *w = *w + x[0] * a + x[1] * b + x[2] * c + x[3] * e;
            }
        }
    }
}

/// Sums of eight units of each document stay in registers while all features pass.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "with iterators the sums would not stay in registers")]
fn add_few_products<const N: usize>(sums: &mut [f64], x: &[[f64; N]], rows: &[f64]) {
    const WIDTH: usize = 8;
    let hidden = sums.len() / N;
    let whole = hidden - hidden % WIDTH;
    for first in (0..whole).step_by(WIDTH) {
        let mut block: [[f64; WIDTH]; N] = std::array::from_fn(|i| std::array::from_fn(|u| sums[i * hidden + first + u]));
        for (x, row) in x.iter().zip(rows.chunks_exact(hidden)) {
            let weights = &row[first..first + WIDTH];
            for i in 0..N {
                for u in 0..WIDTH {
                    block[i][u] += x[i] * weights[u];
                }
            }
        }
        for (i, block) in block.iter().enumerate() {
            sums[i * hidden + first..][..WIDTH].copy_from_slice(block);
        }
    }
    for (i, sums) in sums.chunks_exact_mut(hidden).enumerate() {
        for (x, row) in x.iter().zip(rows.chunks_exact(hidden)) {
            sums[whole..].iter_mut().zip(&row[whole..]).for_each(|(sum, w)| *sum += x[i] * w);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Buffers;
    use super::super::tests::{numbers, unit_sum};
    use super::*;
    use crate::instructions::Instructions;

    #[test]
    fn two_units_by_hand() {
        // W₁ = [[1, −1], [0.5, 2]], b₁ = [0.1, −0.2], w₂ = [3, −4].
        let theta = [1.0, -1.0, 0.5, 2.0, 0.1, -0.2, 3.0, -4.0];
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let (a, b) = (sigmoid(2.0 - 0.5 + 0.1), sigmoid(-2.0 - 2.0 - 0.2));
        let want = 3.0 * a - 4.0 * b;
        assert!((wide_score(&[2.0, -1.0], &theta) - want).abs() < 1e-15);
        let mut got = [9.0; 8];
        gradient([([2.0f32, -1.0].as_slice(), 1.0)].into_iter(), &theta, 2, &mut Buffers::default(), &mut got);
        let (da, db) = (3.0 * a * (1.0 - a), -4.0 * b * (1.0 - b));
        let want = [2.0 * da, 2.0 * db, -da, -db, da, db, a, b];
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-15), "{got:?}");
    }

    #[test]
    fn the_gradient_of_any_number_of_documents_has_the_bits_of_single_sums() {
        for (n, d, hidden) in [(0, 2, 3), (1, 1, 1), (3, 5, 8), (4, 3, 9), (11, 4, 17)] {
            let (rows, theta) = (numbers(n * d, 3), numbers((d + 2) * hidden, 4));
            // Documents of weight 0 are left out.
            let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64 - 1.0).collect();
            let mut want = vec![0.0; theta.len()];
            for (row, weight) in rows.chunks_exact(d).zip(&weights).filter(|(_, weight)| **weight != 0.0) {
                for u in 0..hidden {
                    let h = math::sigmoid(unit_sum(row, &theta, hidden, u, |sum, x, w| sum + x * w));
                    let delta = weight * f64::from(theta[(d + 1) * hidden + u]) * h * (1.0 - h);
                    row.iter().enumerate().for_each(|(f, &x)| want[f * hidden + u] += f64::from(x) * delta);
                    want[d * hidden + u] += delta;
                    want[(d + 1) * hidden + u] += weight * h;
                }
            }
            for set in Instructions::ALL {
                set.use_at_most();
                let mut got = vec![9.0; theta.len()];
                gradient(rows.chunks_exact(d).zip(weights.iter().copied()), &theta, d, &mut Buffers::default(), &mut got);
                assert_eq!(got, want, "{n} documents, {set:?}");
            }
        }
    }
}
