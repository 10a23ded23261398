//! A node's own model as it was, for those who send nothing newer.

use super::origin::Origin;
use crate::units::{Duration, VirtualTime};
use std::collections::VecDeque;

/// The versions of a model that may still be asked for. Each belongs to the moment of the step that made it, whenever that is executed.
#[derive(Debug)]
pub(super) struct Past {
    age: Duration,
    /// Oldest first. The first model of all was there before any moment.
    versions: VecDeque<Version>,
}

#[derive(Debug)]
struct Version {
    since: Option<VirtualTime>,
    theta: Vec<f32>,
    origin: Origin,
}

impl Past {
    /// What is asked for is always `age` old.
    pub fn new(age: Duration, theta: &[f32]) -> Self {
        Self { age, versions: [Version { since: None, theta: theta.to_vec(), origin: Origin::START }].into() }
    }

    /// All versions are lost; `theta` is the first model again.
    // CHOICE(stale-lost): who lost its model has no older one to send.
    pub fn begin_again(&mut self, theta: &[f32], origin: Origin) {
        self.versions = [Version { since: None, theta: theta.to_vec(), origin }].into();
    }

    /// The model becomes `theta` at `now`; what is older than anyone will ask for again is dropped.
    pub fn push(&mut self, now: VirtualTime, theta: &[f32], origin: Origin) {
        let last = self.versions.back_mut().expect("there is a first model");
        if last.theta != theta || last.origin != origin {
            let version = Version { since: Some(now), theta: theta.to_vec(), origin };
            // Of several versions of one moment the last is the model as of that moment.
            if last.since == version.since { *last = version } else { self.versions.push_back(version) }
        }
        let asked = self.moment(now);
        while self.versions.get(1).is_some_and(|next| next.since <= asked) {
            self.versions.pop_front();
        }
    }

    /// The model as of `age` before `now`.
    // CHOICE(stale-young): a node that is younger than that sends its first model.
    pub fn at(&self, now: VirtualTime) -> (&[f32], Origin) {
        let n_before = self.versions.partition_point(|version| version.since <= self.moment(now));
        let Version { theta, origin, .. } = &self.versions[n_before - 1];
        (theta, *origin)
    }

    fn moment(&self, now: VirtualTime) -> Option<VirtualTime> {
        now.0.checked_sub(self.age.ns()).map(VirtualTime)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_sent_as_it_was() {
        let mut past = Past::new(Duration::from_ns(10), &[0.0]);
        let origin = |learned_ns| Origin { exposure: 0.5, learned_ns };
        for (now, theta) in [(3, 1.0), (5, 2.0), (5, 3.0), (14, 4.0)] {
            past.push(VirtualTime(now), &[theta], origin(now as f64));
        }
        let at = |now| past.at(VirtualTime(now)).0[0];
        assert_eq!([at(14), at(15), at(23), at(24), at(1_000)], [1.0, 3.0, 3.0, 4.0, 4.0]);
        assert_eq!(past.at(VirtualTime(15)).1, origin(5.0));
        assert_eq!(past.versions.len(), 3, "at 14 nobody asks for what was before 3");
        let mut young = Past::new(Duration::from_ns(10), &[0.0]);
        young.push(VirtualTime(0), &[1.0], origin(0.0));
        assert_eq!((young.at(VirtualTime(9)).0, young.at(VirtualTime(10)).0), (&[0.0][..], &[1.0][..]));
    }

    #[test]
    fn age_zero_is_the_model_of_now() {
        let mut past = Past::new(Duration::ZERO, &[0.0]);
        past.push(VirtualTime(7), &[1.0], Origin::START);
        assert_eq!(past.at(VirtualTime(7)).0, [1.0]);
        assert_eq!(past.versions.len(), 1);
    }
}
