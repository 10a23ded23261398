//! Rows become words: what a run came to, for a person.

mod summary;

pub use summary::summary;
