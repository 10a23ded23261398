//! Results become words for a person: the summary of a run, many runs as one table, and their figures as comma-separated values.
//!
//! Reports read what a result folder holds, its manifest and its tables. They know neither the run that wrote it nor the scenario as a type.

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
