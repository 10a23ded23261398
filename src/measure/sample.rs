//! Draws which nodes and queries an evaluation looks at. The draw is made once, so every evaluation of a run looks at the same ones.

use crate::rng::{Purpose, Seed};
use crate::units::NodeId;

/// The honest nodes whose models are evaluated.
pub(crate) struct EvaluatedNodes {
    /// The nodes in ascending order; `None` if all are evaluated.
    sample: Option<Vec<u32>>,
}

impl EvaluatedNodes {
    /// So many of the honest nodes, or all of them.
    pub fn of(honest: impl Iterator<Item = NodeId>, n: Option<u32>, seed: Seed) -> Self {
        Self { sample: n.map(|n| sample(seed, Purpose::EvaluatedNodes, honest.map(|node| node.0), n)) }
    }

    /// Whether the model of an honest node is evaluated.
    pub fn has(&self, node: NodeId) -> bool {
        self.sample.as_ref().is_none_or(|sample| sample.binary_search(&node.0).is_ok())
    }
}

/// Draws `n` of some numbers, or takes all if they are not more, and returns them in ascending order.
///
/// Every number has a draw of its own, and the smallest draws win. A larger sample therefore contains the smaller ones.
pub(super) fn sample(seed: Seed, purpose: Purpose, numbers: impl Iterator<Item = u32>, n: u32) -> Vec<u32> {
    let mut drawn: Vec<(f64, u32)> = numbers.map(|number| (seed.uniform(purpose, number.into(), 0), number)).collect();
    if (n as usize) < drawn.len() {
        drawn.select_nth_unstable_by(n as usize, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        drawn.truncate(n as usize);
    }
    let mut chosen: Vec<u32> = drawn.into_iter().map(|(_, number)| number).collect();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn draw(seed: u64, n_numbers: u32, n: u32) -> Vec<u32> {
        sample(Seed(seed), Purpose::EvaluatedNodes, 0..n_numbers, n)
    }

    proptest! {
        #[test]
        fn a_sample_has_its_size_is_sorted_and_grows_by_adding(seed: u64, n_numbers in 0u32..60, n in 1u32..70) {
            let (smaller, larger) = (draw(seed, n_numbers, n), draw(seed, n_numbers, n + 1));
            prop_assert_eq!(smaller.len() as u32, n.min(n_numbers));
            prop_assert!(smaller.is_sorted() && smaller.iter().all(|number| *number < n_numbers && larger.contains(number)));
        }
    }

    #[test]
    fn every_number_is_drawn_equally_often() {
        // 4,000 samples of 16 out of 64: each number is expected 1,000 times. 103.4 is the 99.9 % point of χ² at 63 degrees of freedom;
        // sampling without replacement spreads less than independent draws, by (64 − 16) / 63.
        let mut counts = [0u32; 64];
        for seed in 0..4_000 {
            draw(seed, 64, 16).into_iter().for_each(|number| counts[number as usize] += 1);
        }
        let chi2: f64 = counts.iter().map(|&c| (f64::from(c) - 1000.0).powi(2) / 1000.0).sum::<f64>() * 63.0 / 48.0;
        assert!(chi2 < 103.4, "χ² = {chi2}");
    }

    #[test]
    fn nodes_and_queries_are_drawn_apart() {
        let queries = sample(Seed(1), Purpose::EvaluatedQueries, 0..1000, 100);
        assert_ne!(queries, draw(1, 1000, 100));
        assert_ne!(draw(1, 1000, 100), draw(2, 1000, 100), "another seed draws others");
    }

    #[test]
    fn only_sampled_nodes_are_evaluated() {
        let honest = || (0..100).map(NodeId).filter(|node| node.0 % 5 != 0);
        let count = |n| honest().filter(|node| EvaluatedNodes::of(honest(), n, Seed(3)).has(*node)).count();
        assert_eq!([count(Some(7)), count(Some(80)), count(Some(500)), count(None)], [7, 80, 80, 80]);
    }
}
