//! Min–max normalisation of one query.

use crate::instructions::kernel;

kernel! {
    /// Normalises each of the `d` columns of one query's `values` to [0, 1], in f64, and stores them as f32. A constant column becomes 0.
    pub fn normalize(values: &[f64], d: usize, rows: &mut [f32]) {
        let mut first = 0;
        while first < d {
            first += match d - first {
                8.. => columns::<8>(values, d, rows, first),
                4.. => columns::<4>(values, d, rows, first),
                _ => columns::<1>(values, d, rows, first),
            };
        }
    }
}

/// Normalises the `W` columns from `first`. They are few enough to keep their extremes in registers.
#[inline(always)]
fn columns<const W: usize>(values: &[f64], d: usize, rows: &mut [f32], first: usize) -> usize {
    let (mut min, max) = extremes::<W>(values, d, first);
    let (mut scale, mut range, mut varies) = ([1.0; W], [0.0; W], [0; W]);
    for i in 0..W {
        // The range of the largest numbers overflows. Such columns are halved first; the division cancels that.
        scale[i] = if (max[i] - min[i]).is_finite() { 1.0 } else { 0.5 };
        min[i] *= scale[i];
        range[i] = scale[i] * max[i] - min[i];
        varies[i] = if range[i] > 0.0 { u32::MAX } else { 0 };
    }
    for (row, out) in values.chunks_exact(d).zip(rows.chunks_exact_mut(d)) {
        let (row, out) = (&row[first..first + W], &mut out[first..first + W]);
        for i in 0..W {
            let value = ((scale[i] * row[i] - min[i]) / range[i]) as f32;
            // A mask, because with a branch the compiler would not vectorise the division.
            out[i] = f32::from_bits(value.to_bits() & varies[i]);
        }
    }
    W
}

/// The smallest and the largest value of each column. This is a function of its own because both loops become slow when compiled together.
#[inline(never)]
fn extremes<const W: usize>(values: &[f64], d: usize, first: usize) -> ([f64; W], [f64; W]) {
    let (mut min, mut max) = ([f64::INFINITY; W], [f64::NEG_INFINITY; W]);
    for row in values.chunks_exact(d) {
        let row = &row[first..first + W];
        for i in 0..W {
            min[i] = if row[i] < min[i] { row[i] } else { min[i] };
            max[i] = if row[i] > max[i] { row[i] } else { max[i] };
        }
    }
    (min, max)
}
