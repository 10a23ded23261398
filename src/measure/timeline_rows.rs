//! Builds the rows that depend on the timeline alone.

use crate::network::{Bandwidth, Fault};
use crate::record::{FaultRow, HistogramRow, OutcomeRow, PresenceRow, Sampling};
use crate::timeline::{Action, Loss, Step, Tally};

const QUANTILES: [f64; 13] = [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0];

/// The rows of joins and leaves.
pub(crate) fn presence_rows(steps: &[Step], sampling: Sampling) -> Vec<PresenceRow> {
    let row = |step: &Step| match step.action {
        Action::Presence { node, online, life } => {
            Some(PresenceRow { step: step.number as i64, at_ns: step.at.0 as i64, node: node.0 as i32, online, life: life as i32 })
        }
        _ => None,
    };
    steps.iter().filter(|step| sampling.keeps(step.number)).filter_map(row).collect()
}

/// The rows of faults that began and ended.
pub(crate) fn fault_rows(steps: &[Step], sampling: Sampling, faults: &[Fault]) -> Vec<FaultRow> {
    let row = |step: &Step| match step.action {
        Action::Fault { nth, begins, n_nodes } => Some(FaultRow {
            step: step.number as i64,
            at_ns: step.at.0 as i64,
            fault: nth as i32,
            what: faults[nth as usize].what.name(),
            begins,
            concerned: n_nodes as i32,
        }),
        _ => None,
    };
    steps.iter().filter(|step| sampling.keeps(step.number)).filter_map(row).collect()
}

/// The quantiles of the time that delivered messages took, and of their transfers if bandwidth is limited.
pub(crate) fn histogram_rows(tally: &Tally, bandwidth: Bandwidth, sampling: Sampling) -> Vec<HistogramRow> {
    let row = |quantity, quantile, value: crate::units::Duration| HistogramRow {
        quantity,
        quantile,
        value_ns: value.ns() as i64,
        count: tally.delivered as i64,
    };
    let mut rows: Vec<HistogramRow> = QUANTILES.iter().map(|&q| row("delay", q, tally.delay_quantile(q))).collect();
    if bandwidth != Bandwidth::Unlimited {
        rows.extend(QUANTILES.iter().map(|&q| row("transfer", q, tally.transfer_quantile(q))));
    }
    rows.retain(|row| row.count > 0 && sampling.keeps((row.quantile * 1e6) as u64));
    rows
}

/// The outcomes of all messages. The rows add up to all messages that were sent or duplicated.
pub(crate) fn outcome_rows(tally: &Tally, sampling: Sampling) -> Vec<OutcomeRow> {
    let row = |outcome, messages: u64| OutcomeRow { outcome, messages: messages as i64 };
    let lost = Loss::ALL.into_iter().map(|why| row(why.words(), tally.lost_by(why)));
    let rows = [row("delivered", tally.delivered)].into_iter().chain(lost).chain([row("undelivered", tally.in_flight)]);
    (0..).zip(rows).filter(|(nth, _)| sampling.keeps(*nth)).map(|(_, row)| row).collect()
}
