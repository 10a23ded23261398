//! The types of columns: Rust values become columns of Parquet, and Arrow columns become values again.

use super::column::{Cells, Column, Flags, Integers, Lists, Nullable, Numbers, Required, Texts, Words};
use super::words::words;
use arrow::array::{Array, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, FieldRef};
use std::sync::Arc;

/// Cells that are appended at once.
const GROUP: usize = 32;

/// A problem with a column that was read, as the end of a sentence: `holds a null`.
pub(super) type Problem = String;

/// A Rust value that can stand in a column. Integers are signed: subtracting unsigned columns surprises in SQL.
pub trait Cell: Sized {
    /// Whether the column may hold nulls.
    const NULLABLE: bool;

    /// A column that grows.
    type Column: Column + Default;

    /// The Arrow type of the column.
    fn data_type() -> DataType;

    /// Adds cells to a column.
    fn append<'a>(column: &mut Self::Column, cells: impl Iterator<Item = &'a Self>)
    where
        Self: 'a;

    /// Reads the cells of a column of this type.
    ///
    /// # Errors
    /// The column holds a value that this type cannot hold, such as a null.
    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem>;
}

/// Cells that are copied, alone and with nulls between them.
macro_rules! cells {
    ($($cell:ty => $data_type:ident, $values:ty, $read:expr;)+) => {$(
        impl Cell for $cell {
            const NULLABLE: bool = false;
            type Column = Cells<$values, Required>;

            fn data_type() -> DataType {
                DataType::$data_type
            }

            fn append<'a>(column: &mut Self::Column, cells: impl Iterator<Item = &'a Self>) {
                column.values.extend(cells.copied());
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                without_nulls(column)?;
                Ok(Option::<Self>::cells(column)?.into_iter().flatten().collect())
            }
        }

        impl Cell for Option<$cell> {
            const NULLABLE: bool = true;
            type Column = Cells<$values, Nullable>;

            fn data_type() -> DataType {
                DataType::$data_type
            }

            fn append<'a>(column: &mut Self::Column, cells: impl Iterator<Item = &'a Self>) {
                in_groups(cells, |group| {
                    let (mut values, mut n) = ([<$cell>::default(); GROUP], 0);
                    for cell in group {
                        values[n] = cell.unwrap_or_default();
                        n += usize::from(cell.is_some());
                    }
                    column.levels.0.extend(group.iter().map(|cell| u8::from(cell.is_some())));
                    column.values.extend(values[..n].iter().copied());
                });
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                $read(column)
            }
        }
    )+};
}

cells! {
    i64 => Int64, Integers<i64>, |column| Ok(array::<Int64Array>(column)?.iter().collect());
    i32 => Int32, Integers<i32>, |column| Ok(array::<Int32Array>(column)?.iter().collect());
    f64 => Float64, Numbers<f64>, |column| Ok(array::<Float64Array>(column)?.iter().collect());
    f32 => Float32, Numbers<f32>, |column| Ok(array::<Float32Array>(column)?.iter().collect());
    bool => Boolean, Flags, |column| Ok(array::<BooleanArray>(column)?.iter().collect());
    // A word of a small set, such as an outcome or the name of an attack. Other texts are a `String`.
    &'static str => Utf8, Words, |column| words(array::<StringArray>(column)?.iter());
}

impl Cell for String {
    const NULLABLE: bool = false;
    type Column = Cells<Texts, Required>;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn append<'a>(column: &mut Self::Column, cells: impl Iterator<Item = &'a Self>) {
        column.values.extend(cells.map(String::as_str));
    }

    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
        without_nulls(column)?;
        Ok(array::<StringArray>(column)?.iter().flatten().map(String::from).collect())
    }
}

macro_rules! lists {
    ($($element:ty => $data_type:ident;)+) => {$(
        impl Cell for Vec<$element> {
            const NULLABLE: bool = false;
            type Column = Cells<Numbers<$element>, Lists>;

            fn data_type() -> DataType {
                DataType::List(element(DataType::$data_type))
            }

            fn append<'a>(column: &mut Self::Column, cells: impl Iterator<Item = &'a Self>) {
                for list in cells {
                    column.levels.0.push(list.len());
                    column.values.0.extend_from_slice(list);
                }
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                without_nulls(column)?;
                array::<ListArray>(column)?.iter().flatten().map(|list| <$element>::cells(&list)).collect()
            }
        }
    )+};
}

