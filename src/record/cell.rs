//! The types of columns: Rust values become Arrow columns, and Arrow columns become values again.

use super::words::words;
use arrow::array::{
    Array, ArrayBuilder, BooleanArray, BooleanBuilder, Float32Array, Float32Builder, Float64Array, Float64Builder, Int32Array,
    Int32Builder, Int64Array, Int64Builder, ListArray, ListBuilder, RecordBatch, StringArray, StringBuilder,
};
use arrow::datatypes::{DataType, Field, FieldRef};
use std::sync::Arc;

/// Cells that are appended at once.
const GROUP: usize = 32;

/// Room for the bytes of a word, as long as most words are.
const WORD_BYTES: usize = 8;

/// A problem with a column that was read, as the end of a sentence: `holds a null`.
pub(super) type Problem = String;

/// A Rust value that can stand in a column. Integers are signed: subtracting unsigned columns surprises in SQL.
pub trait Cell: Sized {
    /// Whether the column may hold nulls.
    const NULLABLE: bool;

    /// A column that grows.
    type Builder: ArrayBuilder;

    /// The Arrow type of the column.
    fn data_type() -> DataType;

    /// A column without cells, with room for some.
    fn builder(room: usize) -> Self::Builder;

    /// Adds cells to a column.
    fn append<'a>(column: &mut Self::Builder, cells: impl Iterator<Item = &'a Self>)
    where
        Self: 'a;

    /// Reads the cells of a column of this type.
    ///
    /// # Errors
    /// The column holds a value that this type cannot hold, such as a null.
    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem>;
}

macro_rules! cells {
    ($($cell:ty => $data_type:ident, $array:ident, $builder:ident, $append:path;)+) => {$(
        impl Cell for $cell {
            const NULLABLE: bool = false;
            type Builder = $builder;

            fn data_type() -> DataType {
                DataType::$data_type
            }

            fn builder(room: usize) -> $builder {
                $builder::with_capacity(room)
            }

            fn append<'a>(column: &mut $builder, cells: impl Iterator<Item = &'a Self>) {
                in_groups(cells, |group| $append(column, group));
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                without_nulls(column)?;
                Ok(array::<$array>(column)?.iter().flatten().collect())
            }
        }

        impl Cell for Option<$cell> {
            const NULLABLE: bool = true;
            type Builder = $builder;

            fn data_type() -> DataType {
                DataType::$data_type
            }

            fn builder(room: usize) -> $builder {
                $builder::with_capacity(room)
            }

            fn append<'a>(column: &mut $builder, cells: impl Iterator<Item = &'a Self>) {
                in_groups(cells, |group| {
                    if group.iter().all(Option::is_some) {
                        in_groups(group.iter().flatten(), |group| $append(column, group));
                    } else {
                        group.iter().for_each(|cell| column.append_option(*cell));
                    }
                });
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                Ok(array::<$array>(column)?.iter().collect())
            }
        }
    )+};
}

cells! {
    i64 => Int64, Int64Array, Int64Builder, Int64Builder::append_slice;
    i32 => Int32, Int32Array, Int32Builder, Int32Builder::append_slice;
    f64 => Float64, Float64Array, Float64Builder, Float64Builder::append_slice;
    f32 => Float32, Float32Array, Float32Builder, Float32Builder::append_slice;
    bool => Boolean, BooleanArray, BooleanBuilder, BooleanBuilder::append_slice;
}

/// A word of a small set, such as an outcome or the name of an attack. Other texts are a `String`.
impl Cell for &'static str {
    const NULLABLE: bool = false;
    type Builder = StringBuilder;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn builder(room: usize) -> StringBuilder {
        StringBuilder::with_capacity(room, room * WORD_BYTES)
    }

    fn append<'a>(column: &mut StringBuilder, cells: impl Iterator<Item = &'a Self>) {
        cells.for_each(|cell| column.append_value(cell));
    }

    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
        without_nulls(column)?;
        Ok(words(array::<StringArray>(column)?.iter())?.into_iter().flatten().collect())
    }
}

