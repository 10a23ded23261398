//! Rows leave the program here: what a row is, which rows are kept, and how they become Parquet in a result folder.
//! Nothing here knows what a row is about: it names no node, clock or ranker, only columns.

mod choose;
mod encoding;
mod figures;
mod folders;
mod leftovers;
mod lock;
mod manifest;
mod models;
mod parts;
mod place;
mod read;
mod rows;
mod table;
mod target;
mod writer;

pub use choose::{Models, Record, Sampling};
pub use figures::{figure_names, read_figures};
pub use leftovers::Leftovers;
pub use manifest::{Manifest, Messages, Summary, run_id, write_side_file};
pub use models::read_models;
pub use place::Place;
pub use read::read_curve;
pub use rows::{
    CurveRow, EvaluationRow, FaultRow, HistogramRow, MemoryRecorder, ModelRow, OutcomeRow, PresenceRow, ReceiptRow, Rows, SCHEMA_VERSION,
    SearchRow, Table, schema_text,
};
pub use writer::{ParquetRecorder, RowCounts};

use crate::error::Result;

/// Where rows go: Parquet in production, memory in tests, nowhere in benches.
pub trait Recorder {
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