lists! {
    f32 => Float32;
    f64 => Float64;
}

/// The element of a list, named as in the Parquet specification.
fn element(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("element", data_type, false))
}

/// Hands cells on in groups, because appending a slice takes less time than appending its values.
#[inline(always)]
fn in_groups<'a, T: Copy + Default + 'a>(mut cells: impl Iterator<Item = &'a T>, mut append: impl FnMut(&[T])) {
    let mut group = [T::default(); GROUP];
    loop {
        let n = group.iter_mut().zip(&mut cells).map(|(place, cell)| *place = *cell).count();
        append(&group[..n]);
        if n < GROUP {
            return;
        }
    }
}

fn without_nulls(column: &dyn Array) -> Result<(), Problem> {
    if column.null_count() == 0 { Ok(()) } else { Err("holds a null".into()) }
}

fn array<A: Array + 'static>(column: &dyn Array) -> Result<&A, Problem> {
    column.as_any().downcast_ref::<A>().ok_or_else(|| format!("is {}", type_name(column.data_type())))
}

/// The cells of one column of a batch.
///
/// # Errors
/// The column is missing, has another type, or holds a value that the type cannot hold.
pub fn cells<C: Cell>(batch: &RecordBatch, name: &str) -> Result<Vec<C>, Problem> {
    let column = batch.column_by_name(name).ok_or_else(|| format!("column `{name}` is missing"))?;
    if !is_same_type(column.data_type(), &C::data_type()) {
        let (found, expected) = (type_name(column.data_type()), type_name(&C::data_type()));
        return Err(format!("column `{name}` is {found} instead of {expected}"));
    }
    C::cells(column).map_err(|problem| format!("column `{name}` {problem}"))
}

/// Whether two types are the same. The names of list elements are ignored, and so is whether they may be null, because other programs
/// differ there.
fn is_same_type(one: &DataType, other: &DataType) -> bool {
    match (one, other) {
        (DataType::List(one), DataType::List(other)) => is_same_type(one.data_type(), other.data_type()),
        _ => one == other,
    }
}

