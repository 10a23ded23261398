//! Columns that hold one value in all rows of a file, such as the run's name. The Parquet library would hash the value again for each row;
//! here the chunk is made at once: a dictionary of the one value, and a single run of its index.

use super::column::{Bound, Entries, Page, Pages, Summary, summary, write_run, write_text};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::column::page::{self, CompressedPage};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
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
    pub fn chunk(&self, about: ColumnDescPtr, n_rows: usize) -> Result<(Bytes, ColumnCloseResult)> {
        match self {
            Self::Text(text) => {
                let mut entry = Vec::new();
                write_text(text, &mut entry);
                chunk(about, n_rows, Summary { bounds: Some([text.as_str(); 2]), n_nan: 0 }, entry)
            }
            Self::Integer(integer) => chunk(about, n_rows, Summary { bounds: Some([*integer; 2]), n_nan: 0 }, integer.to_le_bytes().into()),
            Self::Number(number) => chunk(about, n_rows, summary(&[*number]), number.to_le_bytes().into()),
        }
    }
}

/// A column of one value, which is the only entry of its dictionary.
fn chunk<B: Bound>(about: ColumnDescPtr, n_rows: usize, summary: Summary<B>, entry: Vec<u8>) -> Result<(Bytes, ColumnCloseResult)> {
    let n_bytes = entry.len();
    let dictionary = page::Page::DictionaryPage { buf: entry.into(), num_values: 1, encoding: Encoding::PLAIN, is_sorted: false };
    // The index of the first entry has no bits.
    let mut indices = vec![0];
    write_run(0, 0, n_rows, &mut indices);
    let data = Page { n_uncompressed: indices.len(), bytes: indices.into(), n_rows, entries: Entries { n: n_rows, n_nulls: 0 }, summary };
    let packing = (Compression::UNCOMPRESSED, Encoding::RLE_DICTIONARY);
    Pages(vec![data]).chunk(about, packing, Some(CompressedPage::new(dictionary, n_bytes)))
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
        let is_nan = |column: &dyn Array| column.as_primitive::<Float64Type>().iter().all(|cell| cell.is_some_and(f64::is_nan));
        check(Constant::Number(f64::NAN), "min: N/A, max: N/A", is_nan);
    }
}
