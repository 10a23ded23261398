//! Rows leave the program here: what a row is, which rows are kept, and how they become Parquet in a result folder.
//! Nothing here knows what a row is about: it names no node, clock or ranker, only columns.

mod column_order;
mod encoding;
mod figures;
mod folders;
mod identity;
mod leftovers;
mod lock;
mod manifest;
mod models;
mod ours;
mod part_files;
mod read;
mod rows;
mod sampling;
mod staging;
mod table;
mod target;
mod writer;

pub use figures::{figure_names, read_figures};
pub use identity::{COMMIT, Identity, Inputs, VERSION, models_hash};
pub use leftovers::Leftovers;
pub use manifest::{Manifest, Messages, Summary, write_side_file};
pub use models::read_models;
pub use ours::TIMING_NAME;
pub use read::{CurvePoint, read_curve};
pub use rows::{
    CurveRow, EvaluationRow, FaultRow, HistogramRow, MemoryRecorder, ModelRow, NodeRow, OutcomeRow, PresenceRow, ReceiptRow, Rows, RunRow,
    SCHEMA_VERSION, SearchRow, Table, schema_text,
};
pub use sampling::{Models, Record, Sampling};
pub use staging::Staging;
pub use table::RunKey;
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
