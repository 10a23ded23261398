//! Compresses pages with zstd. One compressor serves all columns of a table, because its memory is some hundred kilobytes.

use super::super::encoding::ZSTD_LEVEL;
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{CompressedPage, Page};
use std::io::Result;
use zstd::bulk;
use zstd::zstd_safe::compress_bound;

/// A compressor, and the memory that its pages use one after the other.
#[derive(Default)]
pub struct Compressor {
    /// `None` before the first page.
    zstd: Option<bulk::Compressor<'static>>,
    page: Vec<u8>,
    compressed: Vec<u8>,
}

impl Compressor {
    /// Lets `write` write a page and compresses it. Returns the compressed bytes, the number of bytes before, and what `write` returns. The
    /// bytes do not depend on what was compressed before.
    pub fn page<T>(&mut self, write: impl FnOnce(&mut Vec<u8>) -> T) -> Result<(Bytes, usize, T)> {
        self.page.clear();
        let written = write(&mut self.page);
        let zstd = match &mut self.zstd {
            Some(zstd) => zstd,
            none => none.insert(bulk::Compressor::new(ZSTD_LEVEL)?),
        };
        self.compressed.clear();
        self.compressed.reserve(compress_bound(self.page.len()));
        zstd.compress_to_buffer(&self.page, &mut self.compressed)?;
        Ok((Bytes::copy_from_slice(&self.compressed), self.page.len(), written))
    }

    /// The page of a dictionary.
    pub fn dictionary_page(&mut self, entries: &[u8], n_entries: usize) -> Result<CompressedPage> {
        let (buf, n_uncompressed, ()) = self.page(|page| page.extend_from_slice(entries))?;
        let page = Page::DictionaryPage { buf, num_values: n_entries as u32, encoding: Encoding::PLAIN, is_sorted: false };
        Ok(CompressedPage::new(page, n_uncompressed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_page_does_not_depend_on_those_before(pages in prop::collection::vec(prop::collection::vec(0..7u8, 0..3000), 1..5)) {
            let mut used = Compressor::default();
            for page in &pages {
                let compress = |by: &mut Compressor| by.page(|bytes| bytes.extend(page)).expect("memory never fails");
                let (bytes, n_bytes, ()) = compress(&mut used);
                prop_assert_eq!(&compress(&mut Compressor::default()), &(bytes.clone(), n_bytes, ()));
                prop_assert_eq!(&zstd::bulk::decompress(&bytes, n_bytes).expect("it is zstd"), page);
            }
        }
    }
}
