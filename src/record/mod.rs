//! Rows leave the program here and come back: what a row is, which rows are kept, how they become Parquet files, and how these are read.
//! Nothing here knows what a row is about: it names no node, clock or ranker, only columns.

mod column_order;
mod damage;
mod encoding;
mod models;
mod part_files;
mod reader;
mod rows;
#[cfg(test)]
pub(crate) mod samples;
mod sampling;
mod stored;
mod table;
mod words;
mod writer;

pub use models::read_models;
pub use reader::{Reader, TableReader, Values};
pub use rows::{
    CurveRow, EvaluationRow, FaultRow, HistogramRow, MemoryRecorder, ModelRow, NodeRow, OutcomeRow, PresenceRow, ReceiptRow, Rows, RunRow,
    SCHEMA_VERSION, SearchRow, Table, schema_text,
};
pub use sampling::{Models, Record, Sampling};
pub use table::{Cell, Row, RunKey};
pub use writer::{ParquetRecorder, RowCounts};

use crate::error::Result;

/// Where rows go: Parquet in production, memory in tests, nowhere in benches.
pub trait Recorder {
    /// Takes some rows of one table.
    ///
    /// # Errors
    /// Rows cannot be written, now or at an earlier call.
    fn record(&mut self, rows: Rows) -> Result<()>;
}

/// Forgets every row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NullRecorder;

impl Recorder for NullRecorder {
    fn record(&mut self, _: Rows) -> Result<()> {
        Ok(())
    }
}
