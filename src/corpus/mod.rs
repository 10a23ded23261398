//! The data that users search, and the users: queries with graded documents, and how people click on them.
//!
//! This module knows neither nodes nor time. A data set does not depend on the seed of a run.
//!
//! ```
//! use rankguard::corpus::{Shape, synthetic};
//! use rankguard::rng::Seed;
//!
//! let corpus = synthetic::generate(Shape::Mq2007, 20, 10, Seed(1));
//! assert_eq!((corpus.train.n_queries(), corpus.test.n_queries()), (20, 10));
//! assert_eq!((corpus.train.n_features(), corpus.n_grades), (46, 3));
//! ```

mod cache;
mod clicks;
mod dataset;
mod hash;
mod inspect;
pub mod letor;
mod load;
mod public_sets;
pub mod synthetic;
mod verify;

pub use cache::UnfinishedCaches;
pub use clicks::{ClickTable, Users};
pub use dataset::{Corpus, Dataset, Normalize, Query, Shape, Split};
pub use hash::of_file as hash_file;
pub use inspect::{Inspection, inspect, inspect_within};
pub use load::locate;
pub use public_sets::{Counts, Features, Fold, Known, PUBLIC_SETS, PublicSet, public_sets_page};
pub use verify::{Finding, Severity, Verified, VerifiedFile, unknown_folders, verify};