/// The short name of a column's type, as readers call it.
pub fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 => "string".into(),
        DataType::List(element) => format!("list<{}>", type_name(element.data_type())),
        plain => plain.to_string().to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::column::Compressor;
    use super::super::samples::{Sample, SampleCell, sample};
    use super::*;
    use arrow::array::ArrayRef;
    use arrow::compute::concat_batches;
    use arrow::datatypes::Schema;
    use bytes::Bytes;
    use parquet::arrow::ArrowSchemaConverter;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use proptest::prelude::*;
    use std::fmt::Debug;

    /// Lets the Parquet library read a file of one column, whose pages have these numbers of rows.
    fn read_back<C: Cell>(cells: &[C], pages: &[usize]) -> ArrayRef {
        let (mut column, mut compressor, mut rest) = (C::Column::default(), Compressor::default(), cells);
        for n_rows in pages {
            let (page, later) = rest.split_at(*n_rows);
            C::append(&mut column, page.iter());
            column.end_page(*n_rows, &mut compressor).expect("memory never fails");
            rest = later;
        }
        assert!(rest.is_empty());
        let schema = Arc::new(Schema::new(vec![Field::new("c", C::data_type(), C::NULLABLE)]));
        let columns = ArrowSchemaConverter::new().convert(&schema).expect("Parquet has such a type");
        let properties = Arc::new(WriterProperties::default());
        let mut file = SerializedFileWriter::new(Vec::new(), columns.root_schema_ptr(), properties).expect("it starts");
        let (bytes, about) = column.chunk(columns.column(0), &mut compressor).expect("memory never fails");
        let mut group = file.next_row_group().expect("it begins");
        group.append_column(&bytes, about).expect("it fits");
        group.close().expect("it closes");
        let file = Bytes::from(file.into_inner().expect("it closes"));
        let batches = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|file| file.build()).expect("it is Parquet");
        let batches: Vec<RecordBatch> = batches.map(|batch| batch.expect("it reads")).collect();
        concat_batches(&batches[0].schema(), &batches).expect("they have one schema").column(0).clone()
    }

    #[track_caller]
    fn check<C: Cell + SampleCell + Debug + Clone + PartialEq>(cells: &[C], name: &str) {
        let column = read_back(cells, &[cells.len()]);
        assert_eq!((type_name(&C::data_type()).as_str(), &column), (name, &C::array(cells.to_vec())));
        assert_eq!(C::cells(&column).as_deref(), Ok(cells));
    }

    #[test]
    fn every_cell_becomes_a_value_of_parquet_and_a_cell_again() {
        check(&[i64::MIN, i64::MAX], "int64");
        check(&[-1i32, 2], "int32");
        check(&[0.1f64], "float64");
        check(&[0.1f32], "float32");
        check(&[true, false], "boolean");
        check(&["merged"], "string");
        check(&["made".to_string()], "string");
        check(&[Some(1i64 << 40), None], "int64");
        check(&[Some(3), None], "int32");
        check(&[None, Some(0.5)], "float64");
        check(&[Some("far"), None], "string");
        check::<Option<&str>>(&[None, None], "string");
        check(&[vec![1.0f32, 2.0], vec![]], "list<float32>");
        check::<Vec<f64>>(&[vec![], vec![]], "list<float64>");
    }

    /// Random cells in pages of these lengths.
    #[track_caller]
    fn check_pages<C: Cell + Sample + SampleCell + Clone>(seed: u64, pages: &[usize]) {
        let cells: Vec<C> = sample(seed, pages.iter().sum());
        assert_eq!(&read_back(&cells, pages), &C::array(cells));
    }

    proptest! {
        #[test]
        fn pages_of_any_length_are_read_as_arrow_would_have_made_them(seed in any::<u64>(), pages in prop::collection::vec(1..700usize, 1..4)) {
            check_pages::<i64>(seed, &pages);
            check_pages::<i32>(seed, &pages);
            check_pages::<f64>(seed, &pages);
            check_pages::<bool>(seed, &pages);
            check_pages::<&str>(seed, &pages);
            check_pages::<String>(seed, &pages);
            check_pages::<Option<i64>>(seed, &pages);
            check_pages::<Option<i32>>(seed, &pages);
            check_pages::<Option<f64>>(seed, &pages);
            check_pages::<Option<&str>>(seed, &pages);
            check_pages::<Vec<f32>>(seed, &pages);
            check_pages::<Vec<f64>>(seed, &pages);
        }

        #[test]
        fn integers_that_lie_close_together_are_packed(start in any::<i64>(), spread in 0..62u32, seed in any::<u64>()) {
            let cells: Vec<i64> = sample::<i64>(seed, 900).into_iter().map(|bits| start.wrapping_add(bits >> (63 - spread))).collect();
            prop_assert_eq!(&read_back(&cells, &[500, 400]), &i64::array(cells));
        }
    }

    #[test]
    fn a_column_of_another_type_or_with_nulls_says_so() {
        let numbers = Int32Array::from(vec![Some(1), None]);
        assert_eq!(i32::cells(&numbers), Err("holds a null".into()));
        assert_eq!(Option::<i64>::cells(&numbers), Err("is int32".into()));
        assert_eq!(<&str>::cells(&StringArray::from(vec![Some("a"), None])), Err("holds a null".into()));
        let batch = RecordBatch::try_from_iter([("n", Arc::new(numbers) as ArrayRef)]).expect("one column");
        for (problem, expect) in [
            (cells::<i32>(&batch, "n").err(), "column `n` holds a null"),
            (cells::<Option<f64>>(&batch, "n").err(), "column `n` is int32 instead of float64"),
            (cells::<i32>(&batch, "m").err(), "column `m` is missing"),
        ] {
            assert_eq!(problem.as_deref(), Some(expect));
        }
    }
}
