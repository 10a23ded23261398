//! The running times that the paper publishes.

use serde::Serialize;

/// A published time to judge one model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Published {
    /// The rule.
    pub rule: &'static str,
    /// The ranker.
    pub ranker: &'static str,
    /// The sessions of the history.
    pub history: u64,
    /// The mean time.
    pub seconds: f64,
    /// Its standard deviation.
    pub sd: f64,
}

/// The table of running times on WEB30K in "Efficient and Robust Online Learning to Rank in Decentralized Systems".
// PAPER: the table of running times
pub const PAPER: [Published; 18] = [
    published("RankGuard", "linear", 100, 0.012, 0.001),
    published("RankGuard", "linear", 1_000, 0.129, 0.003),
    published("RankGuard", "linear", 10_000, 1.448, 0.032),
    published("RankGuard", "neural", 100, 0.073, 0.013),
    published("RankGuard", "neural", 1_000, 0.781, 0.145),
    published("RankGuard", "neural", 10_000, 8.144, 1.151),
    published("FLTrust", "linear", 100, 0.669, 0.127),
    published("FLTrust", "linear", 1_000, 8.057, 0.487),
    published("FLTrust", "linear", 10_000, 92.102, 1.286),
    published("FLTrust", "neural", 100, 0.721, 0.138),
    published("FLTrust", "neural", 1_000, 8.290, 0.821),
    published("FLTrust", "neural", 10_000, 94.963, 1.708),
    published("ZenoPS", "linear", 100, 0.668, 0.127),
    published("ZenoPS", "linear", 1_000, 8.058, 0.487),
    published("ZenoPS", "linear", 10_000, 92.144, 1.277),
    published("ZenoPS", "neural", 100, 0.721, 0.139),
    published("ZenoPS", "neural", 1_000, 8.164, 0.537),
    published("ZenoPS", "neural", 10_000, 94.688, 1.393),
];

const fn published(rule: &'static str, ranker: &'static str, history: u64, seconds: f64, sd: f64) -> Published {
    Published { rule, ranker, history, seconds, sd }
}

/// The published time of a rule.
pub(super) fn seconds(rule: &str, ranker: &str, history: u64) -> Option<f64> {
    PAPER.iter().find(|row| row.rule == rule && row.ranker == ranker && row.history == history).map(|row| row.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_time_for_both_rankers_and_all_histories() {
        for rule in ["RankGuard", "FLTrust", "ZenoPS"] {
            for ranker in ["linear", "neural"] {
                assert!([100, 1_000, 10_000].iter().all(|&history| seconds(rule, ranker, history).is_some()), "{rule} {ranker}");
            }
        }
        assert_eq!((seconds("RankGuard", "linear", 100), seconds("Krum", "linear", 100)), (Some(0.012), None));
    }
}
