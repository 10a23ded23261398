//! A page for people: one HTML file with figures, tables and definitions, for one run, several runs or a collected sweep.
//!
//! Each file is a section of the page, or reads one table for it. Sections hold figures as data; `draw` knows how they look.

mod accuracy;
mod axes;
mod choice;
mod clock;
mod document;
mod facts;
mod findings;
mod glossary;
mod headline;
mod html;
mod life;
mod load;
mod network;
mod nodes;
mod origin;
mod presence;
mod profile;
mod receipts;
mod scenario;
mod section;
mod several;
mod single;
mod spread;
mod story;
mod strip;
mod tables;
mod weights;
mod words;

pub(crate) use document::Opening;
pub use document::{MARK, Page};
pub(crate) use section::{Block, Section};
pub(crate) use words::{list, three};

use super::distinct::distinct;
use super::groups;
use crate::error::Result;
use std::path::Path;

/// What a page of several runs compares, if its reader does not leave that to it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    /// The fields or axes whose values are compared, such as `defense`.
    pub by: Vec<String>,
    /// The value with which all others are compared; by default that of the first run.
    pub baseline: Option<String>,
}

/// The page of these result folders or collected sweeps.
///
/// # Errors
/// A result cannot be read, or two results of one run differ.
pub fn page(results: &[impl AsRef<Path>], choice: &Choice) -> Result<Page> {
    let (runs, remarks) = distinct(groups::runs(results)?)?;
    match &runs[..] {
        [only] => single::page(only),
        several => several::page(&results.iter().map(AsRef::as_ref).collect::<Vec<_>>(), several, &remarks, choice),
    }
}
