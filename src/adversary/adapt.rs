//! ADAPT: a model that RankGuard would accept and that harms, found by descending both losses with full knowledge of the victim.

use crate::ltr::session_score::{Evidence, alpha, evidence};
use crate::math;
use crate::node::{History, Node, Protocol, Ranker};

const EPSILON: f64 = 1e-12;

/// The warm start goes over at least so many sessions.
const WARM_SESSIONS: usize = 100;

/// What the attacker sends to `victim`: its own model where its history teaches nothing.
pub(super) fn adapt(victim: &Node, protocol: &Protocol, kappa: f64, steps: u32) -> Vec<f32> {
    let Ranker::Linear { eta, .. } = protocol.ranker;
    let target = Target::of(victim.theta(), victim.history(), kappa);
    if target.rho.is_empty() {
        return victim.theta().to_vec();
    }
    let mut theta = target.own.clone();
    target.warm_up(&mut theta, eta);
    for _ in 0..steps {
        target.step(&mut theta, eta);
    }
    theta.iter().map(|&w| w as f32).collect()
}

/// The victim as the attacker sees it.
#[derive(Debug, Clone)]
struct Target {
    own: Vec<f64>,
    kappa: f64,
    /// d_i − d_j of every preference, row after row.
    differences: Vec<f64>,
    rho: Vec<f64>,
    /// Where each session's preferences end; sessions without any count, too.
    ends: Vec<usize>,
    /// S(q, θ_u) by session.
    own_scores: Vec<f64>,
    /// ĝ = −Σ ∇S(q, θ_u): where the victim's own loss rises fastest.
    harm: Vec<f64>,
}

impl Target {
    fn of(own: &[f32], history: &History, kappa: f64) -> Self {
        let own: Vec<f64> = own.iter().copied().map(f64::from).collect();
        let (differences, rho, ends) = history.differences();
        let mut target = Self { kappa, differences, rho, ends, own_scores: Vec::new(), harm: Vec::new(), own };
        let margins = target.margins(&target.own);
        target.own_scores = target.scores(&margins);
        target.harm = target.weighted(&margins, |_| -1.0);
        target
    }

    fn margins(&self, theta: &[f64]) -> Vec<f64> {
        self.differences.chunks_exact(theta.len()).map(|x| dot(x, theta)).collect()
    }

    fn sessions(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        std::iter::once(0).chain(self.ends.iter().copied()).zip(&self.ends).map(|(start, &end)| start..end)
    }

    /// S(q, θ) by session.
    fn scores(&self, margins: &[f64]) -> Vec<f64> {
        self.sessions().map(|pairs| pairs.map(|p| self.rho[p] * math::log_sigmoid(margins[p])).sum()).collect()
    }

    /// Σ_q weight(q) ∇S(q, θ), with ∇S = Σ ρ (1 − P)(d_i − d_j).
    fn weighted(&self, margins: &[f64], weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let d = self.own.len();
        let mut sum = vec![0.0; d];
        for (q, pairs) in self.sessions().enumerate() {
            let weight = weight(q);
            for p in pairs.filter(|_| weight != 0.0) {
                let w = weight * self.rho[p] * math::sigmoid(-margins[p]);
                sum.iter_mut().zip(&self.differences[p * d..]).for_each(|(sum, x)| *sum += w * x);
            }
        }
        sum
    }

    /// ⌈100 / |Q|⌉ epochs of PDGD steps over the history, with ρ as it was.
    // CHOICE: the paper gives 100 sessions; whole epochs and the cached ρ are ours.
    fn warm_up(&self, theta: &mut [f64], eta: f64) {
        let d = theta.len();
        for _ in 0..WARM_SESSIONS.div_ceil(self.ends.len().max(1)) {
            for pairs in self.sessions() {
                let mut gradient = vec![0.0; d];
                for p in pairs {
                    let x = &self.differences[p * d..(p + 1) * d];
                    let probability = math::sigmoid(dot(x, theta));
                    let w = self.rho[p] * probability * (1.0 - probability);
                    gradient.iter_mut().zip(x).for_each(|(g, x)| *g += w * x);
                }
                theta.iter_mut().zip(gradient).for_each(|(w, g)| *w += eta * g);
            }
        }
    }

    /// θ_v ← θ_v − η ∇(L_harm + L_accept).
    fn step(&self, theta: &mut [f64], eta: f64) {
        let (harm, accept) = (self.harm_gradient(theta), self.accept_gradient(theta));
        for ((w, h), a) in theta.iter_mut().zip(harm).zip(accept) {
            *w -= eta * (h + a);
        }
    }

