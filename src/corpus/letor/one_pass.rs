//! Reads a text in one pass. This needs queries that each stand in one piece and a highest feature that can be guessed; almost every text
//! has both.
//!
//! The end of a line is found by reading its features, so no byte is read twice. This module explains no mistakes: it leaves every other
//! text, and every text with a flaw, to the two passes of `lines` and `fill`.

use super::Split;
use super::fill::Row;
use super::lines::{Head, body_end, head, line_end};
use super::minmax::normalize;
use super::tokens::{last_feature, scan_line};
use super::{Normalize, Options};
use ndarray::Array2;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Reads the documents of a text in parts of about `part_bytes`; `None` if one pass does not suffice or the features exceed `room` bytes.
pub fn read(text: &[u8], options: &Options, n_grades: u32, part_bytes: usize, room: u64) -> Option<Split> {
    let guess = Guess::of(text, options, n_grades, room)?;
    (guess.bytes(text.len()) <= room).then_some(())?;
    let parts: Option<Vec<Part>> =
        cut_between_queries(text, part_bytes, n_grades)?.into_par_iter().map(|range| guess.part(text, range)).collect();
    join(parts?, guess.n_features)
}

/// The layout of a text, guessed from a few of its lines.
struct Guess {
    normalize: Normalize,
    n_grades: u32,
    n_features: usize,
    /// The bytes that features may take.
    room: u64,
    /// The median length of a line, in bytes.
    line_bytes: usize,
}

/// The documents of a part of the text, in file order.
#[derive(Default)]
struct Part<'a> {
    rows: Vec<f32>,
    grades: Vec<u8>,
    queries: Vec<Query<'a>>,
}

struct Query<'a> {
    id: &'a [u8],
    /// The index of its first document in the part.
    start: usize,
}

impl Guess {
    /// Guesses from lines all over the text, because the first queries of a sparse text need not have all features.
    fn of(text: &[u8], options: &Options, n_grades: u32, room: u64) -> Option<Self> {
        const N_LINES: usize = 64;
        let (mut n_features, mut lengths) = (0, Vec::new());
        for i in 0..N_LINES {
            let start = if i == 0 { 0 } else { line_end(text, text.len() / N_LINES * i) + 1 };
            if let Some(Head { body_start, .. }) = head(text, start, n_grades).ok()? {
                let (end, next) = body_end(text, body_start);
                n_features = last_feature(&text[body_start..end]).max(n_features);
                lengths.push(next - start);
            }
        }
        lengths.sort_unstable();
        let n_features = options.features.unwrap_or(n_features) as usize;
        (n_features > 0).then_some(Self {
            normalize: options.normalize,
            n_grades,
            n_features,
            room,
            line_bytes: *lengths.get(lengths.len() / 2)?,
        })
    }

    /// The bytes that the features of a text of this length take, if its lines are of median length.
    fn bytes(&self, text_bytes: usize) -> u64 {
        (text_bytes.div_ceil(self.line_bytes) as u64).saturating_mul(4 * self.n_features as u64)
    }

    fn part<'a>(&self, text: &'a [u8], range: Range<usize>) -> Option<Part<'a>> {
        let mut part = Part::default();
        // An eighth more than guessed is reserved: unused room costs nothing, and missing room costs a copy.
        let n_documents = range.len() / self.line_bytes * 9 / 8;
        part.rows.try_reserve(n_documents.saturating_mul(self.n_features)).ok()?;
        let mut raw = Vec::new();
        let mut known = FxHashSet::default();
        let mut at = range.start;
        while at < range.end {
            let Some(Head { grade, qid, body_start }) = head(text, at, self.n_grades).ok()? else {
                at = line_end(text, at) + 1;
                continue;
            };
            if part.queries.last().is_none_or(|query| query.id != qid) {
                self.finish_query(&mut raw, &mut part.rows)?;
                (part.rows.len() as u64 <= self.room / 4).then_some(())?;
                known.insert(qid).then_some(())?;
                part.queries.push(Query { id: qid, start: part.grades.len() });
            }
            part.grades.push(grade);
            at = line_end(text, self.document(text, body_start, &mut part.rows, &mut raw)?) + 1;
        }
        self.finish_query(&mut raw, &mut part.rows)?;
        Some(part)
    }

    /// Reads the features of a document, and returns where they end.
    fn document(&self, text: &[u8], start: usize, rows: &mut Vec<f32>, raw: &mut Vec<f64>) -> Option<usize> {
        let read = match self.normalize {
            Normalize::AsIs => {
                let row = Row::new(add_rows(rows, self.n_features)?, |value| value as f32);
                scan_line(text, start, f64::from(f32::MAX), row)
            }
            Normalize::PerQuery => {
                let row = Row::new(add_rows(raw, self.n_features)?, |value| value);
                scan_line(text, start, f64::MAX, row)
            }
        };
        read.ok().filter(|read| read.highest as usize <= self.n_features).map(|read| read.end)
    }

    /// Normalises the documents of the query that was read last.
    fn finish_query(&self, raw: &mut Vec<f64>, rows: &mut Vec<f32>) -> Option<()> {
        normalize(raw, self.n_features, add_rows(rows, raw.len())?);
        raw.clear();
        Some(())
    }
}

