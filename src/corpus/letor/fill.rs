//! The second pass reads the features of every document, in parallel over queries, and normalises one query at a time.

use super::lines::{Flaw, Line, Outline};
use super::minmax::normalize;
use super::tokens::{Sink, put_each, scan};
use super::{Normalize, Options};
use crate::units::{counted, size};
use ndarray::Array2;
use rayon::prelude::*;

/// The feature matrix, one row per document in the outline's order.
///
/// # Errors
/// Fails with the first flaw in file order, or if the matrix does not fit into `room` bytes.
pub fn features(text: &[u8], outline: &Outline, options: &Options, room: u64) -> Result<Array2<f32>, Flaw> {
    let mut n_features = options.features.unwrap_or(outline.last_feature);
    loop {
        let mut matrix = zeros(outline, n_features, room)?;
        let highest = fill(text, outline, options, n_features, matrix.as_slice_mut().expect("standard layout"))?;
        if highest <= n_features {
            return Ok(matrix);
        }
        // The outline looked only at the last token of each line. If features are out of order, the text is read again into wider rows.
        n_features = highest;
    }
}

fn zeros(outline: &Outline, n_features: u32, room: u64) -> Result<Array2<f32>, Flaw> {
    let shape = (outline.lines.len(), n_features as usize);
    let mut values: Vec<f32> = Vec::new();
    let fits = |n: &usize| *n as u64 <= room / 4;
    let reserved = shape.0.checked_mul(shape.1).filter(fits).and_then(|n| values.try_reserve_exact(n).ok().map(|()| n));
    let Some(n) = reserved else {
        let line = outline.lines.first().map_or(1, |line| line.number);
        let (documents, features) = (counted(shape.0 as u64, "document"), counted(shape.1 as u64, "feature"));
        let bytes = size(shape.0 as f64 * shape.1 as f64 * 4.0);
        let what = format!("{documents} of {features} are {bytes}, which do not fit in memory; correct features that are too high");
        return Err(Flaw { line, what });
    };
    values.resize(n, 0.0);
    Ok(Array2::from_shape_vec(shape, values).expect("as many values as the shape has"))
}

/// Fills the rows and returns the highest feature of the text.
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

/// The earlier of two flaws, or else the higher of two features. The order in which threads finish does not change the result.
fn first_flaw(a: Result<u32, Flaw>, b: Result<u32, Flaw>) -> Result<u32, Flaw> {
    match (a, b) {
        (Ok(a), Ok(b)) => Ok(a.max(b)),
        (Err(a), Err(b)) => Err(if a.line <= b.line { a } else { b }),
        (Err(flaw), Ok(_)) | (Ok(_), Err(flaw)) => Err(flaw),
    }
}

fn as_is(text: &[u8], lines: &[Line], options: &Options, n_features: u32, rows: &mut [f32]) -> Result<u32, Flaw> {
    rows_of(text, lines, options, f64::from(f32::MAX), rows, n_features, |value| value as f32)
}

fn per_query(
    text: &[u8],
    lines: &[Line],
    options: &Options,
    n_features: u32,
    rows: &mut [f32],
    scratch: &mut Vec<f64>,
) -> Result<u32, Flaw> {
    scratch.clear();
    scratch.resize(rows.len(), 0.0);
    let highest = rows_of(text, lines, options, f64::MAX, scratch, n_features, |value| value)?;
    normalize(scratch, (n_features as usize).max(1), rows);
    Ok(highest)
}

fn rows_of<T: Copy>(
    text: &[u8],
    lines: &[Line],
    options: &Options,
    largest: f64,
    rows: &mut [T],
    n_features: u32,
    store: impl Fn(f64) -> T + Copy,
) -> Result<u32, Flaw> {
    let mut highest = 0;
    let mut rows = rows.chunks_exact_mut((n_features as usize).max(1));
    for line in lines {
        let row = Row { values: rows.next().unwrap_or_default(), store };
        let last = within(scan(text, line.body.clone(), largest, row), line, options)?;
        highest = highest.max(last);
    }
    Ok(highest)
}

/// A row of the matrix. A feature beyond its end is left out; the text is then read again into wider rows.
pub struct Row<'a, T, F> {
    values: &'a mut [T],
    store: F,
}

impl<'a, T, F> Row<'a, T, F> {
    /// A row that stores each value as `store` converts it.
    pub fn new(values: &'a mut [T], store: F) -> Self {
        Self { values, store }
    }
}

impl<T: Copy, F: Fn(f64) -> T + Copy> Sink for Row<'_, T, F> {
    #[inline(always)]
    fn put(&mut self, feature: u32, value: f64) {
        if let Some(slot) = self.values.get_mut(feature as usize - 1) {
            *slot = (self.store)(value);
        }
    }

    #[inline(always)]
    fn put_four(&mut self, last: u32, values: [f64; 4]) {
        match self.values.get_mut(last as usize..last as usize + 4) {
            Some(four) => four.copy_from_slice(&values.map(self.store)),
            None => put_each(self, last, values),
        }
    }
}

/// Adds the line to a message, and checks the number of features if the options give one.
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
