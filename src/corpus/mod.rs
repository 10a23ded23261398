//! The data that users search, and the users: queries with graded documents, and how people click on them.
//!
//! This module knows neither nodes nor time. A data set does not depend on the seed of a run.

mod cache;
mod clicks;
mod dataset;
mod hash;
mod inspect;
pub mod letor;
mod load;
pub mod synthetic;

pub use clicks::{ClickTable, Users};
pub use dataset::{Corpus, Dataset, Normalize, Query, Shape, Split};
pub use hash::of_file as hash_file;
pub use inspect::{Inspection, inspect, inspect_within};
pub use load::unfinished;
