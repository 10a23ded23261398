//! What is searched and who searches: queries with graded documents, and the users who click on them.

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
pub use load::{locate, unfinished};
