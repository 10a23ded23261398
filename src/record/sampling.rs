//! Which rows a scenario keeps.

use super::Table;
use crate::fields::declare;
use xxhash_rust::xxh3::xxh3_64;

declare! {
    /// Which tables of a run are kept. By default all rows of all tables are kept, except those of `models`.
    ///
    /// The table `runs`, one row with the run itself, is always written. Exposure, pull and age are followed only if `evaluations`, `receipts`
    /// or `curve` is kept; that doubles the memory of models and changes nothing else.
    #[derive(Clone, PartialEq, Eq, Default)]
    #[serde(default)]
    pub struct Record {
        /// Which rows of the table `evaluations` are kept: one per evaluation and honest node.
        #[example(Nothing)]
        pub evaluations: Sampling,
        /// Which rows of the table `receipts` are kept: one per received model.
        #[example(OneIn(10))]
        pub receipts: Sampling,
        /// Which rows of the table `searches` are kept: one per search.
        #[example(Nothing)]
        pub searches: Sampling,
        /// Which rows of the table `presence` are kept: joins and leaves.
        #[example(Nothing)]
        pub presence: Sampling,
        /// Which rows of the table `faults` are kept: faults that begin and end.
        #[example(Nothing)]
        pub faults: Sampling,
        /// Which rows of the table `curve` are kept: aggregates over nodes, ready to plot.
        #[example(Nothing)]
        pub curve: Sampling,
        /// Which rows of the table `histograms` are kept: quantiles of delays and transfer times over the whole run.
        #[example(Nothing)]
        pub histograms: Sampling,
        /// Which rows of the table `outcomes` are kept: what became of all messages.
        #[example(Nothing)]
        pub outcomes: Sampling,
        /// Which rows of the table `nodes` are kept: who every node is.
        #[example(Nothing)]
        pub nodes: Sampling,
        /// Which models are kept, in the table `models`.
        #[example(Last)]
        pub models: Models,
    }
}

declare! {
    /// How many rows of a table are kept.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Sampling {
        /// Every row.
        #[default]
        All,
        /// A fixed pseudo-random share of the rows: one in n.
        OneIn(
            #[limits(at_least(1.0).or("to keep no rows write Nothing"))]
            #[example(10)]
            u32
        ),
        /// No row.
        Nothing,
    }
}

declare! {
    /// Which models are kept.
    #[derive(Clone, PartialEq, Eq, Default)]
    pub enum Models {
        /// No models are kept.
        #[default]
        Nothing,
        /// The models at the last evaluation, from which another run can start.
        Last,
        /// The models at every n-th evaluation and at the last.
        Every {
            /// The number n of evaluations after which models are kept again.
            #[limits(at_least(1.0))]
            #[example(10)]
            evaluations: u32,
            /// The numbers of the nodes whose models are kept, from 0; an empty list means all nodes.
            #[serde(default)]
            #[example([0, 1, 2])]
            nodes: Vec<u32>,
        },
    }
}

impl Record {
    /// The tables that are switched on.
    pub fn tables(&self) -> Vec<Table> {
        Table::ALL.iter().copied().filter(|table| self.has(*table)).collect()
    }

    /// Whether a table is kept that needs the provenance of models.
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
    /// Whether the row with this number is kept. A hash decides, because events repeat in patterns that "every n-th row" might follow.
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
