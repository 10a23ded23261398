//! The rules by which a node judges the models that it receives, with one file per family of rules.

mod defense;
pub mod distance;
mod mix;
pub mod pooled;
mod rankguard;
pub mod reference;
pub mod sentinel;
mod verdict;

pub use defense::{Assumed, Defense, EmptySessions, Own, PoolSize};
pub use distance::CountSketch;
pub use mix::Mix;
pub use rankguard::Rule;
pub use verdict::{Outcome, Reason, Verdict};

use super::{History, Protocol, Received, Rehearsal};
use crate::ltr::kernel::Span;
use crate::ltr::{linear, pdgd};
use crate::math;
use crate::rng::Pcg64;
use pooled::Pooled;

/// Buffers for searching and judging, kept between calls to avoid allocations.
#[derive(Debug, Default)]
pub struct Scratch {
    scores: Vec<Vec<f32>>,
    own_scores: Vec<f32>,
    /// Documents that a history refers to, collected for scoring.
    tiles: Vec<f32>,
    /// The margins of the received model.
    margins: Vec<f32>,
    /// Margins in f64, for fitting a scale.
    wide_margins: Vec<f64>,
    asked: rankguard::Asked,
    /// The sessions that count.
    spans: Vec<Span>,
    /// X, or the scores of one model.
    sums: rankguard::SessionSums,
    /// The place where sessions are played.
    pub(super) rehearsal: Rehearsal,
}

/// The part of a node that a rule may read and change.
pub(super) struct Judge<'a> {
    /// The settings of the run.
    pub protocol: &'a Protocol<'a>,
    /// θ_u.
    pub theta: &'a mut [f32],
    /// Q_u.
    pub history: &'a mut History,
    /// Received models that wait until the pool is full.
    pub pool: &'a mut Vec<Vec<f32>>,
    /// The change that the own history would make to θ_u, as long as both stay the same.
    pub reference: &'a mut Option<Vec<f64>>,
    /// The learning rate of a replay.
    pub eta: f64,
    /// How often the node has searched.
    pub n_searches: u64,
    /// Buffers.
    pub scratch: &'a mut Scratch,
}

