//! Statistics of comparisons, as pure functions of numbers: Student's t, intervals of paired and unpaired differences, Holm's adjustment,
//! and the probability of improvement. Nothing here knows what the numbers mean.

mod intervals;
mod many;
mod student;

pub use intervals::{Interval, MOST_SEEDS, is_rounding, of_mean, paired, seeds_needed, welch};
pub use many::{holm, improvement};
pub use student::{cdf, quantile, two_sided};
