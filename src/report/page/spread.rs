//! How nodes spread around the mean: the table `evaluations`, read once from beginning to end. Of an evaluation no more than a few hundred
//! values are kept, however many nodes there are.

use super::super::setting::Run;
use super::tables::{Kept, kept};
use crate::error::Result;
use crate::record::{EvaluationRow, Table};

/// Values that are kept of an evaluation.
const KEPT: usize = 201;

/// The evaluations of single nodes.
pub struct Spread {
    pub moments: Vec<Nodes>,
    /// Every evaluated node at the last recorded evaluation.
    pub last: Vec<AtEnd>,
    /// One row in this many was recorded.
    pub one_in: u32,
}

/// nDCG of the nodes at one evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Nodes {
    pub evaluation: i32,
    pub at_ns: i64,
    pub n: usize,
    /// In increasing order; if there are many nodes, at equal steps of rank, the lowest and the highest included.
    sorted: Vec<f64>,
}

/// A node at the last evaluation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtEnd {
    pub node: i32,
    pub ndcg: f64,
    pub searches: i32,
    pub exposure: Option<f64>,
}

impl Spread {
    /// The spread of a run; `None` if it was not recorded.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn read(run: &Run) -> Result<Option<Self>> {
        let Kept::Rows { one_in } = kept(run, Table::Evaluations) else { return Ok(None) };
        let table = run.table::<EvaluationRow>()?;
        let mut spread = Self { moments: Vec::new(), last: Vec::new(), one_in };
        let mut open: Vec<EvaluationRow> = Vec::new();
        for row in table.rows()? {
            let row = row?;
            if open.first().is_some_and(|first| first.evaluation != row.evaluation) {
                spread.moments.extend(Nodes::of(&open));
                open.clear();
            }
            open.push(row);
        }
        spread.moments.extend(Nodes::of(&open));
        spread.last = open.iter().map(AtEnd::of).collect();
        Ok((!spread.moments.is_empty()).then_some(spread))
    }

    /// The nodes at an evaluation.
    pub fn at(&self, evaluation: i32) -> Option<&Nodes> {
        let found = self.moments.binary_search_by_key(&evaluation, |nodes| nodes.evaluation).ok()?;
        self.moments.get(found)
    }
}

impl AtEnd {
    fn of(row: &EvaluationRow) -> Self {
        Self { node: row.node, ndcg: row.ndcg, searches: row.searches, exposure: row.exposure }
    }
}

impl Nodes {
    fn of(rows: &[EvaluationRow]) -> Option<Self> {
        let first = rows.first()?;
        let mut values: Vec<f64> = rows.iter().map(|row| row.ndcg).filter(|ndcg| ndcg.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        Some(Self { evaluation: first.evaluation, at_ns: first.at_ns, n: values.len(), sorted: thinned(values) })
    }

    /// The value that a share of the nodes does not exceed, between the two nearest ranks.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let (last, place) = (self.sorted.len().checked_sub(1)?, share * (self.sorted.len() - 1) as f64);
        let (low, high) = (place.floor() as usize, (place.ceil() as usize).min(last));
        Some(self.sorted[low] + (self.sorted[high] - self.sorted[low]) * (place - low as f64))
    }

    /// The share of the nodes that have at least this nDCG.
    pub fn share_from(&self, ndcg: f64) -> f64 {
        let below = self.sorted.partition_point(|value| *value < ndcg);
        (self.sorted.len() - below) as f64 / self.sorted.len().max(1) as f64
    }
}

/// At most `KEPT` of the values, at equal steps of rank.
fn thinned(values: Vec<f64>) -> Vec<f64> {
    if values.len() <= KEPT {
        return values;
    }
    (0..KEPT).map(|nth| values[nth * (values.len() - 1) / (KEPT - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(values: Vec<f64>) -> Nodes {
        Nodes { evaluation: 0, at_ns: 0, n: values.len(), sorted: thinned(values) }
    }

    #[test]
    fn quantiles_and_shares_are_those_of_the_nodes() {
        let four = nodes(vec![0.1, 0.2, 0.2, 0.5]);
        assert_eq!([0.0, 1.0].map(|share| four.quantile(share)), [Some(0.1), Some(0.5)]);
        assert_eq!(four.quantile(0.5), Some(0.2));
        assert_eq!([0.0, 0.1, 0.2, 0.3, 0.6].map(|ndcg| four.share_from(ndcg)), [1.0, 1.0, 0.75, 0.25, 0.0]);
        assert_eq!(nodes(Vec::new()).quantile(0.5), None);
        assert_eq!(nodes(vec![0.3]).quantile(0.05), Some(0.3));
    }

    #[test]
    fn many_nodes_keep_their_ends_and_their_shape() {
        let many = nodes((0..100_000).map(|nth| f64::from(nth) / 1e5).collect());
        assert_eq!((many.n, many.sorted.len(), many.quantile(0.0), many.quantile(1.0)), (100_000, KEPT, Some(0.0), Some(0.99999)));
        assert!((many.quantile(0.05).expect("a value") - 0.05).abs() < 1e-3);
        assert!((many.share_from(0.3) - 0.7).abs() < 1e-2);
    }
}
