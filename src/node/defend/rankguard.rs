//! RankGuard: the better a received model explains the receiver's own past clicks, the more weight it gets.

use super::{EmptySessions, Judge, Mix, Outcome, Reason, Scratch, Verdict};
use crate::corpus::Split;
use crate::instructions::kernel;
use crate::ltr::kernel::margins::margins;
use crate::ltr::kernel::{BATCH, Span};
use crate::ltr::linear;
use crate::ltr::session_score::{Evidence, alpha, best_scale, evidence};
use crate::math;
use crate::node::{History, Received};
use crate::rng::Pcg64;
use rand::seq::index;

/// The parameters of RankGuard or one of its variants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// κ: how steeply α follows t.
    pub kappa: f64,
    /// α if t is not defined.
    pub when_undecided: f64,
    /// Whether sessions without preferences count.
    pub empty_sessions: EmptySessions,
    /// The share of the history by which RankGuard-Rand judges each model; `None` for the whole history.
    pub share: Option<f64>,
    /// Whether both models are compared at their best scales, as in RankGuard-Calibrated.
    pub calibrate: bool,
}

impl Rule {
    /// Scores received models in batches, together with the own model if its margins are stale, then judges and merges them one by one.
    pub(super) fn receive(&self, judge: &mut Judge, inbox: &[Received], subset_rng: impl Fn(usize) -> Pcg64) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(inbox.len());
        while verdicts.len() < inbox.len() {
            let first = verdicts.len();
            let with_own = usize::from(judge.history.margins_are_stale());
            let batch = &inbox[first..inbox.len().min(first + BATCH - with_own)];
            let mut models = [&*judge.theta; BATCH];
            for (model, received) in models[with_own..].iter_mut().zip(batch) {
                *model = received.theta;
            }
            let mut scores = std::mem::take(&mut judge.scratch.scores);
            scores.resize_with(with_own + batch.len(), Vec::new);
            judge.history.score(judge.protocol.train, &models[..scores.len()], &mut judge.scratch.tiles, &mut scores);
            judge.history.spans_into(self.empty_sessions == EmptySessions::Count, &mut judge.scratch.spans);
            if with_own == 1 {
                judge.history.refresh_margins(&judge.scratch.spans, &scores[0], &mut judge.scratch.margins);
            }
            for (i, received) in batch.iter().enumerate() {
                verdicts.push(self.judge(judge, received, &scores[with_own + i], || subset_rng(first + i)));
            }
            judge.scratch.scores = scores;
        }
        verdicts
    }

    /// Judges one model by its scores on the history's rows: computes X, t and α, and merges.
    fn judge(&self, judge: &mut Judge, received: &Received, scores: &[f32], rng: impl FnOnce() -> Pcg64) -> Verdict {
        if let Some(reason) = judge.implausible(received) {
            return Verdict::rejected(reason);
        }
        let is_same = self.is_same(judge, received);
        let Judge { theta, history, scratch, protocol, .. } = judge;
        if history.margins_are_stale() {
            // Only a merge of neural models makes margins stale here: their scores do not mix as their weights do.
            history.score(protocol.train, &[theta], &mut scratch.tiles, std::slice::from_mut(&mut scratch.own_scores));
            history.refresh_margins(&scratch.spans, &scratch.own_scores, &mut scratch.margins);
        }
        margins(&scratch.spans, scores, &mut scratch.margins);
        if !math::all_finite(&scratch.margins) {
            return Verdict::rejected(Reason::NotFinite);
        }
        self.differences(history, scratch, rng);
        let evidence = if is_same { Evidence::Undecided } else { evidence(&scratch.sums.x) };
        let alpha = alpha(evidence, self.kappa, self.when_undecided);
        let (mut outcome, mut mix) = (Outcome::Rejected(Reason::NoWeight), Mix::Unmoved);
        if alpha > 0.0 {
            linear::interpolate(theta, received.theta, alpha);
            history.merge_margins(&scratch.margins, alpha);
            (outcome, mix) = (Outcome::Merged, Mix::Toward(alpha));
        }
        let t = match evidence {
            Evidence::T(t) => Some(t),
            Evidence::Undecided => None,
        };
        Verdict { outcome, alpha, t, n_judged: scratch.sums.x.len() as u32, mix }
    }

    /// Whether the rule compares a model with itself. The margins of the own model are state, so their rounding differs from that of fresh
    /// margins, and rounding must not decide. If each model is taken at its best scale, multiples of a linear model count as the same.
    fn is_same(&self, judge: &Judge, received: &Received) -> bool {
        match self.calibrate && judge.protocol.shape().is_linear() {
            true => is_scaled(judge.theta, received.theta),
            false => *judge.theta == *received.theta,
        }
    }

    /// Computes X_q = S(q, θ_v) − S(q, θ_u) = Σ ρ (log σ(m_v) − log σ(m_u)) for every session that counts, or for a random share of them.
    fn differences(&self, history: &History, scratch: &mut Scratch, rng: impl FnOnce() -> Pcg64) {
        let (own, rho) = (history.margins(), history.rho());
        let mut scale = |margins: &[f32]| if self.calibrate { scale_of(rho, margins, &mut scratch.wide_margins) } else { 1.0 };
        let scales = (scale(&scratch.margins), scale(own));
        let Scratch { margins, sums, spans, asked, .. } = scratch;
        let Some(share) = self.share else {
            sums.fill(spans.iter(), rho, |out| math::log_sigmoid_differences(margins, scales.0, own, scales.1, out));
            return;
        };
        // The margins of the chosen sessions are put side by side, so that no logarithm is computed for the others.
        let chosen = subset(spans.len(), share, rng());
        let chosen = || chosen.iter().map(|&session| &spans[session]);
        asked.gather(chosen(), margins, own, rho);
        sums.fill(chosen(), &asked.rho, |out| math::log_sigmoid_differences(&asked.received, scales.0, &asked.own, scales.1, out));
    }
}