    /// ∇L_harm of L_harm = −⟨Δ, ĝ⟩ / (|Δ||ĝ| + ϵ), Δ = θ_v − θ_u.
    fn harm_gradient(&self, theta: &[f64]) -> Vec<f64> {
        let delta: Vec<f64> = theta.iter().zip(&self.own).map(|(v, u)| v - u).collect();
        let (length, harm_length) = (dot(&delta, &delta).sqrt(), dot(&self.harm, &self.harm).sqrt());
        let d = length * harm_length + EPSILON;
        let along = if length > 0.0 { dot(&delta, &self.harm) * harm_length / (length * d * d) } else { 0.0 };
        delta.iter().zip(&self.harm).map(|(delta, harm)| -harm / d + along * delta).collect()
    }

    /// ∇L_accept of L_accept = (1 − α)²; nothing where t is not defined.
    fn accept_gradient(&self, theta: &[f64]) -> Vec<f64> {
        let margins = self.margins(theta);
        let x = self.differences_of(&margins);
        let n = x.len() as f64;
        let (mean, sd) = math::mean_sd(&x);
        let Evidence::T(t) = evidence(&x) else { return vec![0.0; theta.len()] };
        if !t.is_finite() || sd == 0.0 {
            return vec![0.0; theta.len()];
        }
        let alpha = alpha(Evidence::T(t), self.kappa, 0.5);
        let factor = -2.0 * (1.0 - alpha) * self.kappa * alpha * (1.0 - alpha);
        // ∇t = √n (∇X̄ / s − X̄ ∇s / s²), gathered into one weight per session.
        self.weighted(&margins, |q| factor * n.sqrt() * (1.0 / (n * sd) - mean * (x[q] - mean) / ((n - 1.0) * sd * sd * sd)))
    }

    /// X_q = S(q, θ_v) − S(q, θ_u).
    fn differences_of(&self, margins: &[f64]) -> Vec<f64> {
        self.scores(margins).iter().zip(&self.own_scores).map(|(v, u)| v - u).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight sessions of three preferences over four features, and one without any.
    fn target() -> Target {
        let d = 4;
        let differences: Vec<f64> =
            (0..24 * d).map(|i| (((i * 37 + i * i * 11) % 23) as f64 - 11.0) / 11.0 + 0.2 * (i % d) as f64).collect();
        let mut target = Target {
            own: vec![0.3, -0.2, 0.1, 0.4],
            kappa: 4.0,
            differences,
            rho: (0..24).map(|i| 0.2 + 0.03 * i as f64).collect(),
            ends: vec![3, 6, 6, 9, 12, 15, 18, 21, 24],
            own_scores: Vec::new(),
            harm: Vec::new(),
        };
        let margins = target.margins(&target.own);
        target.own_scores = target.scores(&margins);
        target.harm = target.weighted(&margins, |_| -1.0);
        target
    }

    fn harm_loss(target: &Target, theta: &[f64]) -> f64 {
        let delta: Vec<f64> = theta.iter().zip(&target.own).map(|(v, u)| v - u).collect();
        -dot(&delta, &target.harm) / (dot(&delta, &delta).sqrt() * dot(&target.harm, &target.harm).sqrt() + EPSILON)
    }

    fn accept_loss(target: &Target, theta: &[f64]) -> f64 {
        let x = target.differences_of(&target.margins(theta));
        (1.0 - alpha(evidence(&x), target.kappa, 0.5)).powi(2)
    }

    #[track_caller]
    fn check(loss: impl Fn(&[f64]) -> f64, gradient: Vec<f64>, at: &[f64]) {
        for (c, got) in gradient.iter().enumerate() {
            let h = 1e-6;
            let moved = |by: f64| {
                let mut theta = at.to_vec();
                theta[c] += by;
                loss(&theta)
            };
            let want = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((got - want).abs() <= 1e-5 * want.abs().max(1e-3), "coordinate {c}: {got}, not {want}");
        }
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        let target = target();
        for at in [[0.35, -0.25, 0.05, 0.42], [0.1, 0.2, -0.3, 0.5], [-1.0, 0.4, 0.2, 0.9]] {
            check(|theta| harm_loss(&target, theta), target.harm_gradient(&at), &at);
            check(|theta| accept_loss(&target, theta), target.accept_gradient(&at), &at);
            let score = |theta: &[f64]| target.scores(&target.margins(theta)).iter().sum();
            check(score, target.weighted(&target.margins(&at), |_| 1.0), &at);
        }
    }

    #[test]
    fn fifty_steps_lower_the_loss() {
        let target = target();
        let mut theta = target.own.clone();
        target.warm_up(&mut theta, 0.1);
        let loss = |theta: &[f64]| harm_loss(&target, theta) + accept_loss(&target, theta);
        let before = loss(&theta);
        for _ in 0..50 {
            target.step(&mut theta, 0.1);
        }
        assert!(loss(&theta) < before - 0.05, "{before} → {}", loss(&theta));
    }

    #[test]
    fn at_the_victims_own_model_harm_points_up_its_loss() {
        let target = target();
        let gradient = target.harm_gradient(&target.own);
        assert!(dot(&gradient, &target.harm) < 0.0);
        assert!(gradient.iter().all(|g| g.is_finite()));
    }
}
