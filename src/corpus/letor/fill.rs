//! The second pass: the features of every document, in parallel over queries, normalised one query at a time.

use super::lines::{Flaw, Line, Outline};
use super::tokens::scan;
use super::{Normalize, Options};
use ndarray::Array2;
use rayon::prelude::*;

/// The feature matrix, one row per document in the outline's order.
///
/// # Errors
/// The first flaw in file order.
pub fn features(text: &[u8], outline: &Outline, options: &Options) -> Result<Array2<f32>, Flaw> {
    let mut n_features = options.features.unwrap_or(outline.last_feature);
    loop {
        let mut matrix = zeros(outline, n_features)?;
        let highest = fill(text, outline, options, n_features, matrix.as_slice_mut().expect("standard layout"))?;
        if highest <= n_features {
            return Ok(matrix);
        }
        // The outline looked at the last token of each line only. A text whose features are out of order is read once more, wider.
        n_features = highest;
    }
}

fn zeros(outline: &Outline, n_features: u32) -> Result<Array2<f32>, Flaw> {
    let shape = (outline.lines.len(), n_features as usize);
    let mut values: Vec<f32> = Vec::new();
    let room = shape.0.checked_mul(shape.1).and_then(|n| values.try_reserve_exact(n).ok().map(|()| n));
    let Some(n) = room else {
        let line = outline.lines.first().map_or(1, |line| line.number);
        return Err(Flaw {
            line,
            what: format!("{} documents of {} features do not fit in memory; correct features that are too high", shape.0, shape.1),
        });
    };
    values.resize(n, 0.0);
    Ok(Array2::from_shape_vec(shape, values).expect("as many values as the shape has"))
}

/// Fills the rows and returns the highest feature met.
fn fill(text: &[u8], outline: &Outline, options: &Options, n_features: u32, matrix: &mut [f32]) -> Result<u32, Flaw> {
    let mut rest = matrix;
    let queries: Vec<(&[Line], &mut [f32])> = outline
        .starts
        .windows(2)
        .map(|range| {
            let lines = &outline.lines[range[0] as usize..range[1] as usize];
            let (rows, after) = std::mem::take(&mut rest).split_at_mut(lines.len() * n_features as usize);
            rest = after;
            (lines, rows)
        })
        .collect();
    queries
        .into_par_iter()
        .map_init(Vec::new, |scratch, (lines, rows)| match options.normalize {
            Normalize::AsIs => as_is(text, lines, options, n_features, rows),
            Normalize::PerQuery => per_query(text, lines, options, n_features, rows, scratch),
        })
        .reduce(|| Ok(0), first_flaw)
}

/// Associative and commutative, so that the order in which threads finish does not show.
fn first_flaw(a: Result<u32, Flaw>, b: Result<u32, Flaw>) -> Result<u32, Flaw> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(a.max(b)),
        (Err(a), Err(b)) => Err(if a.line <= b.line { a } else { b }),
        (Err(flaw), Ok(_)) | (Ok(_), Err(flaw)) => Err(flaw),
    }
}

fn as_is(text: &[u8], lines: &[Line], options: &Options, n_features: u32, rows: &mut [f32]) -> Result<u32, Flaw> {
    let mut highest = 0;
    for (line, row) in lines.iter().zip(rows.chunks_mut((n_features as usize).max(1))) {
        let scanned = scan(text, line.body.clone(), f64::from(f32::MAX), |feature, value| {
            if let Some(slot) = row.get_mut(feature as usize - 1) {
                *slot = value as f32;
            }
        });
        highest = highest.max(within(scanned, line, options)?);
    }
    Ok(highest)
}

fn per_query(
    text: &[u8],
    lines: &[Line],
    options: &Options,
    n_features: u32,
    rows: &mut [f32],
    scratch: &mut Vec<f64>,
) -> Result<u32, Flaw> {
    let d = (n_features as usize).max(1);
    scratch.clear();
    scratch.resize(lines.len() * d, 0.0);
    let mut highest = 0;
    for (line, row) in lines.iter().zip(scratch.chunks_mut(d)) {
        let scanned = scan(text, line.body.clone(), f64::MAX, |feature, value| {
            if let Some(slot) = row.get_mut(feature as usize - 1) {
                *slot = value;
            }
        });
        highest = highest.max(within(scanned, line, options)?);
    }
    normalize(scratch, d, rows);
    Ok(highest)
}

/// Adds the line to a complaint, and holds a given number of features.
fn within(scanned: Result<u32, String>, line: &Line, options: &Options) -> Result<u32, Flaw> {
    let flaw = |what| Flaw { line: line.number, what };
    let highest = scanned.map_err(flaw)?;
    match options.features {
        Some(n) if highest > n => {
            Err(flaw(format!("feature {highest} exceeds the {n} seen before; pass features: {highest} if that is meant")))
        }
        _ => Ok(highest),
    }
}

/// Min–max of each of the `d` columns of one query's `values` in f64, stored as f32; a constant column becomes 0.
pub fn normalize(values: &[f64], d: usize, rows: &mut [f32]) {
    let (mut min, mut max) = (vec![f64::INFINITY; d], vec![f64::NEG_INFINITY; d]);
    for row in values.chunks_exact(d) {
        for ((min, max), &v) in min.iter_mut().zip(&mut max).zip(row) {
            *min = if v < *min { v } else { *min };
            *max = if v > *max { v } else { *max };
        }
    }
    // The range of the largest numbers is itself too large: those columns are halved first, which the division undoes.
    let scale: Vec<f64> = min.iter().zip(&max).map(|(min, max)| if (max - min).is_finite() { 1.0 } else { 0.5 }).collect();
    let range: Vec<f64> = min.iter().zip(&max).zip(&scale).map(|((min, max), scale)| scale * max - scale * min).collect();
    for (row, out) in values.chunks_exact(d).zip(rows.chunks_exact_mut(d)) {
        for ((((out, &v), min), range), scale) in out.iter_mut().zip(row).zip(&min).zip(&range).zip(&scale) {
            *out = if *range > 0.0 { ((scale * v - scale * min) / range) as f32 } else { 0.0 };
        }
    }
}
