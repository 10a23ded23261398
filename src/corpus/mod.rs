//! What is searched and who searches: queries with graded documents, and the users who click on them.

mod clicks;
mod dataset;
pub mod letor;

pub use clicks::{ClickTable, Users};
pub use dataset::{Corpus, Dataset, Normalize, Query, Shape, Split};
