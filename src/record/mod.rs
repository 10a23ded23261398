//! Rows leave the program here: what a row is, which rows are kept, and how they become Parquet.

mod choose;

pub use choose::{Models, Record, Sampling};
