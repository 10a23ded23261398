//! What each node received and how it judged it: the table `receipts`, read once, column by column. There may be millions of rows.

use super::super::setting::Run;
use super::tables::{Kept, kept};
use crate::error::Result;
use crate::record::{ReceiptRow, Table};

/// What nodes received.
pub struct Receipts {
    /// By node.
    pub nodes: Vec<Received>,
    /// One receipt in this many was recorded.
    pub one_in: u32,
}

/// What one node received.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Received {
    pub honest: Judged,
    pub malicious: Judged,
    /// The largest α that it gave to a malicious model, and when.
    pub largest: Option<(f64, i64)>,
}

/// Models of one kind of sender.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Judged {
    pub n: u64,
    sum: f64,
}

impl Receipts {
    /// The receipts of a run; `None` if they were not recorded.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn read(run: &Run) -> Result<Option<Self>> {
        let Kept::Rows { one_in } = kept(run, Table::Receipts) else { return Ok(None) };
        let (table, mut nodes) = (run.table::<ReceiptRow>()?, vec![Received::default(); run.row.n_nodes.max(0) as usize]);
        let (at, receivers) = (table.column::<i64>("at_ns")?, table.column::<i32>("receiver")?);
        let (kinds, alphas) = (table.column::<bool>("sender_malicious")?, table.column::<f64>("alpha")?);
        for (((at, receiver), is_malicious), alpha) in at.zip(receivers).zip(kinds).zip(alphas) {
            let (at, receiver, is_malicious, alpha) = (at?, receiver?, is_malicious?, alpha?);
            if let Some(node) = usize::try_from(receiver).ok().and_then(|node| nodes.get_mut(node)) {
                node.add(at, is_malicious, alpha);
            }
        }
        Ok(Some(Self { nodes, one_in }))
    }
}

impl Received {
    fn add(&mut self, at_ns: i64, is_malicious: bool, alpha: f64) {
        let kind = if is_malicious { &mut self.malicious } else { &mut self.honest };
        (kind.n, kind.sum) = (kind.n + 1, kind.sum + alpha);
        if is_malicious && self.largest.is_none_or(|(largest, _)| alpha > largest) {
            self.largest = Some((alpha, at_ns));
        }
    }

    /// Models received from all senders.
    pub fn n(&self) -> u64 {
        self.honest.n + self.malicious.n
    }
}

impl Judged {
    /// The mean α; `None` if nothing came.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum / self.n as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_counted_by_the_kind_of_their_sender() {
        let mut node = Received::default();
        for (at_ns, is_malicious, alpha) in [(1, false, 0.5), (2, true, 0.1), (3, true, 0.3), (4, true, 0.3), (5, false, 0.25)] {
            node.add(at_ns, is_malicious, alpha);
        }
        assert_eq!((node.n(), node.honest.n, node.malicious.n, node.largest), (5, 2, 3, Some((0.3, 3))));
        assert_eq!((node.honest.mean(), Judged::default().mean()), (Some(0.375), None));
    }
}
