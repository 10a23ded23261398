//! Models in transit and in inboxes, with their provenance.

use super::provenance::{Content, Provenance};
use super::window::{Made, Window};
use crate::adversary::Population;
use crate::timeline::Slot;
use crate::units::{NodeId, VirtualTime};
use serde::{Deserialize, Serialize};
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// A model that was sent, with its provenance if that is followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Model {
    pub theta: Vec<f32>,
    pub provenance: Option<Provenance>,
    /// What malicious nodes put in. It follows from the rest, and every receiver asks for it.
    pub content: Option<Content>,
    /// Whether it was made for its receiver and equals the receiver's own model.
    pub is_noop: bool,
}

impl Model {
    pub fn new(theta: Vec<f32>, provenance: Option<Provenance>, is_noop: bool) -> Self {
        let content = provenance.as_ref().and_then(|provenance| provenance.content(&theta));
        Self { theta, provenance, content, is_noop }
    }
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

/// The models and surveys of a window while it is executed.
pub(super) struct Shelf<'a> {
    /// By slot: models that were sent in earlier windows.
    carried: &'a [Option<Model>],
    /// By role: the last survey before the window.
    carried_seen: &'a [Option<Seen>],
    made: Vec<Place>,
    taken_seen: Vec<OnceLock<Seen>>,
}

/// A model that the window makes, from its making until nobody needs it any more.
struct Place {
    model: Mutex<Option<Arc<Model>>>,
    /// How many turns will still read it; one more if it is in transit when the window ends.
    n_readers: AtomicU32,
}

impl<'a> Shelf<'a> {
    pub fn new(carried: &'a [Option<Model>], carried_seen: &'a [Option<Seen>], window: &Window) -> Self {
        let place = |made: &Made| Place { model: Mutex::default(), n_readers: (made.n_readers + u32::from(made.is_kept)).into() };
        let taken_seen = std::iter::repeat_with(OnceLock::new).take(window.n_surveys).collect();
        Self { carried, carried_seen, made: window.made.iter().map(place).collect(), taken_seen }
    }

    /// The model, or `None` if no message was crafted: attackers craft none for each other.
    pub fn model(&self, model: ModelRef) -> Option<Shelved<'_>> {
        match model {
            ModelRef::Carried(slot) => self.carried[slot.0 as usize].as_ref().map(Shelved::Carried),
            ModelRef::Made(nth) => self.made[nth].lock().clone().map(Shelved::Made),
        }
    }

    /// Puts the nth model of the window on the shelf, unless nobody will read it.
    pub fn put(&self, nth: usize, model: Model) {
        let place = &self.made[nth];
        if place.n_readers.load(Ordering::Relaxed) > 0 {
            *place.lock() = Some(Arc::new(model));
        }
    }

    /// Notes that a turn has read the models of these messages. A model that nobody else will read is dropped.
    pub fn done_reading(&self, messages: &[Message]) {
        for message in messages {
            if let ModelRef::Made(nth) = message.model
                && self.made[nth].n_readers.fetch_sub(1, Ordering::AcqRel) == 1
            {
                *self.made[nth].lock() = None;
            }
        }
    }

    pub fn seen(&self, seen: SeenRef) -> &Seen {
        let seen = match seen {
            SeenRef::Carried(role) => self.carried_seen[role].as_ref(),
            SeenRef::Taken(nth) => self.taken_seen[nth].get(),
        };
        seen.expect("a survey comes before the turns that use it")
    }

    pub fn put_survey(&self, nth: usize, seen: Seen) {
        assert!(self.taken_seen[nth].set(seen).is_ok(), "a survey is taken once");
    }

    /// The models that are still in transit, by their numbers, and all surveys.
    pub fn into_parts(self) -> (Vec<Option<Model>>, Vec<Option<Seen>>) {
        let model = |place: Place| {
            let model = place.model.into_inner().expect("no turn panicked")?;
            Some(Arc::into_inner(model).expect("all turns are over"))
        };
        (self.made.into_iter().map(model).collect(), self.taken_seen.into_iter().map(OnceLock::into_inner).collect())
    }
}

impl Place {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Model>>> {
        self.model.lock().expect("no turn panicked")
    }
}

/// A model on the shelf, which stays there while it is read.
pub(super) enum Shelved<'a> {
    Carried(&'a Model),
    Made(Arc<Model>),
}

impl Deref for Shelved<'_> {
    type Target = Model;

    fn deref(&self) -> &Model {
        match self {
            Shelved::Carried(model) => model,
            Shelved::Made(model) => model,
        }
    }
}
