//! Columns that hold one value in all rows of a file, such as the run's name. The Parquet library would hash the value again for each row;
//! here the chunk is made at once: a dictionary of the one value, and a single run of its index.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, PageType, Type};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// The value of such a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    Text(String),
    Integer(i64),
    Number(f64),
}

impl Constant {
    /// A column of `n_rows` rows as it stands in a file, and what the file's footer says about it.
    pub fn chunk(&self, column: ColumnDescPtr, n_rows: usize) -> Result<(Bytes, ColumnCloseResult)> {
        let mut sink = TrackedWrite::new(Vec::new());
        let mut pages = SerializedPageWriter::new(&mut sink);
        let pages = [pages.write_page(self.dictionary_page())?, pages.write_page(self.data_page(n_rows))?];
        let bytes = Bytes::from(sink.into_inner()?);
        let about = self.about(column, n_rows, pages)?;
        Ok((bytes, about))
    }

    fn dictionary_page(&self) -> CompressedPage {
        let value = self.bytes();
        let length = match self {
            Self::Text(_) => &(value.len() as u32).to_le_bytes()[..],
            Self::Integer(_) | Self::Number(_) => &[],
        };
        let buf = Bytes::from([length, &value].concat());
        let n_bytes = buf.len();
        CompressedPage::new(Page::DictionaryPage { buf, num_values: 1, encoding: Encoding::PLAIN, is_sorted: false }, n_bytes)
    }

    /// The index of the first value of a dictionary, `n_rows` times: it has no bits, and its run has the length as a variable-length number.
    fn data_page(&self, n_rows: usize) -> CompressedPage {
        let mut buf = vec![0];
        let mut rest = n_rows << 1;
        while rest > 0x7F {
            buf.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        buf.push(rest as u8);
        let n_bytes = buf.len();
        let page = Page::DataPage {
            buf: buf.into(),
            num_values: n_rows as u32,
            encoding: Encoding::RLE_DICTIONARY,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        CompressedPage::new(page, n_bytes)
    }

    fn about(&self, column: ColumnDescPtr, n_rows: usize, [dictionary, data]: [PageWriteSpec; 2]) -> Result<ColumnCloseResult> {
        let page = |page_type, encoding| PageEncodingStats { page_type, encoding, count: 1 };
        let n_bytes = dictionary.bytes_written + data.bytes_written;
        let metadata = ColumnChunkMetaData::builder(column)
            .set_compression(Compression::UNCOMPRESSED)
            .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY])
            .set_page_encoding_stats(vec![
                page(PageType::DICTIONARY_PAGE, Encoding::PLAIN),
                page(PageType::DATA_PAGE, Encoding::RLE_DICTIONARY),
            ])
            .set_total_compressed_size(n_bytes as i64)
            .set_total_uncompressed_size(n_bytes as i64)
            .set_num_values(n_rows as i64)
            .set_dictionary_page_offset(Some(dictionary.offset as i64))
            .set_data_page_offset(data.offset as i64)
            .set_statistics(self.statistics());
        let mut index = ColumnIndexBuilder::new(self.physical_type());
        let [smallest, largest] = match self {
            Self::Number(number) => bounds(*number).map(|bound| bound.to_le_bytes().to_vec()),
            Self::Text(_) | Self::Integer(_) => [self.bytes(), self.bytes()],
        };
        index.append(false, smallest, largest, 0, matches!(self, Self::Number(_)).then_some(0));
        let mut places = OffsetIndexBuilder::new();
        places.append_row_count(n_rows as i64);
        places.append_offset_and_size(data.offset as i64, data.compressed_size as i32);
        Ok(ColumnCloseResult {
            bytes_written: n_bytes,
            rows_written: n_rows as u64,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: Some(index.build()?),
            offset_index: Some(places.build()),
        })
    }

