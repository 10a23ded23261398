//! LETOR text: `<label> qid:<id> <feature>:<value> … # comment`, one document per line.
//!
//! Features are numbered from 1, and absent ones are 0. The documents of a query need not stand together; queries keep the order of their
//! first appearance. Values are read and normalised in f64 (Istella holds 1.797e308) and stored in f32; each thread holds only one query in
//! f64.
//!
//! `one_pass` reads a text in a single pass if each query stands in one piece. Any other text takes two passes: `lines` finds the
//! documents, and `fill` reads their features. All of them work in parallel. The result depends neither on the threads nor on where the
//! text was cut, and of several flaws the first in file order is reported.

mod decimal;
mod fast_line;
mod fill;
mod kernel;
mod lines;
mod minmax;
mod names;
mod one_pass;
pub mod source;
mod tokens;
mod weights;

pub use lines::{Flaw, Line, Outline};
pub use minmax::normalize;
pub use tokens::scan;

use super::dataset::{Normalize, Split};
use crate::error::{Error, Result};
use std::path::Path;

/// The options for reading a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Whether features are normalised within each query.
    pub normalize: Normalize,
    /// The number of features; by default the highest number in the text.
    pub features: Option<u32>,
    /// The number of grades; labels must be below it. By default 5.
    pub grades: Option<u32>,
}

/// The size of a chunk: small enough that two threads share a small file, and large enough that cutting costs nothing.
const CHUNK_BYTES: usize = 1 << 20;

/// The largest number of grades of the public sets. A higher label is more likely a damaged line than intended.
const DEFAULT_GRADES: u32 = 5;

/// Reads a whole text. Messages begin with `name`.
///
/// # Errors
/// Fails with the first flaw in file order, its line and its remedy.
pub fn parse(text: &[u8], name: &Path, options: &Options) -> Result<Split> {
    parse_within(text, name, options, u64::MAX)
}

/// Reads a whole text whose features must fit into `room` bytes.
///
/// # Errors
/// Fails as [`parse`] does, or if the features do not fit.
pub fn parse_within(text: &[u8], name: &Path, options: &Options, room: u64) -> Result<Split> {
    parse_in_chunks(text, name, options, CHUNK_BYTES, room)
}

/// The places of the documents of a text. Its flaw is not yet an error, because a flaw among the features may come before it.
pub fn outline(text: &[u8], n_grades: u32) -> Outline {
    lines::outline(text, n_grades, CHUNK_BYTES)
}

/// The error for a flaw of `text`, or for a text that holds no document.
pub fn refusal(text: &[u8], name: &Path, flaw: Option<&Flaw>) -> Error {
    let name = name.display();
    match flaw {
        _ if text.is_empty() => Error::input(format!("{name}: is empty; it should hold LETOR text")),
        // The flaw does not matter here: these bytes were never meant to be read as text.
        _ if !is_text(text, flaw) => Error::input(format!("{name}: is not text; it should hold LETOR text, plain or as .gz")),
        Some(Flaw { line, what }) => Error::input(format!("{name}:{line}: {what}")),
        None => Error::input(format!("{name}: holds no document; a line reads <label> qid:<id> <feature>:<value> …")),
    }
}

fn parse_in_chunks(text: &[u8], name: &Path, options: &Options, chunk_bytes: usize, room: u64) -> Result<Split> {
    let n_grades = options.grades.unwrap_or(DEFAULT_GRADES);
    // Each thread gets one part, because all parts but the first must be copied in the end.
    let part_bytes = chunk_bytes.max(text.len() / rayon::current_num_threads());
    match one_pass::read(text, options, n_grades, part_bytes, room) {
        Some(split) => Ok(split),
        None => parse_in_two_passes(text, name, options, n_grades, chunk_bytes, room),
    }
}

