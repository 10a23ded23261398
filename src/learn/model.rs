//! Models in transit and in inboxes, with their provenance.

use super::provenance::Provenance;
use crate::adversary::Population;
use crate::timeline::Slot;
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};

/// A model that was sent, with its provenance if that is followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Model {
    pub theta: Vec<f32>,
    pub provenance: Option<Provenance>,
    /// Whether it was made for its receiver and equals the receiver's own model.
    pub is_noop: bool,
}

/// A delivered message that waits until its receiver judges the model.
#[derive(Debug)]
pub(super) struct Message {
    pub step: u64,
    pub at: VirtualTime,
    pub sent: VirtualTime,
    pub from: NodeId,
    pub model: ModelRef,
}

/// Where a model is kept while a window is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelRef {
    /// Sent in an earlier window.
    Carried(Slot),
    /// The nth model that this window makes.
    Made(usize),
}

/// The survey of all honest models that LIE takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub population: Population,
    /// The provenance of the population's mean.
    pub provenance: Option<Provenance>,
}

/// Where a survey is kept while a window is executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeenRef {
    /// The last survey for this role before the window.
    Carried(usize),
    /// The nth survey that this window takes.
    Taken(usize),
}

/// The models and surveys that the turns of a level may read.
pub(super) struct Shelf<'a> {
    /// By slot: models that were sent in earlier windows.
    pub carried: &'a [Option<Model>],
    pub made: &'a [Option<Model>],
    /// By role: the last survey before the window.
    pub carried_seen: &'a [Option<&'a Seen>],
    pub taken_seen: &'a [Option<Seen>],
}

impl Shelf<'_> {
    /// The model, or `None` if no message was crafted: attackers craft none for each other.
    pub fn model(&self, model: ModelRef) -> Option<&Model> {
        match model {
            ModelRef::Carried(slot) => self.carried[slot.0 as usize].as_ref(),
            ModelRef::Made(nth) => self.made[nth].as_ref(),
        }
    }

    pub fn seen(&self, seen: SeenRef) -> &Seen {
        let seen = match seen {
            SeenRef::Carried(role) => self.carried_seen[role],
            SeenRef::Taken(nth) => self.taken_seen[nth].as_ref(),
        };
        seen.expect("a survey comes before the level that reads it")
    }
}
