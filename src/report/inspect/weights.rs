//! The weights that honest nodes gave to single models, from the table of receipts.

use super::super::setting::Run;
use super::loudest::Loudest;
use super::{is_whole, unrecorded};
use crate::error::Result;
use crate::record::{ReceiptRow, Table};
use std::collections::BTreeMap;

/// What a node received from one kind of sender.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Received {
    /// Models.
    pub n: u64,
    /// Sum and number of the weights that they got.
    sum: f64,
    weighed: u64,
}

impl Received {
    pub fn mean_alpha(self) -> Option<f64> {
        (self.weighed > 0).then(|| self.sum / self.weighed as f64)
    }
}

/// Everything about weights that one pass over the receipts finds.
#[derive(Debug, Default)]
pub struct Weights {
    /// What each honest node received from honest and from malicious senders; `None` if receipts were not recorded.
    pub received: Option<BTreeMap<i32, [Received; 2]>>,
    pub loudest: Option<Loudest>,
}

/// Weights by node, and the malicious model with the largest. Models in a pool get theirs with the receipt that fills the pool.
pub fn read(run: &Run, notes: &mut Vec<String>) -> Result<Weights> {
    let what = "what nodes received, and with which weight,";
    if !is_whole(run, Table::Receipts) {
        notes.push(unrecorded(run, Table::Receipts, what));
    }
    if !run.has(Table::Receipts) {
        return Ok(Weights::default());
    }
    let mut reading = Reading { knows_pools: is_whole(run, Table::Receipts), ..Reading::default() };
    for row in run.table::<ReceiptRow>()?.rows()? {
        reading.add(row?);
    }
    Ok(Weights { received: Some(reading.received), loudest: reading.loudest })
}

#[derive(Default)]
struct Reading {
    received: BTreeMap<i32, [Received; 2]>,
    loudest: Option<Loudest>,
    /// Models that wait in the pool of a receiver.
    pools: BTreeMap<i32, Vec<ReceiptRow>>,
    /// Whether no receipt is missing, so that the weights of a pool have their models.
    knows_pools: bool,
}

impl Reading {
    fn add(&mut self, row: ReceiptRow) {
        if row.receiver_malicious {
            return;
        }
        self.received.entry(row.receiver).or_default()[usize::from(row.sender_malicious)].n += 1;
        match row.outcome {
            "buffered" | "pooled" if !self.knows_pools => {}
            "buffered" => self.pools.entry(row.receiver).or_default().push(row),
            "pooled" => {
                let mut pool = self.pools.remove(&row.receiver).unwrap_or_default();
                let weights = row.weights.clone();
                pool.push(row);
                // A pool that lost its models with a restart has fewer weights than models were buffered: the latest are those.
                let from = pool.len().saturating_sub(weights.len());
                pool.split_off(from).iter().zip(weights).for_each(|(model, alpha)| self.weigh(model, alpha));
            }
            _ => self.weigh(&row, row.alpha),
        }
    }

    fn weigh(&mut self, row: &ReceiptRow, alpha: f64) {
        if row.noop {
            return;
        }
        let received = &mut self.received.entry(row.receiver).or_default()[usize::from(row.sender_malicious)];
        received.sum += alpha;
        received.weighed += 1;
        if row.sender_malicious {
            match &mut self.loudest {
                Some(loudest) if loudest.alpha >= alpha => loudest.count(alpha),
                before => *before = Some(Loudest::new(row, alpha, before.as_ref())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::Sample;

    fn receipt(step: i64, sender: i32, outcome: &'static str, alpha: f64) -> ReceiptRow {
        ReceiptRow {
            step,
            at_ns: step,
            receiver: 7,
            receiver_malicious: false,
            sender,
            sender_malicious: sender >= 10,
            outcome,
            alpha,
            weights: Vec::new(),
            noop: false,
            ..ReceiptRow::sample(&mut || 7)
        }
    }

    #[test]
    fn a_pool_gives_its_weights_to_the_models_in_it() {
        let mut reading = Reading { knows_pools: true, ..Reading::default() };
        reading.add(receipt(1, 10, "buffered", 0.0));
        reading.add(receipt(2, 3, "buffered", 0.0));
        reading.add(ReceiptRow { weights: vec![0.25, 0.5, 0.125], ..receipt(3, 4, "pooled", 0.875) });
        reading.add(ReceiptRow { noop: true, ..receipt(4, 11, "merged", 0.9) });
        let [honest, malicious] = reading.received[&7];
        assert_eq!((honest.n, honest.mean_alpha(), malicious.n, malicious.mean_alpha()), (2, Some(0.3125), 2, Some(0.25)));
        let loudest = reading.loudest.expect("one malicious model was weighed");
        assert_eq!((loudest.sender, loudest.receiver, loudest.at_ns, loudest.alpha, loudest.n_models), (10, 7, 1, 0.25, 1));
    }

    #[test]
    fn the_first_of_equal_weights_is_the_loudest() {
        let mut reading = Reading::default();
        for (step, alpha) in [(1, 0.1), (2, 0.5), (3, 0.5), (4, 0.0)] {
            reading.add(receipt(step, 12, "merged", alpha));
        }
        let loudest = reading.loudest.expect("there is one");
        assert_eq!((loudest.step, loudest.n_models, loudest.n_alike, loudest.n_weighed), (2, 4, 2, 3));
    }
}
