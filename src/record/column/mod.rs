//! The columns of a part of a table while it grows. Cells wait until they make a page; a full page is encoded and compressed at once, and
//! waits until the part closes.
//!
//! The Parquet library has such writers too, and still writes the files. Its columns are made for any Arrow array: they look integers up in
//! dictionaries and hold a compressor and its memory each, and took more than twice the time of these.

mod bits;
mod bound;
mod chunk;
mod compressor;
mod flags;
mod integers;
mod levels;
mod numbers;
mod texts;
mod words;

pub use bits::write_run;
pub use bound::Bound;
pub use chunk::{Page, Pages};
pub use compressor::Compressor;
pub use flags::Flags;
pub use integers::Integers;
pub use levels::{Entries, Levels, Lists, Nullable, Required};
pub use numbers::{Numbers, summary};
pub use texts::{Texts, write_text};
pub use words::Words;

use super::encoding::compression;
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::schema::types::ColumnDescPtr;
use std::any::Any;

/// A column, whatever its cells are.
pub trait Column: Any + Send {
    /// Ends the page that the last `n_rows` rows make.
    fn end_page(&mut self, n_rows: usize, compressor: &mut Compressor) -> Result<()>;

    /// All pages as they stand in a file, and what the file's footer says about them.
    fn chunk(&self, about: ColumnDescPtr, compressor: &mut Compressor) -> Result<(Bytes, ColumnCloseResult)>;

    /// Drops all pages and keeps the memory that the next ones will need.
    fn clear(&mut self);

    /// The column once more.
    fn copy(&self) -> Box<dyn Column>;
}

/// The values of a page that is not full yet.
pub trait Values: Clone + Default + Send + 'static {
    /// What the smallest and the largest value are told as.
    type Bound: Bound;

    /// How the values stand in a page.
    const ENCODING: Encoding;

    /// Encodes the values behind the bytes of a page, and leaves none.
    fn encode(&mut self, page: &mut Vec<u8>) -> Summary<Self::Bound>;

    /// The dictionary that encoded values refer to: its bytes, and the number of its entries.
    fn dictionary(&self) -> Option<(Vec<u8>, usize)> {
        None
    }

    /// Begins a new dictionary.
    fn clear_dictionary(&mut self) {}
}

/// What lets readers skip pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary<B> {
    /// The smallest and the largest value; `None` if there is none.
    pub bounds: Option<[B; 2]>,
    /// Values that are not a number.
    pub n_nan: u64,
}

/// A column of values, with levels that tell which rows have none or several.
#[derive(Clone)]
pub struct Cells<V: Values, L> {
    pub values: V,
    pub levels: L,
    pages: Pages<V::Bound>,
}

impl<V: Values, L: Levels> Default for Cells<V, L> {
    fn default() -> Self {
        Self { values: V::default(), levels: L::default(), pages: Pages(Vec::new()) }
    }
}

impl<V: Values, L: Levels> Column for Cells<V, L> {
    fn end_page(&mut self, n_rows: usize, compressor: &mut Compressor) -> Result<()> {
        let Self { values, levels, pages } = self;
        let page = compressor.page(|bytes| {
            let entries = levels.encode(n_rows, bytes);
            (entries, values.encode(bytes))
        });
        let (bytes, n_uncompressed, (entries, summary)) = page?;
        pages.0.push(Page { bytes, n_uncompressed, n_rows, entries, summary });
        Ok(())
    }

    fn chunk(&self, about: ColumnDescPtr, compressor: &mut Compressor) -> Result<(Bytes, ColumnCloseResult)> {
        let dictionary = match self.values.dictionary() {
            Some((bytes, n_entries)) => Some(compressor.dictionary_page(&bytes, n_entries)?),
            None => None,
        };
        self.pages.chunk(about, (compression(), V::ENCODING), dictionary)
    }

    fn clear(&mut self) {
        self.pages.0.clear();
        self.values.clear_dictionary();
    }

    fn copy(&self) -> Box<dyn Column> {
        Box::new(self.clone())
    }
}
