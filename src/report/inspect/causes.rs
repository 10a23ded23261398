//! What sets a node apart from the others, if that goes with low nDCG among all nodes.
//!
//! A node has many figures, and one of them is always a little extreme. A figure is named only if it is among the most harmful tenth of all
//! nodes' and if, over all nodes, harmful values go with low nDCG more than chance would have it. It remains a coincidence, not a proof.

use super::nodes::{NodeFigures, median};
use serde::Serialize;

/// A figure that sets a node apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cause {
    /// The figure.
    pub figure: &'static str,
    /// The node's value.
    pub value: f64,
    /// The median of all evaluated nodes.
    pub median: f64,
    /// How many nodes have a value that is as harmful or more, itself included.
    pub rank: usize,
    /// Of so many nodes.
    pub of: usize,
    /// Rank correlation (Spearman) of the figure with nDCG over all evaluated nodes.
    pub correlation: f64,
}

/// A figure with its name, the side that may harm, and its value.
pub struct Figure {
    pub name: &'static str,
    pub large_harms: bool,
    pub of: fn(&NodeFigures) -> Option<f64>,
}

pub const FIGURES: [Figure; 8] = [
    Figure { name: "exposure", large_harms: true, of: |node| node.exposure },
    Figure { name: "uptime", large_harms: false, of: |node| node.uptime },
    Figure { name: "searches", large_harms: false, of: |node| Some(node.searches) },
    Figure { name: "first join", large_harms: true, of: |node| node.first_join_ns },
    Figure { name: "honest models", large_harms: false, of: |node| node.received_honest },
    Figure { name: "malicious models", large_harms: true, of: |node| node.received_malicious },
    Figure { name: "α honest", large_harms: false, of: |node| node.alpha_honest },
    Figure { name: "α malicious", large_harms: true, of: |node| node.alpha_malicious },
];

/// The most harmful share of nodes.
const EXTREME: f64 = 0.1;
/// How many standard errors a correlation must be away from 0. Eight figures are looked at, so two would not do.
const SURE: f64 = 3.0;

/// What the figures of all nodes tell: how each goes with nDCG, and where a node stands.
pub struct Comparison {
    /// Every figure that can harm, with its values in increasing order and its correlation with nDCG.
    harmful: Vec<(&'static Figure, Vec<f64>, f64)>,
}

impl Comparison {
    pub fn new(all: &[NodeFigures]) -> Self {
        Self { harmful: FIGURES.iter().filter_map(|figure| harmful(figure, all)).collect() }
    }

    /// The figures that set a node apart, the closest related to nDCG first.
    pub fn causes(&self, node: &NodeFigures) -> Vec<Cause> {
        let mut causes: Vec<Cause> =
            self.harmful.iter().filter_map(|(figure, sorted, correlation)| cause(figure, sorted, *correlation, node)).collect();
        causes.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
        causes
    }
}

/// A figure with its values and its correlation, if harmful values go with low nDCG.
fn harmful(figure: &'static Figure, all: &[NodeFigures]) -> Option<(&'static Figure, Vec<f64>, f64)> {
    let pairs: Vec<(f64, f64)> = all.iter().filter_map(|other| Some(((figure.of)(other)?, other.ndcg))).collect();
    let correlation = spearman(&pairs)?;
    let against = if figure.large_harms { -correlation } else { correlation };
    let mut sorted: Vec<f64> = pairs.iter().map(|(value, _)| *value).collect();
    sorted.sort_by(f64::total_cmp);
    (against * ((pairs.len() - 1) as f64).sqrt() >= SURE).then_some((figure, sorted, correlation))
}

fn cause(figure: &Figure, sorted: &[f64], correlation: f64, node: &NodeFigures) -> Option<Cause> {
    let value = (figure.of)(node)?;
    let median = median(sorted)?;
    let (rank, is_beyond) = match figure.large_harms {
        true => (sorted.len() - sorted.partition_point(|other| *other < value), value > median),
        false => (sorted.partition_point(|other| *other <= value), value < median),
    };
    let is_extreme = rank as f64 <= (EXTREME * sorted.len() as f64).max(1.0) && is_beyond;
    is_extreme.then_some(Cause { figure: figure.name, value, median, rank, of: sorted.len(), correlation })
}

/// The rank correlation of pairs; equal values share the mean of their ranks. `None` if one side is the same everywhere.
fn spearman(pairs: &[(f64, f64)]) -> Option<f64> {
    let (x, y): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (x, y) = (ranks(&x), ranks(&y));
    let mean = (pairs.len() as f64 + 1.0) / 2.0;
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(&y).map(|(x, y)| f(x - mean, y - mean)).sum::<f64>();
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    (spread > 0.0).then(|| sum(&|x, y| x * y) / spread)
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |value: f64| sorted.partition_point(|other| *other < value);
    let up_to = |value: f64| sorted.partition_point(|other| *other <= value);
    values.iter().map(|value| (below(*value) + up_to(*value) + 1) as f64 / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_correlations_by_hand() {
        let pairs = |x: &[f64], y: &[f64]| x.iter().copied().zip(y.iter().copied()).collect::<Vec<_>>();
        for (x, y, expect) in [
            (&[1.0, 2.0, 3.0][..], &[10.0, 20.0, 500.0][..], Some(1.0)),
            (&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0], Some(-1.0)),
            // 1 − 6 Σd² / (n (n² − 1)) = 1 − 6 · 2 / 60.
            (&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0], Some(0.8)),
            (&[1.0, 1.0], &[1.0, 2.0], None),
        ] {
            let got = spearman(&pairs(x, y));
            assert!(got == expect || (got.unwrap_or(9.0) - expect.unwrap_or(0.0)).abs() < 1e-12, "{got:?} is not {expect:?}");
        }
        assert_eq!(ranks(&[5.0, 1.0, 5.0]), [2.5, 1.0, 2.5]);
    }

    /// Forty nodes. The searches of each follow `searches`, its exposure `exposure`; nDCG rises with the number of the node.
    fn nodes(searches: impl Fn(i32) -> f64, exposure: impl Fn(i32) -> f64) -> Vec<NodeFigures> {
        let node = |node| NodeFigures {
            node,
            ndcg: 0.3 + 0.01 * f64::from(node),
            searches: searches(node),
            exposure: Some(exposure(node)),
            ..NodeFigures::default()
        };
        (0..40).map(node).collect()
    }

    #[test]
    fn a_figure_that_goes_with_low_ndcg_is_named_and_an_ordinary_one_is_not() {
        let all = nodes(|node| 10.0 + f64::from(node), |node| f64::from(node * 17 % 40) / 40.0);
        let compared = Comparison::new(&all);
        let found = compared.causes(&all[0]);
        assert_eq!(found.iter().map(|cause| (cause.figure, cause.rank, cause.of)).collect::<Vec<_>>(), [("searches", 1, 40)]);
        assert_eq!(compared.causes(&all[20]), [], "a node in the middle");
    }

    #[test]
    fn an_extreme_figure_that_means_nothing_elsewhere_is_not_named() {
        let all = nodes(|_| 7.0, |node| if node == 0 { 1.0 } else { f64::from(node * 17 % 40) / 80.0 });
        assert_eq!(Comparison::new(&all).causes(&all[0]), []);
    }
}
