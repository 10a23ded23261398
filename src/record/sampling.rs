//! Which rows a scenario keeps.

use super::Table;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The tables of a run. Left out means all rows; `models` is off unless asked for, and `runs` is always there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Record {
    pub evaluations: Sampling,
    pub receipts: Sampling,
    pub searches: Sampling,
    pub presence: Sampling,
    pub faults: Sampling,
    pub curve: Sampling,
    pub histograms: Sampling,
    pub outcomes: Sampling,
    pub nodes: Sampling,
    pub models: Models,
}

/// How many rows of a table are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sampling {
    #[default]
    All,
    /// A fixed pseudo-random share of the rows: one in n.
    OneIn(u32),
    Nothing,
}

/// Which models are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Models {
    #[default]
    Nothing,
    /// At the last evaluation: what another run can start from.
    Last,
    /// At every n-th evaluation (and the last), of the given nodes, or of all when the list is empty.
    Every {
        evaluations: u32,
        #[serde(default)]
        nodes: Vec<u32>,
    },
}

impl Record {
    /// The tables that are switched on.
    pub fn tables(&self) -> Vec<Table> {
        Table::ALL.iter().copied().filter(|table| self.has(*table)).collect()
    }

    /// Whether a table is kept that says what models are made of.
    pub fn asks_for_provenance(&self) -> bool {
        [Table::Evaluations, Table::Receipts, Table::Curve].into_iter().any(|table| self.has(table))
    }

    fn has(&self, table: Table) -> bool {
        match table {
            Table::Runs => true,
            Table::Nodes => self.nodes != Sampling::Nothing,
            Table::Evaluations => self.evaluations != Sampling::Nothing,
            Table::Receipts => self.receipts != Sampling::Nothing,
            Table::Searches => self.searches != Sampling::Nothing,
            Table::Presence => self.presence != Sampling::Nothing,
            Table::Faults => self.faults != Sampling::Nothing,
            Table::Histograms => self.histograms != Sampling::Nothing,
            Table::Outcomes => self.outcomes != Sampling::Nothing,
            Table::Curve => self.curve != Sampling::Nothing,
            Table::Models => self.models != Models::Nothing,
        }
    }
}

impl Sampling {
    /// Whether the row with this number is kept. By hash, because events repeat in patterns that every n-th would follow.
    pub fn keeps(self, row: u64) -> bool {
        match self {
            Sampling::All => true,
            Sampling::OneIn(n) => xxh3_64(&row.to_le_bytes()).is_multiple_of(u64::from(n.max(1))),
            Sampling::Nothing => false,
        }
    }
}

impl Models {
    /// Whether the model of `node` is kept at the `nth` evaluation.
    pub fn keeps(&self, nth: u32, node: u32, is_last: bool) -> bool {
        match self {
            Models::Nothing => false,
            Models::Last => is_last,
            Models::Every { evaluations, nodes } => {
                (is_last || nth.is_multiple_of(*evaluations)) && (nodes.is_empty() || nodes.contains(&node))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tables_but_models_are_on_unless_said_otherwise() {
        let mut record = Record::default();
        assert_eq!(record.tables(), Table::ALL[..10]);
        record.receipts = Sampling::Nothing;
        record.searches = Sampling::OneIn(10);
        record.models = Models::Last;
        record.faults = Sampling::Nothing;
        record.histograms = Sampling::Nothing;
        record.outcomes = Sampling::Nothing;
        record.nodes = Sampling::Nothing;
        assert_eq!(record.tables(), [Table::Runs, Table::Evaluations, Table::Searches, Table::Presence, Table::Curve, Table::Models]);
    }

    #[test]
    fn one_in_n_keeps_about_that_share_of_any_pattern() {
        for stride in [1, 7, 8] {
            let kept = (0..80_000).filter(|i| Sampling::OneIn(8).keeps(i * stride)).count();
            assert!((9_500..10_500).contains(&kept), "{kept} of every {stride}th");
        }
        assert!(Sampling::All.keeps(3) && !Sampling::Nothing.keeps(3));
    }
}
