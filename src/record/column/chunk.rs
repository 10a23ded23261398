//! A column as it stands in a file: its pages one behind the other, and what the file's footer says about them.

use super::Summary;
use super::bound::{Bound, union};
use super::levels::Entries;
use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Compression, Encoding, PageType};
use parquet::column::page::{self, CompressedPage, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// A page of data.
#[derive(Debug, Clone)]
pub struct Page<B> {
    pub bytes: Bytes,
    /// How many bytes there were before they were compressed.
    pub n_uncompressed: usize,
    pub n_rows: usize,
    pub entries: Entries,
    pub summary: Summary<B>,
}

/// The pages of a column in their order.
#[derive(Debug, Clone)]
pub struct Pages<B>(pub Vec<Page<B>>);

/// What is summed over the pages of a chunk while they are written.
#[derive(Default)]
struct Sizes {
    compressed: u64,
    uncompressed: u64,
}

impl Sizes {
    fn add(&mut self, page: &PageWriteSpec) {
        self.compressed += page.compressed_size as u64;
        self.uncompressed += page.uncompressed_size as u64;
    }
}

impl<B: Bound> Pages<B> {
    /// The chunk of all pages, behind their dictionary if they have one.
    pub fn chunk(
        &self,
        about: ColumnDescPtr,
        (compression, encoding): (Compression, Encoding),
        dictionary: Option<CompressedPage>,
    ) -> Result<(Bytes, ColumnCloseResult)> {
        let mut sink = TrackedWrite::new(Vec::new());
        let mut writer = SerializedPageWriter::new(&mut sink);
        let (mut sizes, mut places) = (Sizes::default(), OffsetIndexBuilder::new());
        let mut metadata = ColumnChunkMetaData::builder(about)
            .set_compression(compression)
            .set_encodings(dictionary.iter().map(|_| Encoding::PLAIN).chain([Encoding::RLE, encoding]).collect())
            .set_page_encoding_stats(page_counts(dictionary.is_some(), encoding, self.0.len()));
        if let Some(dictionary) = dictionary {
            let place = writer.write_page(dictionary)?;
            sizes.add(&place);
            metadata = metadata.set_dictionary_page_offset(Some(place.offset as i64));
        }
        for (nth, page) in self.0.iter().enumerate() {
            let place = writer.write_page(page.to_write(encoding))?;
            sizes.add(&place);
            places.append_row_count(page.n_rows as i64);
            places.append_offset_and_size(place.offset as i64, place.compressed_size as i32);
            if nth == 0 {
                metadata = metadata.set_data_page_offset(place.offset as i64);
            }
        }
        let metadata = metadata
            .set_total_compressed_size(sizes.compressed as i64)
            .set_total_uncompressed_size(sizes.uncompressed as i64)
            .set_num_values(self.sum(|page| page.entries.n as u64) as i64)
            .set_statistics(self.statistics())
            .build()?;
        let about = ColumnCloseResult {
            bytes_written: sizes.compressed,
            rows_written: self.sum(|page| page.n_rows as u64),
            metadata,
            bloom_filter: None,
            column_index: self.index()?,
            offset_index: Some(places.build()),
        };
        Ok((sink.into_inner()?.into(), about))
    }

    fn sum(&self, of: impl Fn(&Page<B>) -> u64) -> u64 {
        self.0.iter().map(of).sum()
    }

    fn statistics(&self) -> parquet::file::statistics::Statistics {
        // If a page has values but no bounds, because none of them is a number, there are none for all.
        let bounds = if self.0.iter().all(Page::is_bounded) {
            self.0.iter().filter_map(|page| page.summary.bounds.clone()).reduce(union)
        } else {
            None
        };
        B::statistics(bounds, self.sum(|page| page.entries.n_nulls as u64), self.sum(|page| page.summary.n_nan))
    }

    /// The index of pages by their bounds; `None` if one of them has values but no bounds.
    fn index(&self) -> Result<Option<ColumnIndexMetaData>> {
        if !self.0.iter().all(Page::is_bounded) {
            return Ok(None);
        }
        let mut index = ColumnIndexBuilder::new(B::TYPE);
        for page in &self.0 {
            let [smallest, largest] = page.summary.bounds.clone().map_or([vec![], vec![]], |bounds| bounds.map(B::bytes));
            let n_nan = B::HAS_NAN.then_some(page.summary.n_nan as i64);
            index.append(page.has_no_value(), smallest, largest, page.entries.n_nulls as i64, n_nan);
        }
        index.set_boundary_order(self.order());
        Ok(Some(index.build()?))
    }

    /// Whether the bounds rise or fall from page to page.
    fn order(&self) -> BoundaryOrder {
        let bounds: Vec<[B; 2]> = self.0.iter().filter_map(|page| page.summary.bounds.clone()).collect();
        let all = |in_order: fn(&B, &B) -> bool| bounds.windows(2).all(|two| (0..2).all(|end| in_order(&two[0][end], &two[1][end])));
        if all(|one, next| one <= next) {
            BoundaryOrder::ASCENDING
        } else if all(|one, next| one >= next) {
            BoundaryOrder::DESCENDING
        } else {
            BoundaryOrder::UNORDERED
        }
    }
}

impl<B> Page<B> {
    fn has_no_value(&self) -> bool {
        self.entries.n == self.entries.n_nulls
    }

    /// Whether the page has bounds, if it has values.
    fn is_bounded(&self) -> bool {
        self.has_no_value() || self.summary.bounds.is_some()
    }

    fn to_write(&self, encoding: Encoding) -> CompressedPage {
        let page = page::Page::DataPage {
            buf: self.bytes.clone(),
            num_values: self.entries.n as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        CompressedPage::new(page, self.n_uncompressed)
    }
}

/// How many pages of each kind there are, in their order.
fn page_counts(has_dictionary: bool, encoding: Encoding, n_pages: usize) -> Vec<PageEncodingStats> {
    let dictionary = PageEncodingStats { page_type: PageType::DICTIONARY_PAGE, encoding: Encoding::PLAIN, count: 1 };
    let data = PageEncodingStats { page_type: PageType::DATA_PAGE, encoding, count: n_pages as i32 };
    has_dictionary.then_some(dictionary).into_iter().chain([data]).collect()
}
