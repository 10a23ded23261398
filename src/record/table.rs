//! What a table is: how a list of documented columns becomes a row type, an Arrow schema and Arrow columns.
//! Which tables there are stands in `rows.rs`.

use arrow::array::{ArrayRef, BooleanArray, Float32Array, Float64Array, Int32Array, Int64Array, ListArray, StringArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, FieldRef};
use std::sync::Arc;

/// Key of a column's meaning in the metadata of its Arrow field.
pub const DOC: &str = "doc";

/// A Rust value that can stand in a column. Integers are signed: subtracting unsigned columns surprises in SQL.
pub trait Cell {
    const NULLABLE: bool;

    fn data_type() -> DataType;

    fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef
    where
        Self: 'a;
}

macro_rules! cells {
    ($($cell:ty => $data_type:ident, $array:ident, $nullable:literal;)+) => {$(
        impl Cell for $cell {
            const NULLABLE: bool = $nullable;

            fn data_type() -> DataType {
                DataType::$data_type
            }

            fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
                Arc::new($array::from(cells.copied().collect::<Vec<_>>()))
            }
        }
    )+};
}

cells! {
    i64 => Int64, Int64Array, false;
    i32 => Int32, Int32Array, false;
    f64 => Float64, Float64Array, false;
    f32 => Float32, Float32Array, false;
    bool => Boolean, BooleanArray, false;
    &'static str => Utf8, StringArray, false;
    Option<i32> => Int32, Int32Array, true;
    Option<i64> => Int64, Int64Array, true;
    Option<f64> => Float64, Float64Array, true;
    Option<&'static str> => Utf8, StringArray, true;
}

impl Cell for String {
    const NULLABLE: bool = false;

    fn data_type() -> DataType {
        DataType::Utf8
    }

    fn column<'a>(cells: impl Iterator<Item = &'a Self> + Clone) -> ArrayRef {
        Arc::new(StringArray::from_iter_values(cells))
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

/// The Arrow field of a column, with its meaning.
pub fn field<C: Cell>(name: &str, doc: &str) -> Field {
    Field::new(name, C::data_type(), C::NULLABLE).with_metadata([(DOC, doc.trim())])
}

/// What tells the rows of many runs apart: the first two columns of every table, the same in every row of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunKey {
    pub run_id: String,
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

/// Declares every table once; row structs, schema, Arrow columns and the collecting recorder follow from it.
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
        )+

        /// The tables of a result, each a folder of Parquet files.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Table {
            $($(#[doc = $about])+ $Variant,)+
        }

        impl Table {
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
            $($Variant(Vec<$Row>),)+
        }

        impl Rows {
            pub fn table(&self) -> Table {
                match self {
                    $(Rows::$Variant(_) => Table::$Variant,)+
                }
            }

            pub fn len(&self) -> usize {
                match self {
                    $(Rows::$Variant(rows) => rows.len(),)+
                }
            }

            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

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
            $(pub $table: Vec<$Row>,)+
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
    use arrow::util::display::array_value_to_string;

    #[track_caller]
    fn check<C: Cell>(cells: &[C], name: &str, expect: &[&str]) {
        let column = C::column(cells.iter());
        let shown: Vec<String> = (0..cells.len()).map(|i| array_value_to_string(&column, i).expect("every type prints")).collect();
        assert_eq!((type_name(&C::data_type()).as_str(), shown), (name, expect.iter().map(ToString::to_string).collect()));
        assert_eq!(column.data_type(), &C::data_type());
    }

    #[test]
    fn every_cell_becomes_an_arrow_value() {
        check(&[i64::MIN, i64::MAX], "int64", &["-9223372036854775808", "9223372036854775807"]);
        check(&[-1i32, 2], "int32", &["-1", "2"]);
        check(&[0.1f64], "float64", &["0.1"]);
        check(&[0.1f32], "float32", &["0.1"]);
        check(&[true, false], "boolean", &["true", "false"]);
        check(&["merged"], "string", &["merged"]);
        check(&["made".to_string()], "string", &["made"]);
        check(&[Some(1i64 << 40), None], "int64", &["1099511627776", ""]);
        check(&[Some(3), None], "int32", &["3", ""]);
        check(&[None, Some(0.5)], "float64", &["", "0.5"]);
        check(&[Some("far"), None], "string", &["far", ""]);
        check(&[vec![1.0f32, 2.0], vec![]], "list<float32>", &["[1.0, 2.0]", "[]"]);
    }

    #[test]
    fn no_rows_are_a_column_too() {
        check::<Vec<f32>>(&[], "list<float32>", &[]);
        check::<i64>(&[], "int64", &[]);
    }
}
