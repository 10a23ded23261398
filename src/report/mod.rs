//! Rows become words: what a run came to, for a person.

mod summary;
mod table;

pub use summary::{network_summary, summary};
pub use table::{Published, table};
