//! The dimensions of each public set, and the constants that make its imitation learnable but not trivial.

use crate::corpus::dataset::Shape;
use crate::math;

/// The dimensions and constants of a synthetic data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    /// The number of features of a document.
    pub n_features: usize,
    /// The share of each grade, from 0 up.
    pub label_shares: &'static [f64],
    /// The median number of documents of a query; the number is log-normal.
    pub median_length: f64,
    /// The standard deviation of the logarithm of that number.
    pub length_spread: f64,
    /// The smallest number of documents of a query.
    pub shortest: u32,
    /// The largest number of documents of a query.
    pub longest: u32,
    /// The number of features in a family, all of which see the same factors.
    pub family: usize,
    /// How much a feature sees of the common factor, from 0 to 1. It decides the top eigenvalue. With fewer features it must be higher, or
    /// a single learner would soon find the other factors.
    pub common_load: f64,
    /// The share of features that are uninformative flags. Flags vary more than all other features, so they mislead a learner that has few
    /// sessions.
    pub flag_share: f64,
    /// The standard deviation of the judges' noise; that of the factors' part of merit is 1. It is lower for sets whose short lists or few
    /// features tell less anyway.
    pub judge_noise: f64,
}

impl Profile {
    /// The profile of a shape.
    pub fn of(shape: Shape) -> Self {
        match shape {
            Shape::Web30k => Self {
                n_features: 136,
                label_shares: &[0.52, 0.32, 0.13, 0.02, 0.01],
                median_length: 100.0,
                length_spread: 0.6,
                shortest: 2,
                longest: 1_251,
                family: 5,
                common_load: 0.8,
                flag_share: 0.04,
                judge_noise: 0.5,
            },
            Shape::Mq2007 => Self {
                n_features: 46,
                label_shares: &[0.74, 0.20, 0.06],
                median_length: 37.0,
                length_spread: 0.5,
                shortest: 6,
                longest: 147,
                family: 2,
                common_load: 0.85,
                flag_share: 0.07,
                judge_noise: 0.35,
            },
            Shape::Yahoo => Self {
                n_features: 700,
                label_shares: &[0.26, 0.36, 0.28, 0.08, 0.02],
                median_length: 20.0,
                length_spread: 0.6,
                shortest: 2,
                longest: 139,
                family: 5,
                common_load: 0.75,
                flag_share: 0.03,
                judge_noise: 0.4,
            },
            Shape::Istella => Self {
                n_features: 220,
                label_shares: &[0.89, 0.02, 0.04, 0.03, 0.02],
                median_length: 318.0,
                length_spread: 0.2,
                shortest: 3,
                longest: 439,
                family: 5,
                common_load: 0.8,
                flag_share: 0.03,
                judge_noise: 0.5,
            },
        }
    }

    /// The mean number of documents of a query, before the limits, which cut off little.
    pub fn mean_length(&self) -> f64 {
        self.median_length * math::exp(self.length_spread * self.length_spread / 2.0)
    }
}
