//! Reports for people: the summary of a run, many runs as one table, and their figures as comma-separated values.
//!
//! A report reads the manifest and the tables of result folders. It knows neither the run that wrote them nor the scenario as a type.

mod caution;
mod figures;
mod groups;
mod last;
mod names;
mod network;
mod published;
mod setting;
mod summary;
mod table;
mod traffic;

pub use figures::figures;
pub use last::Last;
pub use network::{NetworkOutcome, network_summary};
pub use published::Published;
pub use summary::{Outcome, summary};
pub use table::table;
pub use traffic::{Times, Traffic};

/// A line of a summary.
fn line(title: &str, text: String) -> String {
    format!("  {title:<12} {text}")
}
