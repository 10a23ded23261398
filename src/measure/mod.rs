//! What is looked at: evaluation, provenance, α statistics; builds rows.

mod alpha_stats;
mod evaluation;
mod node_rows;
mod provenance;
pub(crate) mod timeline_rows;

pub(crate) use alpha_stats::{Alphas, Totals};
pub(crate) use evaluation::curve as curve_of;
pub use evaluation::{Snapshot, TestSet};
pub(crate) use node_rows::FirstJoins;
pub(crate) use provenance::{Content, Provenance};