    /// The value is the smallest and the largest one.
    fn statistics(&self) -> Statistics {
        match self {
            Self::Text(text) => Statistics::ByteArray(between([text.as_str(), text].map(ByteArray::from))),
            Self::Integer(integer) => Statistics::Int64(between([*integer; 2]).with_backwards_compatible_min_max(true)),
            Self::Number(number) => {
                Statistics::Double(between(bounds(*number)).with_backwards_compatible_min_max(true).with_nan_count(Some(0)))
            }
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.as_bytes().into(),
            Self::Integer(integer) => integer.to_le_bytes().into(),
            Self::Number(number) => number.to_le_bytes().into(),
        }
    }

    fn physical_type(&self) -> Type {
        match self {
            Self::Text(_) => Type::BYTE_ARRAY,
            Self::Integer(_) => Type::INT64,
            Self::Number(_) => Type::DOUBLE,
        }
    }
}

fn between<T>([smallest, largest]: [T; 2]) -> ValueStatistics<T> {
    ValueStatistics::new(Some(smallest), Some(largest), None, Some(0), false)
}

/// Zero has two signs. The format wants one of them as the smallest and the other as the largest value.
fn bounds(number: f64) -> [f64; 2] {
    if number == 0.0 { [-0.0, 0.0] } else { [number; 2] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{Array, AsArray, RecordBatch};
    use arrow::datatypes::{DataType, Field, Float64Type, Int64Type, Schema};
    use parquet::arrow::ArrowSchemaConverter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use std::sync::Arc;

    /// A file of one constant column, its statistics as text, and its rows.
    fn write_and_read(constant: &Constant, n_rows: usize) -> (String, Vec<RecordBatch>) {
        let data_type = match constant {
            Constant::Text(_) => DataType::Utf8,
            Constant::Integer(_) => DataType::Int64,
            Constant::Number(_) => DataType::Float64,
        };
        let schema = ArrowSchemaConverter::new().convert(&Schema::new(vec![Field::new("c", data_type, false)])).expect("it is plain");
        let mut file =
            SerializedFileWriter::new(Vec::new(), schema.root_schema_ptr(), Arc::new(WriterProperties::default())).expect("it starts");
        let (bytes, about) = constant.chunk(schema.column(0), n_rows).expect("it is made");
        let mut group = file.next_row_group().expect("it begins");
        group.append_column(&bytes, about).expect("it fits");
        group.close().expect("it closes");
        let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(file.into_inner().expect("it closes"))).expect("it is Parquet");
        let statistics = format!("{}", reader.metadata().row_group(0).column(0).statistics().expect("there are some"));
        (statistics, reader.build().expect("it reads").map(|batch| batch.expect("it reads")).collect())
    }

    #[track_caller]
    fn check(constant: Constant, bounds: &str, is_it: impl Fn(&dyn Array) -> bool) {
        for n_rows in [1, 7, 8, 63, 64, 8191, 8192, 131_072] {
            let (statistics, batches) = write_and_read(&constant, n_rows);
            assert!(statistics.contains(bounds), "{statistics}");
            assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), n_rows);
            assert!(batches.iter().all(|batch| is_it(batch.column(0))), "{n_rows} rows of {constant:?}");
        }
    }

    #[test]
    fn every_row_holds_the_value_whatever_their_number() {
        for text in ["", "FLIP", "guard κ=8"] {
            let is_text = |column: &dyn Array| column.as_string::<i32>().iter().all(|cell| cell == Some(text));
            check(Constant::Text(text.into()), "null_count: 0", is_text);
        }
        let is_last = |column: &dyn Array| column.as_primitive::<Int64Type>().iter().all(|cell| cell == Some(-1));
        check(Constant::Integer(-1), "min: -1, max: -1", is_last);
        let is_fifth = |column: &dyn Array| column.as_primitive::<Float64Type>().iter().all(|cell| cell == Some(0.2));
        check(Constant::Number(0.2), "min: 0.2, max: 0.2", is_fifth);
        let is_zero = |column: &dyn Array| column.as_primitive::<Float64Type>().iter().all(|cell| cell.is_some_and(|z| z.to_bits() == 0));
        check(Constant::Number(0.0), "min: -0, max: 0", is_zero);
    }
}