impl Judge<'_> {
    /// Judges and merges models in order. `subset_rng(i)` is the generator for the i-th model.
    pub fn receive(&mut self, inbox: &[Received], subset_rng: impl Fn(usize) -> Pcg64) -> Vec<Verdict> {
        match self.protocol.defense {
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } => {
                let rule = self.protocol.defense.rankguard().expect("it is one of its variants");
                rule.receive(self, inbox, subset_rng)
            }
            Defense::FlTrust => self.one_by_one(inbox, |judge, received| judge.take_difference(received, reference::fltrust)),
            Defense::ZenoPs { zeta, gamma, e } => {
                self.one_by_one(inbox, |judge, received| judge.take_difference(received, |g, r| reference::zenops(g, r, zeta, gamma, e)))
            }
            Defense::ZenoPlusPlus { rho, epsilon } => self.one_by_one(inbox, |judge, received| {
                let eta = judge.eta;
                judge.take_difference(received, |g, r| reference::zeno_plus_plus(g, r, eta, rho, epsilon))
            }),
            Defense::Balance { .. } | Defense::SketchGuard { .. } => self.one_by_one(inbox, Self::take_if_near),
            Defense::Sentinel { least_similarity, least_trust } => {
                self.one_by_one(inbox, |judge, received| judge.take_if_trusted(received, least_similarity, least_trust))
            }
            Defense::Oracle => self.one_by_one(inbox, |judge, received| match received.is_malicious {
                true => Verdict::rejected(Reason::KnownMalicious),
                false => judge.take_half(received),
            }),
            Defense::Undefended => self.one_by_one(inbox, |judge, received| judge.take_half(received)),
            Defense::Local => inbox.iter().map(|_| Verdict::new(Outcome::Discarded, 0.0)).collect(),
            Defense::Cs { .. }
            | Defense::Gts { .. }
            | Defense::Cwtm { .. }
            | Defense::Krum { .. }
            | Defense::Median
            | Defense::GeometricMedian
            | Defense::Ubar { .. } => self.one_by_one(inbox, Self::gather),
        }
    }

    fn one_by_one(&mut self, inbox: &[Received], rule: impl Fn(&mut Self, &Received) -> Verdict) -> Vec<Verdict> {
        let mut judge = |received: &Received| match self.implausible(received) {
            None => rule(self, received),
            Some(reason) => Verdict::rejected(reason),
        };
        inbox.iter().map(&mut judge).collect()
    }

    /// The reason why no rule may see this model, if there is one.
    // CHOICE(weight_limit): the paper does not say what a weight may be. If a rule gives every model a little weight, one model with
    // weights of 1e30 destroys the receiver.
    fn implausible(&self, received: &Received) -> Option<Reason> {
        let most = math::largest_magnitude(received.theta);
        match most.is_finite() {
            true => (f64::from(most) > self.protocol.weight_limit).then_some(Reason::TooLarge),
            false => Some(Reason::NotFinite),
        }
    }

    fn take_half(&mut self, received: &Received) -> Verdict {
        linear::interpolate(self.theta, received.theta, 0.5);
        Verdict::merged(0.5)
    }

    /// Moves θ_u by factor · (θ_v − θ_u). `rule` finds the factor by comparing that difference with the change that the own history would
    /// make.
    fn take_difference(&mut self, received: &Received, rule: impl Fn(&[f64], &[f64]) -> Result<f64, Reason>) -> Verdict {
        let (theta, history, protocol, eta) = (&*self.theta, &*self.history, self.protocol, self.eta);
        let rehearsal = &mut self.scratch.rehearsal;
        let r = self.reference.get_or_insert_with(|| reference::replay(theta, history, protocol, eta, rehearsal));
        let g: Vec<f64> = received.theta.iter().zip(theta).map(|(&v, &u)| f64::from(v) - f64::from(u)).collect();
        let verdict = match rule(&g, r) {
            Err(reason) => Verdict::rejected(reason),
            Ok(factor) => {
                pdgd::step(self.theta, factor, &g);
                *self.reference = None;
                Verdict::merged(factor)
            }
        };
        Verdict { n_judged: self.history.len() as u32, ..verdict }
    }

    /// Merges a model that is near the own one, by the weights themselves or by their sketches.
    fn take_if_near(&mut self, received: &Received) -> Verdict {
        let rule = self.protocol.defense.nearness().expect("it is one of the rules that measure distances");
        let measured = |theta: &[f32]| self.protocol.sketch.as_ref().map_or_else(|| wide(theta), |sketch| sketch.of(theta));
        if !rule.accepts(self.n_searches, &measured(self.theta), &measured(received.theta)) {
            return Verdict::rejected(Reason::TooFar);
        }
        linear::interpolate(self.theta, received.theta, 1.0 - rule.own_weight);
        Verdict::merged(1.0 - rule.own_weight)
    }

    /// Sentinel's three stages: the direction of the model, its loss on the own history, and its length.
    fn take_if_trusted(&mut self, received: &Received, least_similarity: f64, least_trust: f64) -> Verdict {
        let layers = self.protocol.shape().layers();
        if sentinel::similarity(self.theta, received.theta, &layers) < least_similarity {
            return Verdict::rejected(Reason::Dissimilar);
        }
        let models = [&*self.theta, received.theta];
        let scores = rankguard::mean_session_scores(self.history, self.protocol.train, &models, self.scratch);
        let verdict = match sentinel::trust(-scores[0], -scores[1], least_trust) {
            Err(reason) => Verdict::rejected(reason),
            Ok(trust) => {
                let mix = sentinel::merge(self.theta, received.theta, layers, trust);
                self.history.note_new_model();
                Verdict { mix, ..Verdict::new(Outcome::Merged, trust / (1.0 + trust)) }
            }
        };
        Verdict { n_judged: self.history.len() as u32, ..verdict }
    }

    /// Adds a model to the pool, and merges the pool when it is full.
    fn gather(&mut self, received: &Received) -> Verdict {
        self.pool.push(received.theta.to_vec());
        if self.pool.len() < self.protocol.pool.models {
            return Verdict::new(Outcome::Buffered, 0.0);
        }
        let (own, models): (_, Vec<Vec<f64>>) = (wide(self.theta), self.pool.iter().map(|theta| wide(theta)).collect());
        let buffer: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
        let merged = self.merge_pool(&own, &buffer);
        self.pool.clear();
        for (weight, merged) in self.theta.iter_mut().zip(&merged.theta) {
            *weight = *merged as f32;
        }
        let n_judged = if self.protocol.defense.judges_by_history() { self.history.len() as u32 } else { 0 };
        let total = merged.mix.weights().iter().sum();
        Verdict { n_judged, mix: merged.mix, ..Verdict::new(Outcome::Pooled, total) }
    }

    fn merge_pool(&mut self, own: &[f64], buffer: &[&[f64]]) -> Pooled {
        let (k, f) = (buffer.len(), self.protocol.pool.assumed);
        match self.protocol.defense {
            Defense::Cs { center, .. } => pooled::clipped_mean(own, buffer, f.min((k - 1) / 2), center),
            Defense::Gts { center, divisor, .. } => pooled::nearest_mean(own, buffer, f, center, divisor.unwrap_or_default()),
            Defense::Cwtm { own: Own::Included, .. } => pooled::trimmed_mean(Some(own), buffer, f),
            Defense::Cwtm { own: Own::Excluded, .. } => pooled::trimmed_mean(None, buffer, f),
            Defense::Krum { .. } => pooled::krum(own, buffer, f),
            Defense::Median => pooled::median(own, buffer),
            Defense::GeometricMedian => pooled::geometric_median(own, buffer),
            Defense::Ubar { .. } => {
                let models: Vec<&[f32]> = [&*self.theta].into_iter().chain(self.pool.iter().map(Vec::as_slice)).collect();
                let scores = rankguard::mean_session_scores(self.history, self.protocol.train, &models, self.scratch);
                pooled::ubar(own, buffer, f, scores[0], &scores[1..])
            }
            Defense::RankGuard { .. } | Defense::RankGuardRand { .. } | Defense::FlTrust | Defense::ZenoPs { .. } => {
                unreachable!("only rules that pool come here")
            }
            Defense::ZenoPlusPlus { .. } | Defense::Balance { .. } | Defense::SketchGuard { .. } | Defense::Sentinel { .. } => {
                unreachable!("only rules that pool come here")
            }
            Defense::Oracle | Defense::Undefended | Defense::Local => unreachable!("only rules that pool come here"),
        }
    }
}

fn wide(theta: &[f32]) -> Vec<f64> {
    theta.iter().copied().map(f64::from).collect()
}
