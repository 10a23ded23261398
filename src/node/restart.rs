//! Restarts a node that lost its model, and lets one go on under another rule.

use super::{Node, Protocol, fresh_model};

impl Node {
    /// Whether the node has the documents that its rule judges by.
    pub fn can_judge(&self, protocol: &Protocol) -> bool {
        let asks = protocol.keeps_documents || protocol.defense.judges_by_history();
        !asks || self.history.keeps_documents()
    }

    /// Drops the models that wait in the pool, and what was computed for the rule.
    pub fn drop_pool(&mut self) {
        self.pool.clear();
        self.reference = None;
    }

    /// Begins again with a fresh model, the `nth` after the first one. The learning rate returns to its initial value, and models that
    /// waited in a pool are dropped. The history stays, unless `history_lost`.
    pub fn restart(&mut self, protocol: &Protocol, nth: u32, history_lost: bool) {
        self.theta = fresh_model(self.id, nth.into(), protocol);
        self.eta = protocol.ranker.eta();
        self.pool.clear();
        self.reference = None;
        if history_lost {
            self.history.clear();
        } else {
            self.history.note_new_model();
        }
    }
}
