//! Rows become words: what a run came to, for a person.

mod caution;
mod figures;
mod summary;
mod table;

pub use figures::figures;
pub use summary::{network_summary, summary};
pub use table::{Published, table};
