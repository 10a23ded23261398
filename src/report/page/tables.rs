//! Which tables a run kept, and what the page says about those that it did not.

use super::super::setting::Run;
use super::words::grouped;
use crate::record::{Models, Record, Sampling, Table};

/// What was kept of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    Nothing,
    /// One row in this many; 1 means all.
    Rows {
        one_in: u32,
    },
}

/// What a run kept of a table.
pub fn kept(run: &Run, table: Table) -> Kept {
    match sampling(&run.scenario.record, table) {
        _ if !run.has(table) => Kept::Nothing,
        Sampling::Nothing => Kept::Nothing,
        Sampling::OneIn(n) => Kept::Rows { one_in: n },
        Sampling::All => Kept::Rows { one_in: 1 },
    }
}

/// Whether every row of a table was kept.
pub fn has_all(run: &Run, table: Table) -> bool {
    kept(run, table) == Kept::Rows { one_in: 1 }
}

fn sampling(record: &Record, table: Table) -> Sampling {
    match table {
        Table::Evaluations => record.evaluations,
        Table::Receipts => record.receipts,
        Table::Searches => record.searches,
        Table::Presence => record.presence,
        Table::Faults => record.faults,
        Table::Curve => record.curve,
        Table::Histograms => record.histograms,
        Table::Outcomes => record.outcomes,
        Table::Nodes => record.nodes,
        Table::Models if record.models == Models::Nothing => Sampling::Nothing,
        Table::Models | Table::Runs => Sampling::All,
    }
}

/// Says that something is not shown, and which line of the scenario would have kept its table.
pub fn not_shown(run: &Run, table: Table, what: &str) -> String {
    let name = table.name();
    let why = match kept(run, table) {
        Kept::Nothing => format!("the run did not keep the table `{name}`"),
        Kept::Rows { one_in } => format!("the run kept only one in {} rows of the table `{name}`", grouped(one_in.into())),
    };
    format!("Not shown: {what}, because {why}. `record: ({name}: All)` in the scenario keeps it.")
}

/// A remark below what rests on a sample of rows; none if all rows were kept.
pub fn sampled(one_in: u32, table: Table) -> Option<String> {
    let text = || format!("The run kept one in {} rows of the table {}; this is what they show.", grouped(one_in.into()), table.name());
    (one_in > 1).then(text)
}