/// The margins of both models and ρ in the sessions that RankGuard-Rand asks, side by side.
#[derive(Debug, Default)]
pub(super) struct Asked {
    received: Vec<f32>,
    own: Vec<f32>,
    rho: Vec<f64>,
}

impl Asked {
    fn gather<'a>(&mut self, spans: impl Iterator<Item = &'a Span>, received: &[f32], own: &[f32], rho: &[f64]) {
        self.received.clear();
        self.own.clear();
        self.rho.clear();
        for span in spans {
            let pairs = span.first_pair as usize..span.first_pair as usize + span.n_pairs();
            self.received.extend_from_slice(&received[pairs.clone()]);
            self.own.extend_from_slice(&own[pairs.clone()]);
            self.rho.extend_from_slice(&rho[pairs]);
        }
    }
}

/// Sums over the preferences of each session.
#[derive(Debug, Default)]
pub(super) struct SessionSums {
    /// By session: the sum.
    x: Vec<f64>,
    /// By session: the number of its preferences.
    sizes: Vec<u32>,
    /// By preference: the term.
    terms: Vec<f64>,
}

impl SessionSums {
    /// For each session, Σ ρ · value over its preferences, which follow those of the session before. `values` fills in their values.
    fn fill<'a>(&mut self, spans: impl Iterator<Item = &'a Span>, rho: &[f64], values: impl FnOnce(&mut [f64])) {
        let Self { x, sizes, terms } = self;
        sizes.clear();
        sizes.extend(spans.map(|span| span.n_pairs() as u32));
        terms.resize(rho.len() + math::BEYOND, 0.0);
        values(&mut terms[..rho.len()]);
        weigh(&mut terms[..rho.len()], rho);
        x.clear();
        math::group_sums(sizes, terms, x);
    }
}

kernel! {
    /// `values[p] ← rho[p] · values[p]`.
    fn weigh(values: &mut [f64], rho: &[f64]) {
        values.iter_mut().zip(rho).for_each(|(value, rho)| *value *= rho);
    }
}

