//! The provenance of a model: the part that malicious nodes put into it, and the age of what it learned.
//!
//! θ = H + M, where M is the part that malicious nodes put in and H = θ − M is the rest, the random beginning included. Both parts move by
//! every linear operation that θ moves by, so M is carried beside θ as a vector. A model also carries the mass W of what it learned, which
//! is the sum of the lengths of its PDGD steps, and their moment T·W. The ratio of the two is the mean time at which the model learned.

use crate::ltr::parts;
use crate::node::Mix;
use crate::units::VirtualTime;
use serde::{Deserialize, Serialize};

/// The quantities that are carried beside a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Provenance {
    /// M.
    malicious: Vec<f32>,
    /// W, and T·W in nanoseconds.
    mass: f64,
    moment: f64,
}

/// The size of the part of a model that malicious nodes put in, and the direction in which it works.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    /// |M| / (|M| + |H|).
    pub exposure: f64,
    /// ⟨M, H⟩ / |H|². It is negative if M works against the honest part.
    pub pull: f64,
}

impl Provenance {
    /// The provenance of a model that has learned nothing.
    pub fn untaught(n_weights: usize) -> Self {
        Self { malicious: vec![0.0; n_weights], mass: 0.0, moment: 0.0 }
    }

    /// Follows an own PDGD step that moved the model from `before` to `after`. A step after poisoned clicks belongs to M.
    pub fn learn(&mut self, before: &[f32], after: &[f32], at: VirtualTime, is_poisoned: bool) {
        if is_poisoned {
            parts::add_step(&mut self.malicious, before, after);
        }
        let length = parts::step_length(before, after);
        self.mass += length;
        self.moment += length * at.0 as f64;
    }

    /// Follows a merge with one model.
    pub fn merge_one(&mut self, mix: &Mix, other: &Self) {
        mix.apply(&mut self.malicious, &[&other.malicious]);
        [self.mass, self.moment] = mix.mean_with_one([self.mass, self.moment], [other.mass, other.moment]);
    }

    /// Follows a merge with the models of a pool.
    pub fn merge(&mut self, mix: &Mix, others: &[&Self]) {
        mix.apply(&mut self.malicious, &others.iter().map(|other| other.malicious.as_slice()).collect::<Vec<_>>());
        self.mass = mix.mean(self.mass, others.iter().map(|other| other.mass));
        self.moment = mix.mean(self.moment, others.iter().map(|other| other.moment));
    }

    /// The provenance of the model that an attacker makes from this one by adding `added`, all of which is malicious.
    // CHOICE(crafted-age): an attacker's addition was not learned, so the message is as old as the model that it was made from.
    pub fn with(&self, added: impl Iterator<Item = f64>) -> Self {
        let malicious = self.malicious.iter().zip(added).map(|(&part, added)| (f64::from(part) + added) as f32).collect();
        Self { malicious, ..*self }
    }

    /// The provenance of the mean of several models.
    pub fn mean(all: &[&Self]) -> Option<Self> {
        let n = all.len() as f64;
        let d = all.first()?.malicious.len();
        let malicious = (0..d).map(|c| (all.iter().map(|one| f64::from(one.malicious[c])).sum::<f64>() / n) as f32).collect();
        let mean = |part: fn(&Self) -> f64| all.iter().map(|one| part(one)).sum::<f64>() / n;
        Some(Self { malicious, mass: mean(|one| one.mass), moment: mean(|one| one.moment) })
    }

    /// Exposure and pull of the model `theta`; `None` if its parts are not finite, or if it has no honest part to compare with.
    pub fn content(&self, theta: &[f32]) -> Option<Content> {
        let [mm, mh, hh] = parts::products(&self.malicious, theta);
        let (malicious, honest) = (mm.sqrt(), hh.sqrt());
        let content = Content { exposure: malicious / (malicious + honest), pull: mh / hh };
        (content.exposure.is_finite() && content.pull.is_finite()).then_some(content)
    }

    /// The mean age of what was learned; `None` if nothing was learned.
    pub fn age_ns(&self, now: VirtualTime) -> Option<i64> {
        (self.mass > 0.0).then(|| (now.0 as f64 - self.moment / self.mass).max(0.0) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_three_by_hand() {
        // A FLIP node learns (0, −4) at 10 and sends it to b, who has learned (3, 0) at 20 and takes a quarter.
        let mut evil = Provenance::untaught(2);
        evil.learn(&[0.0, 0.0], &[0.0, -4.0], VirtualTime(10), true);
        let mut b = Provenance::untaught(2);
        b.learn(&[0.0, 0.0], &[3.0, 0.0], VirtualTime(20), false);
        b.merge(&Mix::Toward(0.25), &[&evil]);
        // θ = (2.25, −1): M = (0, −1), H = (2.25, 0); W = ¾·3 + ¼·4, T·W = ¾·60 + ¼·40.
        assert_eq!(b, Provenance { malicious: vec![0.0, -1.0], mass: 3.25, moment: 55.0 });
        assert_eq!(b.content(&[2.25, -1.0]), Some(Content { exposure: 1.0 / 3.25, pull: 0.0 }));
        assert_eq!(b.age_ns(VirtualTime(30)), Some((30.0 - 55.0 / 3.25) as i64));
        // An attacker turns b's model round, −2θ, and c, which knows nothing, takes half of it.
        let theta = [2.25f32, -1.0];
        let turned = b.with(theta.iter().map(|w| -3.0 * f64::from(*w)));
        let mut c = Provenance::untaught(2);
        c.merge(&Mix::Toward(0.5), &[&turned]);
        // θ_c = (−2.25, 1): M = ½ (−6.75, −1 + 3), H = ½ (2.25, 0).
        assert_eq!(c.malicious, [-3.375, 1.0]);
        let content = c.content(&[-2.25, 1.0]).expect("it has an honest part");
        assert_eq!(content.pull, -3.375 * 1.125 / (1.125 * 1.125));
        assert_eq!(c.age_ns(VirtualTime(30)), b.age_ns(VirtualTime(30)), "half of the mass is as old as all of it");
    }

    #[test]
    fn early_merges_of_small_models_are_diluted_by_what_is_learned_later() {
        let mut evil = Provenance::untaught(1);
        evil.learn(&[0.0], &[-0.01], VirtualTime(0), true);
        let (mut own, mut theta) = (Provenance::untaught(1), 0.01f32);
        own.merge(&Mix::Toward(0.5), &[&evil]);
        theta = 0.5 * (theta - 0.01);
        own.learn(&[theta], &[theta + 1.0], VirtualTime(1), false);
        assert!(own.content(&[theta + 1.0]).expect("finite").exposure < 0.01);
    }

    #[test]
    fn nothing_has_neither_age_nor_content() {
        let nothing = Provenance::untaught(1);
        assert_eq!((nothing.age_ns(VirtualTime(5)), nothing.content(&[0.0])), (None, None));
        assert_eq!(nothing.content(&[2.0]), Some(Content { exposure: 0.0, pull: 0.0 }));
        assert_eq!(nothing.content(&[f32::INFINITY]), None);
    }

    #[test]
    fn the_mean_of_a_population() {
        let of = |m: f32, mass: f64| Provenance { malicious: vec![m], mass, moment: 10.0 * mass };
        assert_eq!(Provenance::mean(&[&of(1.0, 2.0), &of(3.0, 4.0)]), Some(of(2.0, 3.0)));
        assert_eq!(Provenance::mean(&[]), None);
    }
}
