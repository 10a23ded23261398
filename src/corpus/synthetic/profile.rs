//! What is known of each public set, and the constants that make its likeness learnable but not trivially so.

use crate::corpus::dataset::Shape;
use crate::math;

/// The outside of a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    pub n_features: usize,
    /// Share of each grade, from 0 up.
    pub label_shares: &'static [f64],
    /// List lengths are log-normal with this median and spread, within these limits.
    pub median_length: f64,
    pub length_spread: f64,
    pub shortest: u32,
    pub longest: u32,
    /// So many features see the same factors.
    pub family: usize,
    /// How much a feature sees of the factor common to all, 0 to 1: the top eigenvalue. The fewer the features, the more it takes to keep one learner
    /// from finding the others soon.
    pub common_load: f64,
    /// Share of the features that are flags which tell nothing. They spread widest of all, so a learner with few sessions is led astray by them.
    pub flag_share: f64,
    /// Standard deviation of the judges' noise, where the factors' part of merit has 1. Lower where lists or features are few and tell less as it is.
    pub judge_noise: f64,
}

impl Profile {
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

    /// Of the log-normal before its limits, which cut little.
    pub fn mean_length(&self) -> f64 {
        self.median_length * math::exp(self.length_spread * self.length_spread / 2.0)
    }
}
