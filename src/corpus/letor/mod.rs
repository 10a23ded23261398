//! LETOR text: `<label> qid:<id> <feature>:<value> … # comment`, one document per line.
//!
//! Features are numbered from 1 and absent ones are 0. Documents of one query need not stand together; queries keep the order of their first
//! appearance. Values are read and normalised in f64 (Istella holds 1.797e308) and stored in f32; only one query per thread is ever held in f64.
//! Two passes, both parallel: `lines` finds the documents, `fill` reads their features. Neither the threads nor the cuts show in the result,
//! and of several flaws the first in file order is reported.

mod fill;
mod lines;
pub mod source;
mod tokens;

pub use fill::normalize;
pub use lines::{Flaw, Line, Outline};
pub use tokens::scan;

use super::dataset::{Normalize, Split};
use crate::error::{Error, Result};
use std::path::Path;

/// How a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    pub normalize: Normalize,
    /// The number of features; by default the highest seen.
    pub features: Option<u32>,
    /// Labels must be below it; by default 5.
    pub grades: Option<u32>,
}

/// Small enough that two threads share a small file, large enough that cutting costs nothing.
const CHUNK_BYTES: usize = 1 << 20;

/// The most grades of the public sets: a higher label is more likely a damaged line than a wish.
const DEFAULT_GRADES: u32 = 5;

/// Reads a whole text. `name` stands at the head of messages.
///
/// # Errors
/// The first flaw in file order, with its line and what to do.
pub fn parse(text: &[u8], name: &Path, options: &Options) -> Result<Split> {
    parse_in_chunks(text, name, options, CHUNK_BYTES)
}

/// Where the documents of a text are; its flaw, if any, is not yet an error, since one among the features may come before it.
pub fn outline(text: &[u8], n_grades: u32) -> Outline {
    lines::outline(text, n_grades, CHUNK_BYTES)
}

/// The error for a flaw of `text`, or for a text without any document.
pub fn refusal(text: &[u8], name: &Path, flaw: Option<&Flaw>) -> Error {
    let name = name.display();
    match flaw {
        _ if text.is_empty() => Error::input(format!("{name}: is empty; it should hold LETOR text")),
        // Whatever the first complaint was, it is about bytes that were never meant to be read.
        _ if !is_text(text, flaw) => Error::input(format!("{name}: is not text; it should hold LETOR text, plain or as .gz")),
        Some(Flaw { line, what }) => Error::input(format!("{name}:{line}: {what}")),
        None => Error::input(format!("{name}: holds no document; a line reads <label> qid:<id> <feature>:<value> …")),
    }
}

fn parse_in_chunks(text: &[u8], name: &Path, options: &Options, chunk_bytes: usize) -> Result<Split> {
    let outline = lines::outline(text, options.grades.unwrap_or(DEFAULT_GRADES), chunk_bytes);
    if outline.lines.is_empty() {
        return Err(refusal(text, name, outline.flaw.as_ref()));
    }
    let features = fill::features(text, &outline, options).map_err(|flaw| refusal(text, name, Some(&flaw)))?;
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

/// Whether the text is UTF-8 without NUL up to and including the line of the flaw. Comments of sound files may hold anything.
fn is_text(text: &[u8], flaw: Option<&Flaw>) -> bool {
    let lines = flaw.map_or(usize::MAX, |flaw| flaw.line);
    let end = memchr::memchr_iter(b'\n', text).nth(lines.saturating_sub(1)).unwrap_or(text.len());
    let head = &text[..end];
    memchr::memchr(0, head).is_none() && std::str::from_utf8(head).is_ok()
}
