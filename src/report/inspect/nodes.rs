//! The figures of every honest node at the end of a run, gathered from all tables that tell something about it.

use super::super::setting::Run;
use super::loudest::Effect;
use super::weights::Weights;
use super::{is_whole, unrecorded};
use crate::error::Result;
use crate::math;
use crate::record::{EvaluationRow, NodeRow, PresenceRow, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// The figures of one honest node; what was not recorded is missing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct NodeFigures {
    /// The node; −1 for a median.
    pub node: i32,
    /// nDCG of its model at the last evaluation.
    pub ndcg: f64,
    /// How much of its model malicious nodes put in.
    pub exposure: Option<f64>,
    /// Share of the run that it was online.
    pub uptime: Option<f64>,
    /// Its own searches.
    pub searches: f64,
    /// Virtual time of its first join in nanoseconds.
    pub first_join_ns: Option<f64>,
    /// Models that it received from honest nodes.
    pub received_honest: Option<f64>,
    /// Models that it received from malicious nodes.
    pub received_malicious: Option<f64>,
    /// Mean weight that it gave to honest senders.
    pub alpha_honest: Option<f64>,
    /// Mean weight that it gave to malicious senders.
    pub alpha_malicious: Option<f64>,
}

impl NodeFigures {
    /// The median of every figure.
    pub fn median(nodes: &[Self]) -> Self {
        let of = |figure: &dyn Fn(&Self) -> Option<f64>| {
            let mut values: Vec<f64> = nodes.iter().filter_map(figure).collect();
            values.sort_by(f64::total_cmp);
            median(&values)
        };
        Self {
            node: -1,
            ndcg: of(&|node| Some(node.ndcg)).unwrap_or(0.0),
            exposure: of(&|node| node.exposure),
            uptime: of(&|node| node.uptime),
            searches: of(&|node| Some(node.searches)).unwrap_or(0.0),
            first_join_ns: of(&|node| node.first_join_ns),
            received_honest: of(&|node| node.received_honest),
            received_malicious: of(&|node| node.received_malicious),
            alpha_honest: of(&|node| node.alpha_honest),
            alpha_malicious: of(&|node| node.alpha_malicious),
        }
    }
}

/// The median of values in increasing order.
pub fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 0 => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
        _ => Some(sorted[middle]),
    }
}

/// The evaluations around the receipt of the loudest model.
#[derive(Debug, Default)]
pub struct Around {
    /// Number of the last evaluation.
    pub last: i32,
    /// The receiver's nDCG and the mean of all, by evaluation: before and after.
    before: Option<(f64, f64)>,
    after: Option<(f64, f64)>,
}

impl Around {
    pub fn effect(&self) -> Option<Effect> {
        let ((before, all_before), (after, all_after)) = self.before.zip(self.after)?;
        Some(Effect { before, after, change_of_all: all_after - all_before })
    }
}

/// The figures of all nodes at the last evaluation, and the evaluations around the loudest model.
///
/// # Errors
/// No evaluation was recorded, or a file cannot be read.
pub fn read(run: &Run, weights: &Weights, notes: &mut Vec<String>) -> Result<(Vec<NodeFigures>, Around)> {
    let (rows, around) = evaluations(run, weights)?;
    if !is_whole(run, Table::Evaluations) {
        notes.push(unrecorded(run, Table::Evaluations, "the ranking of nodes"));
    }
    let (uptimes, joins) = (uptimes(run, notes)?, first_joins(run, notes)?);
    let of = |row: &EvaluationRow| {
        let received = weights.received.as_ref().map(|received| received.get(&row.node).copied().unwrap_or_default());
        NodeFigures {
            node: row.node,
            ndcg: row.ndcg,
            exposure: row.exposure,
            uptime: uptimes.as_ref().map(|uptimes| uptimes.get(&row.node).copied().unwrap_or(0.0)),
            searches: row.searches.into(),
            first_join_ns: joins.get(&row.node).map(|ns| *ns as f64),
            received_honest: received.map(|[honest, _]| honest.n as f64),
            received_malicious: received.map(|[_, malicious]| malicious.n as f64),
            alpha_honest: received.and_then(|[honest, _]| honest.mean_alpha()),
            alpha_malicious: received.and_then(|[_, malicious]| malicious.mean_alpha()),
        }
    };
    Ok((rows.iter().map(of).collect(), around))
}

/// The rows of the last evaluation. Only those of one evaluation are in memory.
fn evaluations(run: &Run, weights: &Weights) -> Result<(Vec<EvaluationRow>, Around)> {
    let (mut now, mut around): (Vec<EvaluationRow>, Around) = Default::default();
    for row in run.table::<EvaluationRow>()?.rows()? {
        let row = row?;
        if now.first().is_some_and(|first| first.evaluation != row.evaluation) {
            around.pass(&now, weights);
            now.clear();
        }
        now.push(row);
    }
    around.pass(&now, weights);
    if now.is_empty() { Err(Table::Evaluations.missing(&run.place)) } else { Ok((now, around)) }
}

impl Around {
    fn pass(&mut self, rows: &[EvaluationRow], weights: &Weights) {
        let Some(first) = rows.first() else { return };
        self.last = first.evaluation;
        let Some(loudest) = &weights.loudest else { return };
        let own = rows.iter().find(|row| row.node == loudest.receiver).map(|row| row.ndcg);
        let mean = math::mean_sd(&rows.iter().map(|row| row.ndcg).collect::<Vec<_>>()).0;
        match first.step < loudest.step {
            true => self.before = own.map(|own| (own, mean)),
            false => self.after = self.after.or(own.map(|own| (own, mean))),
        }
    }
}

/// The share of the run that each node was online.
fn uptimes(run: &Run, notes: &mut Vec<String>) -> Result<Option<BTreeMap<i32, f64>>> {
    if !is_whole(run, Table::Presence) {
        notes.push(unrecorded(run, Table::Presence, "uptime"));
        return Ok(None);
    }
    let (mut since, mut online): (BTreeMap<i32, i64>, BTreeMap<i32, i64>) = Default::default();
    for row in run.table::<PresenceRow>()?.rows()? {
        let row = row?;
        match row.online {
            true => _ = since.entry(row.node).or_insert(row.at_ns),
            false => *online.entry(row.node).or_default() += since.remove(&row.node).map_or(0, |from| row.at_ns - from),
        }
    }
    for (node, from) in since {
        *online.entry(node).or_default() += run.row.end_ns - from;
    }
    let share = |(node, ns): (i32, i64)| (node, ns as f64 / run.row.end_ns.max(1) as f64);
    Ok(Some(online.into_iter().map(share).collect()))
}

fn first_joins(run: &Run, notes: &mut Vec<String>) -> Result<BTreeMap<i32, i64>> {
    if !run.has(Table::Nodes) {
        notes.push(unrecorded(run, Table::Nodes, "the first join of a node"));
        return Ok(BTreeMap::new());
    }
    let mut joins = BTreeMap::new();
    for row in run.table::<NodeRow>()?.rows()? {
        let row = row?;
        joins.extend(row.first_join_ns.map(|ns| (row.node, ns)));
    }
    Ok(joins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_the_middle() {
        for (values, expect) in [(&[][..], None), (&[1.0, 2.0, 9.0], Some(2.0)), (&[1.0, 2.0, 3.0, 9.0], Some(2.5))] {
            assert_eq!(median(values), expect);
        }
    }
}
