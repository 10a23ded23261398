//! A node together with the provenance of its model.

use super::alphas::Given;
use super::model::Model;
use super::provenance::Provenance;
use crate::corpus::ClickTable;
use crate::node::{Node, Outcome, Protocol, Reason, Received, Scratch, Search, Verdict};
use crate::units::VirtualTime;
use serde::{Deserialize, Serialize};

/// A node, the provenance of its model, and the marks of the models in its pool.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Learner {
    pub node: Node,
    /// The provenance of the own model, if a recorded table needs it.
    provenance: Option<Provenance>,
    /// The marks of the models in the node's pool, oldest first.
    pooled: Vec<Pooled>,
}

/// The marks of a model that waits in a pool.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pooled {
    is_malicious: bool,
    is_noop: bool,
    provenance: Option<Provenance>,
}

/// A received model with its sender's kind, and the step of its receipt.
pub(super) struct ReceivedModel<'a> {
    pub model: &'a Model,
    pub is_malicious: bool,
    pub step: u64,
}

impl Learner {
    pub fn new(node: Node, tracks_provenance: bool) -> Self {
        let provenance = tracks_provenance.then(|| Provenance::untaught(node.theta().len()));
        Self { node, provenance, pooled: Vec::new() }
    }

    /// Drops the models that wait in the pool.
    pub fn drop_pool(&mut self) {
        self.node.drop_pool();
        self.pooled.clear();
    }

    pub fn provenance(&self) -> Option<&Provenance> {
        self.provenance.as_ref()
    }

    /// Runs one session. `is_poisoned` tells whether its clicks are those of an attacker.
    pub fn search(&mut self, protocol: &Protocol, users: &ClickTable, at: VirtualTime, is_poisoned: bool, scratch: &mut Scratch) -> Search {
        let Some(provenance) = &mut self.provenance else { return self.node.on_search(protocol, users, scratch) };
        let before = self.node.theta().to_vec();
        let search = self.node.on_search(protocol, users, scratch);
        provenance.learn(&before, self.node.theta(), at, is_poisoned);
        search
    }

    /// Judges and merges models in their order. `given` gets the weights that went to models other than the receiver's own.
    pub fn receive(
        &mut self,
        protocol: &Protocol,
        received: &[ReceivedModel],
        scratch: &mut Scratch,
        given: &mut Vec<Given>,
    ) -> Vec<Verdict> {
        let models: Vec<Received> =
            received.iter().map(|received| Received { theta: &received.model.theta, is_malicious: received.is_malicious }).collect();
        let verdicts = self.node.on_receive(protocol, &models, scratch);
        for (received, verdict) in received.iter().zip(&verdicts) {
            self.account(received, verdict, given);
        }
        verdicts
    }

    /// Updates the provenance of the own model, and notes the weight that each sender got.
    fn account(&mut self, received: &ReceivedModel, verdict: &Verdict, given: &mut Vec<Given>) {
        let ReceivedModel { model, is_malicious: to_malicious, step } = *received;
        match verdict.outcome {
            Outcome::Buffered => self.keep_pooled(received),
            Outcome::Pooled => {
                self.keep_pooled(received);
                let pool = std::mem::take(&mut self.pooled);
                for (&alpha, of) in verdict.mix.weights().iter().zip(&pool).filter(|(_, of)| !of.is_noop) {
                    given.push(Given { step, alpha, to_malicious: of.is_malicious, is_implausible: false });
                }
                if let Some(own) = &mut self.provenance {
                    own.merge(&verdict.mix, &pool.iter().filter_map(|of| of.provenance.as_ref()).collect::<Vec<_>>());
                }
            }
            Outcome::Merged | Outcome::Rejected(_) | Outcome::Discarded => {
                if let (Some(own), Some(theirs)) = (&mut self.provenance, &model.provenance) {
                    own.merge_one(&verdict.mix, theirs);
                }
                if !model.is_noop {
                    let is_implausible = matches!(verdict.outcome, Outcome::Rejected(Reason::NotFinite | Reason::TooLarge));
                    given.push(Given { step, alpha: verdict.alpha, to_malicious, is_implausible });
                }
            }
        }
    }

    fn keep_pooled(&mut self, received: &ReceivedModel) {
        let ReceivedModel { model, is_malicious, .. } = *received;
        self.pooled.push(Pooled { is_malicious, is_noop: model.is_noop, provenance: model.provenance.clone() });
    }

    /// The model as it is now, to be sent.
    pub fn model(&self) -> Model {
        Model::new(self.node.theta().to_vec(), self.provenance.clone(), false)
    }

    /// Begins again with a fresh model that has learned nothing.
    pub fn restart(&mut self, protocol: &Protocol, nth: u32, history_lost: bool) {
        self.node.restart(protocol, nth, history_lost);
        self.provenance = self.provenance.take().map(|_| Provenance::untaught(self.node.theta().len()));
        self.pooled.clear();
    }
}