/// Whether `other` is a positive multiple of `theta`, up to the rounding of its weights.
fn is_scaled(theta: &[f32], other: &[f32]) -> bool {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
    let (own, both) = (dot(theta, theta), dot(theta, other));
    if own == 0.0 || both <= 0.0 {
        return theta == other;
    }
    let scale = both / own;
    let off = |(&u, &v): (&f32, &f32)| (f64::from(v) - scale * f64::from(u)) * (f64::from(v) - scale * f64::from(u));
    // Rounding errors are about 1e-7 of a model's length. Two models that learned separately differ by more than ten times that.
    theta.iter().zip(other).map(off).sum::<f64>() <= 1e-12 * dot(other, other)
}

/// The scale at which a model with these margins explains the remembered sessions best.
fn scale_of(rho: &[f64], margins: &[f32], wide: &mut Vec<f64>) -> f64 {
    wide.clear();
    wide.extend(margins.iter().copied().map(f64::from));
    best_scale(rho, wide)
}

/// The mean session score S of each model over the history; 0 for an empty history.
pub(super) fn mean_session_scores(history: &History, train: &Split, models: &[&[f32]], scratch: &mut Scratch) -> Vec<f64> {
    let Scratch { scores, tiles, spans, margins: of_model, sums, .. } = scratch;
    history.spans_into(false, spans);
    let mut means = Vec::with_capacity(models.len());
    for batch in models.chunks(BATCH) {
        scores.resize_with(batch.len(), Vec::new);
        history.score(train, batch, tiles, scores);
        for scores in scores.iter() {
            margins(spans, scores, of_model);
            sums.fill(spans.iter(), history.rho(), |out| math::log_sigmoids(of_model, out));
            means.push(sums.x.iter().sum::<f64>() / history.len().max(1) as f64);
        }
    }
    means
}

/// The sorted places of a random `share` of n sessions, but of at least two.
// CHOICE(rand-floor): the paper's 20 % of a short history can be less than the two values that t needs.
fn subset(n: usize, share: f64, mut rng: Pcg64) -> Vec<usize> {
    let size = ((share * n as f64).ceil() as usize).max(2).min(n);
    let mut chosen = index::sample(&mut rng, n, size).into_vec();
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};

    #[track_caller]
    fn check_scaled(theta: &[f32], other: &[f32], expect: bool) {
        assert_eq!(is_scaled(theta, other), expect, "{theta:?}, {other:?}");
    }

    #[test]
    fn a_model_is_the_same_at_any_scale() {
        let theta = [0.1f32, -0.7, 3.3];
        check_scaled(&theta, &theta, true);
        check_scaled(&theta, &theta.map(|w| 0.3 * w), true);
        check_scaled(&theta, &theta.map(|w| 7e9 * w), true);
        check_scaled(&theta, &theta.map(|w| -w), false);
        check_scaled(&theta, &[0.1, -0.7, 3.301], false);
        check_scaled(&theta, &[0.0; 3], false);
        check_scaled(&[0.0; 3], &[0.0; 3], true);
        check_scaled(&[0.0; 3], &theta, false);
    }

    #[test]
    fn a_subset_has_the_stated_size_and_order() {
        for (n, want) in [(0usize, 0usize), (1, 1), (2, 2), (7, 2), (11, 3), (100, 20)] {
            let chosen = subset(n, 0.2, Seed(1).rng(Purpose::Subset, 0, 0));
            assert_eq!(chosen.len(), want, "of {n}");
            assert!(chosen.is_sorted_by(|a, b| a < b) && chosen.iter().all(|&session| session < n));
        }
    }

    #[test]
    fn every_session_is_as_likely_to_be_asked() {
        let mut counts = [0.0f64; 10];
        for nth in 0..10_000 {
            subset(10, 0.3, Seed(1).rng(Purpose::Subset, 0, nth)).iter().for_each(|&session| counts[session] += 1.0);
        }
        // χ² with 9 degrees of freedom at 99.9 %: 27.9; without replacement it is smaller still.
        let chi2: f64 = counts.iter().map(|c| (c - 3_000.0) * (c - 3_000.0) / 3_000.0).sum();
        assert!(chi2 < 27.9, "χ² = {chi2}");
    }
}
