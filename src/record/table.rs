//! What a table is: how a list of documented columns becomes a row type, an Arrow schema, Arrow columns, and rows again.
//! Which tables there are stands in `rows.rs`.

use super::words::words;
use arrow::{Array, ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef};
use std::fmt::Debug;
use std::sync::Arc;

/// Key of a column's meaning in the metadata of its Arrow field.
pub const DOC: &str = "doc";

/// What is wrong with a column that was read, as the end of a sentence: `holds a null`.
pub(super) type Problem = String;

/// A Rust value that can stand in a column. Integers are signed: subtracting unsigned columns surprises in SQL.
pub trait Cell: Sized {
    /// Whether the column may hold nulls.
    const NULLABLE: bool;

    /// The Arrow type of the column.
    fn data_type() -> DataType;

    /// Cells become a column.
    fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef
    where
        Self: 'a;

    /// A column of this type becomes cells again.
    ///
    /// # Errors
    /// The column holds a value that this type cannot hold, such as a null.
    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem>;
}

macro_rules! cells {
    ($($cell:ty => $data_type:ident, $array:ident;)+) => {$(
        impl Cell for $cell {
            const NULLABLE: bool = false;

            fn data_type() -> DataType {
                DataType::$data_type
            }

            fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
                Arc::new($array::from(cells.copied().collect::<Vec<_>>()))
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                without_nulls(column)?;
                Ok(array::<$array>(column)?.iter().flatten().collect())
            }
        }

        impl Cell for Option<$cell> {
            const NULLABLE: bool = true;

            fn data_type() -> DataType {
                DataType::$data_type
            }

            fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
                Arc::new($array::from(cells.copied().collect::<Vec<_>>()))
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                Ok(array::<$array>(column)?.iter().collect())
            }
        }
    )+};
}

cells! {
    i64 => Int64, Int64Array;
    i32 => Int32, Int32Array;
    f64 => Float64, Float64Array;
    f32 => Float32, Float32Array;
    bool => Boolean, BooleanArray;
}

/// A word of a small set, such as an outcome or the name of an attack. Texts of any kind are a `String`.
impl Cell for &'static str {
    const NULLABLE: bool = false;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells))
    }

    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
        without_nulls(column)?;
        Ok(words(array::<StringArray>(column)?.iter())?.into_iter().flatten().collect())
    }
}

impl Cell for Option<&'static str> {
    const NULLABLE: bool = true;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
        Arc::new(cells.copied().collect::<StringArray>())
    }

    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
        words(array::<StringArray>(column)?.iter())
    }
}

impl Cell for String {
    const NULLABLE: bool = false;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells))
    }

    fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
        without_nulls(column)?;
        Ok(array::<StringArray>(column)?.iter().flatten().map(String::from).collect())
    }
}

macro_rules! lists {
    ($($element:ty => $data_type:ident, $array:ident;)+) => {$(
        impl Cell for Vec<$element> {
            const NULLABLE: bool = false;

            fn data_type() -> DataType {
                DataType::List(element(DataType::$data_type))
            }

            fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
                let offsets = OffsetBuffer::from_lengths(cells.clone().map(Vec::len));
                let values = $array::from_iter_values(cells.flatten().copied());
                Arc::new(ListArray::new(element(DataType::$data_type), offsets, Arc::new(values), None))
            }

            fn cells(column: &dyn Array) -> Result<Vec<Self>, Problem> {
                without_nulls(column)?;
                array::<ListArray>(column)?.iter().flatten().map(|list| <$element>::cells(&list)).collect()
            }
        }
    )+};
}

lists! {
    f32 => Float32, Float32Array;
    f64 => Float64, Float64Array;
}

/// Named as the Parquet specification names it.
fn element(data_type: DataType) -> FieldRef {
    Arc::new(Field::new("element", data_type, false))
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

/// Other programs call the elements of a list otherwise, and say that any of them may be null.
fn is_same_type(one: &DataType, other: &DataType) -> bool {
    match (one, other) {
        (DataType::List(one), DataType::List(other)) => is_same_type(one.data_type(), other.data_type()),
        _ => one == other,
    }
}

/// A row of a table. `tables!` declares all of them.
pub trait Row: Debug + Clone + PartialEq + Sized + 'static {
    /// The table that holds such rows.
    const TABLE: super::Table;

    /// The rows of a batch.
    ///
    /// # Errors
    /// A column is missing, has another type, or holds a value that its type cannot hold.
    fn from_batch(batch: &RecordBatch) -> Result<Vec<Self>, String>;
}

/// The Arrow field of a column, with its meaning.
pub fn field<C: Cell>(name: &str, doc: &str) -> Field {
    Field::new(name, C::data_type(), C::NULLABLE).with_metadata([(DOC, doc.trim())])
}

