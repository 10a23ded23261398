//! The rows of one evaluation: one for each honest node in `evaluations`, and one for all of them in `curve`.

use super::alpha_stats::{Totals, auc};
use crate::learn::{Alphas, Content};
use crate::math;
use crate::record::{CurveRow, EvaluationRow, Sampling};
use crate::timeline::Tally;
use crate::units::{NodeId, VirtualTime};

/// When an evaluation takes place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    /// The number of its step.
    pub step: u64,
    /// The virtual time.
    pub at: VirtualTime,
    /// The number of the evaluation.
    pub nth: u32,
    /// Searches of the whole network so far.
    pub n_searches: u64,
}

/// An honest node at an evaluation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Evaluated {
    /// The node.
    pub node: NodeId,
    /// Whether it is online.
    pub is_online: bool,
    /// The number of its searches so far.
    pub n_searches: u64,
    /// The nDCG of its model on the test queries.
    pub ndcg: f64,
    /// Exposure and pull of its model.
    pub content: Option<Content>,
    /// The mean age of what its model has learned.
    pub age_ns: Option<i64>,
}

/// What an evaluation covers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coverage {
    /// The honest nodes that have joined; a sample of them may be evaluated.
    pub n_honest: usize,
    /// The test queries that models ranked.
    pub n_queries: usize,
    /// The test queries that count, from which these were drawn.
    pub n_queries_of: usize,
    /// The nDCG of random rankings of these queries.
    pub random: f64,
}

/// The rows of the table `evaluations` that are kept.
pub(crate) fn evaluation_rows(moment: Moment, nodes: &[Evaluated], sampling: Sampling) -> Vec<EvaluationRow> {
    let is_kept = |of: &&Evaluated| sampling.keeps(u64::from(moment.nth) << 32 | u64::from(of.node.0));
    let row = |of: &Evaluated| EvaluationRow {
        step: moment.step as i64,
        evaluation: moment.nth as i32,
        at_ns: moment.at.0 as i64,
        node: of.node.0 as i32,
        online: of.is_online,
        searches: of.n_searches as i32,
        ndcg: of.ndcg,
        exposure: of.content.map(|content| content.exposure),
        pull: of.content.map(|content| content.pull),
        age_ns: of.age_ns,
    };
    nodes.iter().filter(is_kept).map(row).collect()
}

/// The row of the curve. `alphas` are the weights since the evaluation before.
pub(crate) fn curve_row(moment: Moment, nodes: &[Evaluated], of: Coverage, alphas: &Alphas, tally: &Tally, n_online: u32) -> CurveRow {
    let values: Vec<f64> = nodes.iter().map(|of| of.ndcg).collect();
    let (ndcg_mean, ndcg_sd) = math::mean_sd(&values);
    let totals = Totals::of(alphas);
    let contents = || nodes.iter().filter_map(|of| of.content);
    CurveRow {
        step: moment.step as i64,
        evaluation: moment.nth as i32,
        at_ns: moment.at.0 as i64,
        sessions: moment.n_searches as i64,
        evaluated: nodes.len() as i32,
        evaluated_of: of.n_honest as i32,
        queries: of.n_queries as i32,
        queries_of: of.n_queries_of as i32,
        online_nodes: n_online as i32,
        ndcg_mean,
        ndcg_sd,
        ndcg_worst5: worst_twentieth(&values),
        ndcg_min: values.iter().copied().min_by(f64::total_cmp).unwrap_or(0.0),
        ndcg_random: of.random,
        alpha_honest: totals.honest(),
        alpha_malicious: totals.malicious(),
        auc: auc(alphas),
        exposure: mean(contents().map(|content| content.exposure)),
        pull: mean(contents().map(|content| content.pull)),
        age_ns: mean(nodes.iter().filter_map(|of| of.age_ns).map(|age| age as f64)).map(|age| age as i64),
        sent: tally.sent as i64,
        delivered: tally.delivered as i64,
        lost: tally.lost() as i64,
    }
}

// CHOICE(worst5): of fewer than 20 nodes the worst one stands for the worst 5 %.
fn worst_twentieth(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.truncate(values.len().div_ceil(20));
    math::mean_sd(&sorted).0
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0u64), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_twentieth_is_at_least_one() {
        assert_eq!(worst_twentieth(&(1..=40).rev().map(f64::from).collect::<Vec<_>>()), 1.5);
        assert_eq!(worst_twentieth(&[0.3, 0.2]), 0.2);
    }

    #[test]
    fn a_curve_sums_up_its_nodes() {
        let node = |node: u32, ndcg: f64, age_ns| {
            let content = Some(Content { exposure: ndcg / 2.0, pull: -ndcg }).filter(|_| node != 2);
            Evaluated { node: NodeId(node), is_online: true, n_searches: 7, ndcg, content, age_ns }
        };
        let nodes = [node(0, 0.5, Some(10)), node(1, 0.25, None), node(2, 0.75, Some(20))];
        let moment = Moment { step: 9, at: VirtualTime(100), nth: 3, n_searches: 21 };
        let coverage = Coverage { n_honest: 5, n_queries: 6, n_queries_of: 7, random: 0.125 };
        let curve = curve_row(moment, &nodes, coverage, &Alphas::default(), &Tally::new(), 2);
        assert_eq!((curve.evaluated_of, curve.queries, curve.queries_of), (5, 6, 7));
        assert_eq!((curve.ndcg_mean, curve.ndcg_min, curve.ndcg_worst5, curve.ndcg_random), (0.5, 0.25, 0.25, 0.125));
        assert_eq!((curve.exposure, curve.pull, curve.age_ns), (Some(0.1875), Some(-0.375), Some(15)));
        assert_eq!((curve.alpha_honest, curve.auc, curve.evaluated, curve.online_nodes), (None, None, 3, 2));
        let rows = evaluation_rows(moment, &nodes, Sampling::All);
        assert_eq!(rows.iter().map(|row| (row.node, row.evaluation, row.searches)).collect::<Vec<_>>(), [(0, 3, 7), (1, 3, 7), (2, 3, 7)]);
        assert!(evaluation_rows(moment, &nodes, Sampling::Nothing).is_empty());
    }
}