/// Adds `n` values of 0 and returns them.
fn add_rows<T: Copy + Default>(rows: &mut Vec<T>, n: usize) -> Option<&mut [T]> {
    let before = rows.len();
    rows.try_reserve(n).ok()?;
    rows.resize(before + n, T::default());
    Some(&mut rows[before..])
}

/// Ranges of about `part_bytes`. Each ends where the query changes or where the text ends.
fn cut_between_queries(text: &[u8], part_bytes: usize, n_grades: u32) -> Option<Vec<Range<usize>>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let about = start.saturating_add(part_bytes).min(text.len());
        let end = query_change(text, line_end(text, about) + 1, n_grades)?.min(text.len());
        ranges.push(start..end);
        start = end;
    }
    Some(ranges)
}

/// The first line from `at` on whose query differs from that of the line before it.
fn query_change(text: &[u8], mut at: usize, n_grades: u32) -> Option<usize> {
    let mut last = None;
    while at < text.len() {
        if let Some(Head { qid, .. }) = head(text, at, n_grades).ok()?
            && *last.get_or_insert(qid) != qid
        {
            break;
        }
        at = line_end(text, at) + 1;
    }
    Some(at)
}

/// Joins the parts in order; `None` if a query stands in several of them.
fn join(parts: Vec<Part>, n_features: usize) -> Option<Split> {
    let mut known = FxHashSet::default();
    let mut starts = Vec::new();
    let mut all = Part::default();
    let n_documents = parts.iter().map(|part| part.grades.len()).sum();
    for part in parts {
        let before = all.grades.len();
        for query in part.queries {
            known.insert(query.id).then_some(())?;
            starts.push((before + query.start) as u32);
        }
        if before == 0 {
            // On a single thread there is no other part, so nothing is copied.
            (all.rows, all.grades) = (part.rows, part.grades);
            all.rows.try_reserve_exact(n_documents * n_features - all.rows.len()).ok()?;
        } else {
            all.rows.extend(part.rows);
            all.grades.extend(part.grades);
        }
    }
    starts.push(n_documents as u32);
    Some(Split::new(Array2::from_shape_vec((n_documents, n_features), all.rows).ok()?, all.grades, starts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::letor::parse_in_two_passes;
    use proptest::prelude::*;
    use std::path::Path;

    fn options(normalize: Normalize) -> Options {
        Options { normalize, features: None, grades: None }
    }

    #[track_caller]
    fn check(text: &str, one_pass: bool) {
        for part_bytes in 0..text.len() + 2 {
            let split = read(text.as_bytes(), &options(Normalize::AsIs), 5, part_bytes, u64::MAX);
            assert_eq!(split.is_some(), one_pass, "in parts of {part_bytes}: {text}");
        }
    }

    #[test]
    fn queries_must_stand_in_one_piece() {
        check("0 qid:a 1:1\n\n0 qid:a 1:1 # c\n# c\n0 qid:b 1:1\r\n0 qid:c 1:1", true);
        check("0 qid:a 1:1\n0 qid:b 1:1\n0 qid:a 1:1\n", false);
    }

    #[test]
    fn what_is_flawed_or_empty_is_left_to_others() {
        for text in
            ["", "\n", "0 qid:a\n", "0 qid:a 1:1\n9 qid:a 1:1\n", "0 qid:a 1:1\n0 qid:a 1:x\n", "0 qid:a 3:1 1:2\n", "0 qid:a 1:1\n1\n"]
        {
            check(text, false);
        }
    }

    proptest! {
        #[test]
        fn one_pass_reads_what_two_would(
            lengths in proptest::collection::vec(1..6usize, 1..12),
            values in proptest::collection::vec("(-?[0-9]{1,9}(\\.[0-9]{0,9})?|[0-9]|0\\.[0-9]{6}|[0-9]{1,3}e-?[0-9])", 1..60),
            end in prop_oneof![Just("\n"), Just("\r\n"), Just(" #c 5:6\n"), Just("#\n"), Just(" \n"), Just("\n\n# c\n")],
            part_bytes in 0..3_000usize,
            gap in 1..9usize,
        ) {
            let mut text = String::new();
            for (query, document) in lengths.iter().enumerate().flat_map(|(query, &n)| (0..n).map(move |document| (query, document))) {
                text += &format!("{} qid:{query}", document % 5);
                for (i, value) in values.iter().enumerate().filter(|(i, _)| (i + document) % gap != 1 || i + 1 == values.len()) {
                    text += &format!(" {}:{value}", i + 1);
                }
                text += end;
            }
            for normalize in [Normalize::AsIs, Normalize::PerQuery] {
                let split = read(text.as_bytes(), &options(normalize), 5, part_bytes, u64::MAX).expect("one_pass");
                let expect = parse_in_two_passes(text.as_bytes(), Path::new("t"), &options(normalize), 5, 1_000, u64::MAX).expect("well formed");
                prop_assert_eq!(split, expect);
            }
        }
    }
}
