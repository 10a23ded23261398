//! Rows become words: what a run came to, for a person.

mod caution;
mod figures;
mod groups;
mod last;
mod names;
mod published;
mod summary;
mod table;

pub use figures::figures;
pub use last::Last;
pub use published::Published;
pub use summary::{network_summary, summary};
pub use table::table;
