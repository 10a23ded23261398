//! Earlier versions of a stale attacker's own model.

use super::model::Model;
use crate::units::{Duration, VirtualTime};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The versions of a model that may still be needed. Each belongs to the moment of the step that made it, no matter when that step is
/// executed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct StaleVersions {
    age: Duration,
    /// The versions, oldest first. The first model of a run is older than every moment.
    versions: VecDeque<Version>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Version {
    since: Option<VirtualTime>,
    model: Model,
}

impl StaleVersions {
    /// Keeps versions for as long as `age`, and begins with the model `first`.
    pub fn new(age: Duration, first: Model) -> Self {
        Self { age, versions: [Version { since: None, model: first }].into() }
    }

    /// Drops all versions and begins again with the model `first`.
    // CHOICE(stale-lost): an attacker that lost its model has no older one to send.
    pub fn begin_again(&mut self, first: Model) {
        *self = Self::new(self.age, first);
    }

    /// Notes that the model is `model` from `now` on, and drops the versions that are no longer needed.
    pub fn push(&mut self, now: VirtualTime, model: Model) {
        let last = self.versions.back_mut().expect("there is a first model");
        if last.model != model {
            let version = Version { since: Some(now), model };
            // If several versions have the same moment, only the last one counts.
            if last.since == version.since { *last = version } else { self.versions.push_back(version) }
        }
        let asked = self.moment(now);
        while self.versions.get(1).is_some_and(|next| next.since <= asked) {
            self.versions.pop_front();
        }
    }

    /// The version that was current at the time `age` before `now`.
    // CHOICE(stale-young): a node that is younger than that sends its first model.
    pub fn at(&self, now: VirtualTime) -> &Model {
        let n_before = self.versions.partition_point(|version| version.since <= self.moment(now));
        &self.versions[n_before - 1].model
    }

    fn moment(&self, now: VirtualTime) -> Option<VirtualTime> {
        now.0.checked_sub(self.age.ns()).map(VirtualTime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(weight: f32) -> Model {
        Model::new(vec![weight], None, false)
    }

    #[test]
    fn a_model_is_sent_as_it_was() {
        let mut stale = StaleVersions::new(Duration::from_ns(10), model(0.0));
        for (now, theta) in [(3, 1.0), (5, 2.0), (5, 3.0), (14, 4.0)] {
            stale.push(VirtualTime(now), model(theta));
        }
        let at = |now| stale.at(VirtualTime(now)).theta[0];
        assert_eq!([at(14), at(15), at(23), at(24), at(1_000)], [1.0, 3.0, 3.0, 4.0, 4.0]);
        assert_eq!(stale.versions.len(), 3, "at 14 nobody asks for what was before 3");
        let mut young = StaleVersions::new(Duration::from_ns(10), model(0.0));
        young.push(VirtualTime(0), model(1.0));
        assert_eq!((young.at(VirtualTime(9)), young.at(VirtualTime(10))), (&model(0.0), &model(1.0)));
    }

    #[test]
    fn age_zero_is_the_model_of_now() {
        let mut stale = StaleVersions::new(Duration::ZERO, model(0.0));
        stale.push(VirtualTime(7), model(1.0));
        assert_eq!(stale.at(VirtualTime(7)), &model(1.0));
        assert_eq!(stale.versions.len(), 1);
    }
}