/// What tells the rows of many runs apart: the first two columns of every table, the same in every row of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKey {
    /// Names the run by a hash of its scenario and of its data.
    pub run_id: String,
    /// The seed of the run.
    pub seed: u64,
}

impl RunKey {
    pub(super) fn fields() -> Vec<Field> {
        vec![
            field::<String>(
                "run_id",
                "Names the run by a hash of its scenario, without `name` and `record`, and of its data; joins with `runs`.",
            ),
            field::<i64>("seed", "The seed of the run; one beyond 2^63 - 1 is shown as the negative number of the same 64 bits."),
        ]
    }

    pub(super) fn columns(&self, n_rows: usize) -> Vec<ArrayRef> {
        let (run_id, seed) = (&self.run_id, self.seed.cast_signed());
        vec![String::column(std::iter::repeat_n(run_id, n_rows)), i64::column(std::iter::repeat_n(&seed, n_rows))]
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

/// Declares every table once. From it follow the row structs, the schema, the way from rows to Arrow columns and back, and the recorder that
/// keeps rows in memory.
macro_rules! tables {
    ($(
        $(#[doc = $about:literal])+
        $table:ident: $Variant:ident($Row:ident) {
            $($(#[doc = $doc:literal])+ $column:ident: $cell:ty,)+
        }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone, PartialEq)]
            pub struct $Row {
                $($(#[doc = $doc])+ pub $column: $cell,)+
            }

            impl Row for $Row {
                const TABLE: Table = Table::$Variant;

                fn from_batch(batch: &RecordBatch) -> std::result::Result<Vec<Self>, String> {
                    $(let mut $column = cells::<$cell>(batch, stringify!($column))?.into_iter();)+
                    Ok(std::iter::from_fn(|| Some(Self { $($column: $column.next()?),+ })).collect())
                }
            }

            impl From<Vec<$Row>> for Rows {
                fn from(rows: Vec<$Row>) -> Self {
                    Rows::$Variant(rows)
                }
            }

            #[cfg(test)]
            impl crate::record::samples::Sample for $Row {
                fn sample(draw: &mut dyn FnMut() -> u64) -> Self {
                    Self { $($column: crate::record::samples::Sample::sample(draw)),+ }
                }
            }
        )+

        /// The tables of a result, each a folder of Parquet files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $($(#[doc = $about])+ $Variant,)+
        }

        impl Table {
            /// Every table.
            pub const ALL: &[Table] = &[$(Table::$Variant),+];

            /// The name of its folder.
            pub fn name(self) -> &'static str {
                match self {
                    $(Table::$Variant => stringify!($table),)+
                }
            }

            /// What one row is.
            pub fn about(self) -> &'static str {
                match self {
                    $(Table::$Variant => concat!($($about),+).trim_ascii(),)+
                }
            }

            /// The columns of every table, then its own.
            pub fn schema(self) -> SchemaRef {
                let own = match self {
                    $(Table::$Variant => vec![$(field::<$cell>(stringify!($column), concat!($($doc),+))),+],)+
                };
                Arc::new(Schema::new([RunKey::fields(), own].concat()))
            }
        }

        /// Some rows of one table.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Rows {
            $($(#[doc = $about])+ $Variant(Vec<$Row>),)+
        }

        impl Rows {
            /// The table that they belong to.
            pub fn table(&self) -> Table {
                match self {
                    $(Rows::$Variant(_) => Table::$Variant,)+
                }
            }

            /// How many rows there are.
            pub fn len(&self) -> usize {
                match self {
                    $(Rows::$Variant(rows) => rows.len(),)+
                }
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The rows as Arrow columns, the run's own columns first.
            pub fn to_batch(&self, run: &RunKey) -> RecordBatch {
                let own: Vec<ArrayRef> = match self {
                    $(Rows::$Variant(rows) => vec![$(Cell::column(rows.iter().map(|row| &row.$column))),+],)+
                };
                let columns = [run.columns(self.len()), own].concat();
                RecordBatch::try_new(self.table().schema(), columns).expect("columns and schema come from one declaration")
            }
        }

        /// Keeps every row in memory, for tests.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct MemoryRecorder {
            $($(#[doc = $about])+ pub $table: Vec<$Row>,)+
        }

        impl Recorder for MemoryRecorder {
            fn record(&mut self, rows: Rows) -> Result<()> {
                match rows {
                    $(Rows::$Variant(mut rows) => self.$table.append(&mut rows),)+
                }
                Ok(())
            }
        }
    };
}

pub(super) use tables;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check<C: Cell + Debug + PartialEq>(cells: &[C], name: &str, expect: &dyn Array) {
        let column = C::column(cells.iter());
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
