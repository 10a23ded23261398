//! How a list of documented columns becomes a row type, an Arrow schema, columns that grow, and rows again. `rows.rs` declares the tables.

use super::cell::Cell;
use super::column::Column;
use arrow::array::RecordBatch;
use arrow::datatypes::Field;
use std::any::Any;
use std::fmt::Debug;

/// Key of a column's meaning in the metadata of its Arrow field.
pub const DOC: &str = "doc";

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

/// Rows that fit into the nearest cache together with the ends of their columns.
pub const NEAR_ROWS: usize = 64;

/// Adds cells to a column of their type.
pub fn append<'a, C: Cell + 'a>(column: Option<&mut Box<dyn Column>>, cells: impl Iterator<Item = &'a C>) {
    let column = column.and_then(|column| (column.as_mut() as &mut dyn Any).downcast_mut());
    C::append(column.expect("columns and rows come from one declaration"), cells);
}

/// Rows in another order: first the one at the place `order[0]`.
pub fn in_order<R>(rows: Vec<R>, order: &[u32]) -> Vec<R> {
    assert_eq!(rows.len(), order.len(), "each row has its place");
    let mut rows: Vec<Option<R>> = rows.into_iter().map(Some).collect();
    order.iter().map(|place| rows[*place as usize].take().expect("a place is there once")).collect()
}

/// Declares all tables. The macro makes the row structs, the schema, the conversion between rows and Arrow columns, and the recorder that
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

            #[cfg(test)]
            impl crate::record::samples::SampleRow for $Row {
                fn batch(rows: &[Self]) -> RecordBatch {
                    use crate::record::samples::SampleCell;
                    let columns = vec![$(SampleCell::array(rows.iter().map(|row| row.$column.clone()).collect())),+];
                    let schema = Arc::new(Schema::new(Table::$Variant.own_fields()));
                    RecordBatch::try_new(schema, columns).expect("columns of one length")
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

            /// The meaning of one row.
            pub fn about(self) -> &'static str {
                match self {
                    $(Table::$Variant => concat!($($about),+).trim_ascii(),)+
                }
            }

            /// The columns that every table has, then its own columns. Files of a sweep hold a column for each axis in between.
            pub fn schema(self) -> SchemaRef {
                Arc::new(Schema::new([RunKey::fields(), self.own_fields()].concat()))
            }

            /// The columns that only this table declares.
            pub fn own_fields(self) -> Vec<Field> {
                match self {
                    $(Table::$Variant => vec![$(field::<$cell>(stringify!($column), concat!($($doc),+))),+],)+
                }
            }
        }

        impl Table {
            /// The own columns of the table, without rows.
            pub(super) fn columns(self) -> Vec<Box<dyn Column>> {
                match self {
                    $(Table::$Variant => vec![$(Box::new(<$cell as Cell>::Column::default())),+],)+
                }
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

            /// Whether there are no rows.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The places of the rows, as they stand.
            pub(super) fn places(&self) -> Vec<u32> {
                (0..self.len() as u32).collect()
            }

            /// No rows of a table.
            pub(super) fn none(table: Table) -> Self {
                match table {
                    $(Table::$Variant => Rows::$Variant(Vec::new()),)+
                }
            }

            /// Adds later rows of the same table.
            ///
            /// # Panics
            /// If they belong to another table.
            pub(super) fn append(&mut self, more: Self) {
                match (self, more) {
                    $((Rows::$Variant(rows), Rows::$Variant(mut more)) => rows.append(&mut more),)+
                    (rows, more) => panic!("rows of {:?} are not rows of {:?}", more.table(), rows.table()),
                }
            }

            /// The rows in another order: first the one at the place `order[0]`.
            ///
            /// # Panics
            /// If a place is there twice or never.
            pub(super) fn in_order(self, order: &[u32]) -> Self {
                match self {
                    $(Rows::$Variant(rows) => Rows::$Variant(in_order(rows, order)),)+
                }
            }

            /// Adds the rows at some places to the own columns of their table.
            ///
            /// # Panics
            /// If the columns are of another table.
            pub(super) fn append_to(&self, columns: &mut [Box<dyn Column>], places: &[u32]) {
                match self {
                    // Some rows at a time stay in the nearest cache until all of their columns are done.
                    $(Rows::$Variant(rows) => for places in places.chunks(NEAR_ROWS) {
                        let mut near = [&rows[places[0] as usize]; NEAR_ROWS];
                        near.iter_mut().zip(places).for_each(|(row, place)| *row = &rows[*place as usize]);
                        let (near, mut columns) = (&near[..places.len()], columns.iter_mut());
                        $(append::<$cell>(columns.next(), near.iter().map(|row| &row.$column));)+
                    },)+
                }
            }

            /// The rows of a batch of the table.
            pub(super) fn from_batch(table: Table, batch: &RecordBatch) -> std::result::Result<Self, String> {
                match table {
                    $(Table::$Variant => Ok(Rows::$Variant($Row::from_batch(batch)?)),)+
                }
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
