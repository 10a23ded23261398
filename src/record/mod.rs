//! The tables of results: the types of their rows, which rows are kept, how rows become Parquet files, and how these files are read.
//! This module knows columns only. It does not know what a node, a clock or a ranker is.
//!
//! Every table is declared once, in `rows.rs`: its columns, their types and their meaning. From that declaration come the row types such as
//! [`CurveRow`], the schema that `rankguard schema` prints, the recorders, and the [`Reader`].
//!
//! ```
//! use rankguard::record::{OutcomeRow, Parameters, ParquetRecorder, Reader, Recorder, RunKey, Table};
//!
//! # let temporary = tempfile::tempdir().expect("a folder");
//! # let folder = temporary.path();
//! let rows = vec![OutcomeRow { outcome: "delivered", messages: 12 }, OutcomeRow { outcome: "receiver offline", messages: 3 }];
//! let run = RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() };
//! let mut recorder = ParquetRecorder::create(folder, &[Table::Outcomes], &run)?;
//! recorder.record(rows.clone().into())?;
//! assert_eq!(recorder.finish()?["outcomes"], 2);
//!
//! let outcomes = Reader::<OutcomeRow>::open(folder)?;
//! assert_eq!(outcomes.rows(..)?.collect::<Result<Vec<_>, _>>()?, rows);
//! let messages: Vec<i64> = outcomes.column("messages", ..)?.collect::<Result<_, _>>()?;
//! assert_eq!(messages, [12, 3]);
//! # Ok::<(), rankguard::error::Error>(())
//! ```

mod cell;
mod column;
mod column_order;
mod constant_column;
mod damage;
mod encoding;
mod layout;
mod models;
mod pack;
mod part;
mod part_files;
mod reader;
mod rows;
mod run_key;
#[cfg(test)]
pub(crate) mod samples;
mod sampling;
mod saved_rows;
mod stored;
mod table;
mod words;
mod writer;

pub use cell::Cell;
pub use models::read_models;
pub use pack::{footer_rows, pack};
pub use reader::{Reader, TableReader, Values};
pub use rows::{
    CurveRow, EvaluationRow, FaultRow, HistogramRow, MemoryRecorder, ModelRow, NodeRow, OutcomeRow, PresenceRow, ReceiptRow, Rows, RunRow,
    SCHEMA_VERSION, SearchRow, Table, schema_data, schema_text,
};
pub use run_key::{Parameters, RunKey, check_axes};
pub use sampling::{Models, Record, Sampling};
pub(crate) use saved_rows::SavedRows;
pub use table::Row;
pub use writer::{ParquetRecorder, RecorderState, RowCounts};

use crate::error::Result;

/// Where rows go: Parquet in production, memory in tests, nowhere in benches.
pub trait Recorder {
    /// Takes some rows of one table.
    ///
    /// # Errors
    /// Rows cannot be written, now or at an earlier call.
    fn record(&mut self, rows: Rows) -> Result<()>;

    /// Takes some rows of one table in another order than they stand in: first the row at the place `order[0]`. Each place is there once.
    ///
    /// # Errors
    /// As for `record`.
    fn record_in_order(&mut self, rows: Rows, order: &[u32]) -> Result<()> {
        self.record(rows.in_order(order))
    }

    /// What a checkpoint must keep of all rows so far. A recorder that keeps its rows elsewhere has nothing to add.
    ///
    /// # Errors
    /// Rows could not be written at an earlier call.
    fn state(&mut self) -> Result<RecorderState> {
        Ok(RecorderState::default())
    }
}

/// Forgets every row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NullRecorder;

impl Recorder for NullRecorder {
    fn record(&mut self, _: Rows) -> Result<()> {
        Ok(())
    }

    fn record_in_order(&mut self, _: Rows, _: &[u32]) -> Result<()> {
        Ok(())
    }
}