impl Cell for Option<&'static str> {
    const NULLABLE: bool = true;
    type Builder = StringBuilder;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn builder(room: usize) -> StringBuilder {
        StringBuilder::with_capacity(room, room * WORD_BYTES)
    }

    fn append<'a>(column: &mut StringBuilder, cells: impl Iterator<Item = &'a Self>) {
        cells.for_each(|cell| column.append_option(*cell));
    }

    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
        words(array::<StringArray>(column)?.iter())
    }
}

impl Cell for String {
    const NULLABLE: bool = false;
    type Builder = StringBuilder;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn builder(room: usize) -> StringBuilder {
        StringBuilder::with_capacity(room, room * WORD_BYTES)
    }

    fn append<'a>(column: &mut StringBuilder, cells: impl Iterator<Item = &'a Self>) {
        cells.for_each(|cell| column.append_value(cell));
    }

    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
        without_nulls(column)?;
        Ok(array::<StringArray>(column)?.iter().flatten().map(String::from).collect())
    }
}

macro_rules! lists {
    ($($element:ty => $data_type:ident, $builder:ident;)+) => {$(
        impl Cell for Vec<$element> {
            const NULLABLE: bool = false;
            type Builder = ListBuilder<$builder>;

            fn data_type() -> DataType {
                DataType::List(element(DataType::$data_type))
            }

            fn builder(room: usize) -> Self::Builder {
                ListBuilder::with_capacity($builder::new(), room).with_field(element(DataType::$data_type))
            }

            fn append<'a>(column: &mut Self::Builder, cells: impl Iterator<Item = &'a Self>) {
                for list in cells {
                    column.values().append_slice(list);
                    column.append(true);
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
    f32 => Float32, Float32Builder;
    f64 => Float64, Float64Builder;
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
    use super::*;
    use arrow::array::ArrayRef;
    use arrow::buffer::OffsetBuffer;
    use std::fmt::Debug;

    #[track_caller]
    fn check<C: Cell + Debug + PartialEq>(cells: &[C], name: &str, expect: &dyn Array) {
        let mut builder = C::builder(1);
        C::append(&mut builder, cells.iter());
        let column: ArrayRef = ArrayBuilder::finish(&mut builder);
        assert_eq!((type_name(&C::data_type()).as_str(), &*column), (name, expect));
        assert_eq!(C::cells(&column).as_deref(), Ok(cells));
    }

    #[test]
    fn every_cell_becomes_an_arrow_value_and_a_cell_again() {
        check(&[i64::MIN, i64::MAX], "int64", &Int64Array::from(vec![i64::MIN, i64::MAX]));
        check(&[-1i32, 2], "int32", &Int32Array::from(vec![-1, 2]));
        check(&[0.1f64], "float64", &Float64Array::from(vec![0.1]));
        check(&[0.1f32], "float32", &Float32Array::from(vec![0.1]));
        check(&[true, false], "boolean", &BooleanArray::from(vec![true, false]));
        check(&["merged"], "string", &StringArray::from(vec!["merged"]));
        check(&["made".to_string()], "string", &StringArray::from(vec!["made"]));
        check(&[Some(1i64 << 40), None], "int64", &Int64Array::from(vec![Some(1 << 40), None]));
        check(&[Some(3), None], "int32", &Int32Array::from(vec![Some(3), None]));
        check(&[None, Some(0.5)], "float64", &Float64Array::from(vec![None, Some(0.5)]));
        check(&[Some("far"), None], "string", &StringArray::from(vec![Some("far"), None]));
        let values = Arc::new(Float32Array::from(vec![1.0, 2.0]));
        let lists = ListArray::new(element(DataType::Float32), OffsetBuffer::from_lengths([2, 0]), values, None);
        check(&[vec![1.0f32, 2.0], vec![]], "list<float32>", &lists);
    }

    #[test]
    fn no_rows_are_a_column_too() {
        check::<i64>(&[], "int64", &Int64Array::from(Vec::<i64>::new()));
        let lists = ListArray::new(
            element(DataType::Float32),
            OffsetBuffer::from_lengths([]),
            Arc::new(Float32Array::from(Vec::<f32>::new())),
            None,
        );
        check::<Vec<f32>>(&[], "list<float32>", &lists);
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