fn parse_in_two_passes(text: &[u8], name: &Path, options: &Options, n_grades: u32, chunk_bytes: usize, room: u64) -> Result<Split> {
    let outline = lines::outline(text, n_grades, chunk_bytes);
    if outline.lines.is_empty() {
        return Err(refusal(text, name, outline.flaw.as_ref()));
    }
    let features = fill::features(text, &outline, options, room).map_err(|flaw| refusal(text, name, Some(&flaw)))?;
    if let Some(flaw) = outline.flaw {
        return Err(refusal(text, name, Some(&flaw)));
    }
    if features.ncols() == 0 {
        return Err(Error::input(format!(
            "{}: no document has a feature; a line reads <label> qid:<id> <feature>:<value> …",
            name.display()
        )));
    }
    let grades = outline.lines.iter().map(|line| line.grade).collect();
    Ok(Split::new(features, grades, outline.starts))
}

/// Whether the text is UTF-8 without NUL up to and including the line of the flaw. Comments of valid files may hold any bytes.
fn is_text(text: &[u8], flaw: Option<&Flaw>) -> bool {
    let lines = flaw.map_or(usize::MAX, |flaw| flaw.line);
    let end = memchr::memchr_iter(b'\n', text).nth(lines.saturating_sub(1)).unwrap_or(text.len());
    let head = &text[..end];
    memchr::memchr(0, head).is_none() && std::str::from_utf8(head).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AS_IS: Options = Options { normalize: Normalize::AsIs, features: None, grades: None };

    #[track_caller]
    fn check(text: &str, options: Options, expect: &str) {
        let split = parse(text.as_bytes(), Path::new("t"), &options).expect(text);
        let shown: Vec<String> = split.queries().map(|q| format!("{:?}{:?}", q.grades, q.rows())).collect();
        assert_eq!(shown.join(" "), expect);
    }

    #[track_caller]
    fn refuse(text: impl AsRef<[u8]>, options: Options, expect: &str) {
        for chunk_bytes in 1..text.as_ref().len() + 2 {
            let error = parse_in_chunks(text.as_ref(), Path::new("t"), &options, chunk_bytes, u64::MAX).expect_err("flawed");
            assert_eq!(error.to_string(), expect, "in chunks of {chunk_bytes}");
        }
    }

    #[test]
    fn absent_features_are_0_and_queries_come_together() {
        check("1 qid:a 2:5\n0 qid:b 1:1\n2 qid:a 3:7 1:2 # x\n", AS_IS, "[1, 2][0.0, 5.0, 0.0, 2.0, 0.0, 7.0] [0][1.0, 0.0, 0.0]");
    }

    #[test]
    fn a_feature_that_never_stands_last_counts() {
        check("0 qid:a 9:1 2:3\n", AS_IS, "[0][0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]");
    }

    #[test]
    fn normalising_survives_the_largest_numbers() {
        let options = Options { normalize: Normalize::PerQuery, ..AS_IS };
        check("0 qid:a 1:-1.797e308 2:4\n1 qid:a 1:1.797e308 2:4\n2 qid:a 2:4\n", options, "[0, 1, 2][0.0, 0.0, 1.0, 0.0, 0.5, 0.0]");
        check("0 qid:a 1:5e-324\n1 qid:a 1:0\n", options, "[0, 1][1.0, 0.0]");
        refuse("0 qid:a 1:1.797e308", AS_IS, "t:1: `1:1.797e308` does not fit single precision; use normalize: PerQuery");
    }

    #[test]
    fn the_first_flaw_in_file_order_is_reported() {
        refuse("0 qid:a 1:1\n0 qid:b 1:x\n0 qid:a 1:y\nz qid:a\n", AS_IS, "t:2: `1:x` is not <feature>:<value>, such as 12:0.5");
        refuse("0 qid:a 1:1\nz qid:a\n0 qid:b 1:x\n", AS_IS, "t:2: label `z` is not a whole number from 0 up");
    }

    #[test]
    fn a_given_number_of_features_is_held() {
        let options = Options { features: Some(2), ..AS_IS };
        check("0 qid:a 1:1\n", options, "[0][1.0, 0.0]");
        refuse("0 qid:a 1:1\n0 qid:a 3:1", options, "t:2: feature 3 exceeds the 2 seen before; pass features: 3 if that is meant");
    }

    #[test]
    fn features_that_do_not_fit_are_refused_before_memory_is_taken() {
        let text = b"0 qid:a 1:1\n1 qid:a 1:1 1000000:1\n";
        let parse = |room: u64| parse_within(text, Path::new("t"), &AS_IS, room).map(|split| split.n_features()).map_err(|e| e.to_string());
        let refusal = "t:1: 2 documents of 1,000,000 features are 8.00 MB, which do not fit in memory; correct features that are too high";
        assert_eq!(parse(8_000_000), Ok(1_000_000));
        assert_eq!(parse(7_999_999), Err(refusal.into()));
    }

    #[test]
    fn what_holds_no_documents_says_so() {
        refuse("", AS_IS, "t: is empty; it should hold LETOR text");
        refuse("\n# nothing\n", AS_IS, "t: holds no document; a line reads <label> qid:<id> <feature>:<value> …");
        refuse("0 qid:1\n", AS_IS, "t: no document has a feature; a line reads <label> qid:<id> <feature>:<value> …");
    }

    #[test]
    fn what_is_not_text_says_so() {
        for bytes in [&b"\x1f\x8b\x08\x00\x00"[..], b"0 qid:a 1:1\n\0\0\0", b"0 qid:a 1:\xff", b"#\0"] {
            refuse(bytes, AS_IS, "t: is not text; it should hold LETOR text, plain or as .gz");
        }
    }

    #[test]
    fn the_number_of_threads_does_not_show() {
        let text: String = (0..3_000).map(|i| format!("{} qid:{} 1:{} 7:0.{i}\n", i % 5, i * 7 % 100, i % 13)).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
            let options = Options { normalize: Normalize::PerQuery, ..AS_IS };
            pool.install(|| parse_in_chunks(text.as_bytes(), Path::new("t"), &options, 1_000, u64::MAX)).expect("well formed")
        };
        assert_eq!(on(1), on(3));
    }

    /// A document: label, query, features.
    type Document = (u8, u8, std::collections::BTreeMap<u32, f32>);

    fn documents() -> impl Strategy<Value = Vec<Document>> {
        let value = prop_oneof![(0..1_000_000u32).prop_map(|n| n as f32 / 1e6), -1e6f32..1e6, Just(0.0)];
        let features = proptest::collection::btree_map(1..40u32, value, 1..12);
        proptest::collection::vec((0..5u8, 0..4u8, features), 1..30)
    }

    proptest! {
        #[test]
        fn printed_data_reads_back_from_any_chunks(documents in documents(), chunk_bytes in 1..400usize, crlf: bool) {
            let end = if crlf { "\r\n" } else { "\n" };
            let lines = documents.iter().map(|(label, query, features)| {
                let features: Vec<String> = features.iter().map(|(feature, value)| format!("{feature}:{value}")).collect();
                format!("{label} qid:q{query} {}{end}", features.join(" "))
            });
            let text: String = lines.collect();
            let split = parse_in_chunks(text.as_bytes(), Path::new("t"), &AS_IS, chunk_bytes, u64::MAX).expect("well formed");
            let mut order: Vec<u8> = Vec::new();
            documents.iter().for_each(|(_, query, _)| if !order.contains(query) { order.push(*query) });
            prop_assert_eq!(split.n_queries(), order.len());
            for (read, query) in split.queries().zip(order) {
                let printed: Vec<&Document> = documents.iter().filter(|document| document.1 == query).collect();
                prop_assert_eq!(read.grades, printed.iter().map(|document| document.0).collect::<Vec<_>>());
                for (i, (_, _, features)) in printed.into_iter().enumerate() {
                    let expect: Vec<f32> = (1..=split.n_features() as u32).map(|f| features.get(&f).copied().unwrap_or(0.0)).collect();
                    prop_assert_eq!(read.row(i), expect);
                }
            }
        }
    }
}
