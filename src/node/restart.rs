//! A node that is back without what it knew.

use super::{Node, Protocol, fresh_model};

impl Node {
    /// Begins again with a fresh model, its `nth` after the first one. What was learned with the old one goes with it: the learning rate
    /// is what it was at the beginning, and models that waited in a pool are gone. The history stays, unless it is lost too.
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
