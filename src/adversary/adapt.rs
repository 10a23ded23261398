//! ADAPT: a model that RankGuard would accept and that harms, found by descending both losses with full knowledge of the victim.

use crate::ltr::Form;
use crate::ltr::session_score::{Evidence, alpha, evidence};
use crate::math;
use crate::node::{Node, Protocol, SessionEvidence};

const EPSILON: f64 = 1e-12;

/// The warm start goes over at least so many sessions.
const WARM_SESSIONS: usize = 100;

/// What the attacker sends to `victim`: its own model where its history teaches nothing.
pub(super) fn adapt(victim: &Node, protocol: &Protocol, kappa: f64, steps: u32) -> Vec<f32> {
    let eta = protocol.ranker.eta();
    let target = Target::new(protocol.form(), victim.theta(), victim.history().evidence().collect(), kappa);
    if target.sessions.iter().all(|session| session.preferences.is_empty()) {
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
    form: Form,
    own: Vec<f64>,
    kappa: f64,
    /// Those without preferences count, too.
    sessions: Vec<SessionEvidence>,
    /// S(q, θ_u) by session.
    own_scores: Vec<f64>,
    /// ĝ = −Σ ∇S(q, θ_u): where the victim's own loss rises fastest.
    harm: Vec<f64>,
}

impl Target {
    fn new(form: Form, own: &[f32], sessions: Vec<SessionEvidence>, kappa: f64) -> Self {
        let own: Vec<f64> = own.iter().copied().map(f64::from).collect();
        let mut target = Self { form, kappa, sessions, own_scores: Vec::new(), harm: Vec::new(), own };
        let margins = target.margins(&target.own);
        target.own_scores = target.scores(&margins);
        target.harm = target.weighted(&target.own, &margins, |_| -1.0);
        target
    }

    /// s_i − s_j of every preference, by session.
    fn margins(&self, theta: &[f64]) -> Vec<Vec<f64>> {
        self.sessions.iter().map(|session| self.session_margins(session, theta)).collect()
    }

    fn session_margins(&self, session: &SessionEvidence, theta: &[f64]) -> Vec<f64> {
        let scores = self.form.wide_scores(&session.documents, theta);
        session.preferences.iter().map(|&(winner, loser, _)| scores[winner] - scores[loser]).collect()
    }

    /// S(q, θ) by session.
    fn scores(&self, margins: &[Vec<f64>]) -> Vec<f64> {
        let score = |(session, margins): (&SessionEvidence, &Vec<f64>)| {
            session.preferences.iter().zip(margins).map(|(&(_, _, rho), &margin)| rho * math::log_sigmoid(margin)).sum()
        };
        self.sessions.iter().zip(margins).map(score).collect()
    }

    /// Σ_q weight(q) ∇S(q, θ), with ∇S = Σ ρ (1 − P)(∇f(d_i) − ∇f(d_j)).
    fn weighted(&self, theta: &[f64], margins: &[Vec<f64>], weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let sessions = self.sessions.iter().zip(margins).enumerate().filter(|(_, (session, _))| !session.preferences.is_empty());
        let documents = sessions.flat_map(|(q, (session, margins))| {
            let weight = weight(q);
            self.documents(session, margins, |rho, margin| weight * rho * math::sigmoid(-margin))
        });
        self.form.gradient(documents, theta)
    }

    /// A session's documents, each with the sum of w(ρ, margin) over the pairs it wins, less those it loses.
    fn documents<'a>(&self, session: &'a SessionEvidence, margins: &[f64], w: impl Fn(f64, f64) -> f64) -> Vec<(&'a [f32], f64)> {
        let documents = session.documents.chunks_exact(self.form.n_features());
        let mut weights = vec![0.0; documents.len()];
        for (&(winner, loser, rho), &margin) in session.preferences.iter().zip(margins) {
            let w = w(rho, margin);
            weights[winner] += w;
            weights[loser] -= w;
        }
        documents.zip(weights).collect()
    }

    /// ⌈100 / |Q|⌉ epochs of PDGD steps over the history, with ρ as it was.
    // CHOICE(adapt-epochs): the paper gives 100 sessions; whole epochs and the cached ρ are ours.
    fn warm_up(&self, theta: &mut [f64], eta: f64) {
        for _ in 0..WARM_SESSIONS.div_ceil(self.sessions.len().max(1)) {
            for session in self.sessions.iter().filter(|session| !session.preferences.is_empty()) {
                let margins = self.session_margins(session, theta);
                let pdgd = |rho: f64, margin: f64| rho * math::sigmoid(margin) * math::sigmoid(-margin);
                let gradient = self.form.gradient(self.documents(session, &margins, pdgd).into_iter(), theta);
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
        let Some((t, gradient)) = self.t_gradient(theta) else { return vec![0.0; theta.len()] };
        let alpha = alpha(Evidence::T(t), self.kappa, 0.5);
        let factor = -2.0 * (1.0 - alpha) * self.kappa * alpha * (1.0 - alpha);
        gradient.iter().map(|g| factor * g).collect()
    }

    /// t and ∇t = √n (∇X̄ / s − X̄ ∇s / s²), gathered into one weight per session.
    fn t_gradient(&self, theta: &[f64]) -> Option<(f64, Vec<f64>)> {
        let margins = self.margins(theta);
        let x = self.differences_of(&margins);
        let n = x.len() as f64;
        let (mean, sd) = math::mean_sd(&x);
        let Evidence::T(t) = evidence(&x) else { return None };
        let weight = |q: usize| n.sqrt() * (1.0 / (n * sd) - mean * (x[q] - mean) / ((n - 1.0) * sd * sd * sd));
        (t.is_finite() && sd > 0.0).then(|| (t, self.weighted(theta, &margins, weight)))
    }

    /// X_q = S(q, θ_v) − S(q, θ_u).
    fn differences_of(&self, margins: &[Vec<f64>]) -> Vec<f64> {
        self.scores(margins).iter().zip(&self.own_scores).map(|(v, u)| v - u).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 2] = [Form::Linear { n_features: 4 }, Form::Neural { n_features: 4, hidden: 5 }];

    /// A repeatable number in [−1, 1].
    fn number(i: usize) -> f64 {
        ((i * 37 + i * i * 11 + 3) % 23) as f64 / 11.0 - 1.0
    }

    /// Eight sessions of three preferences between four documents, and one without any.
    fn target(form: Form) -> Target {
        let d = form.n_features();
        let session = |q: usize| SessionEvidence {
            documents: (0..4 * d).map(|i| (number(q * 4 * d + i) + 0.2 * (i % d) as f64) as f32).collect(),
            preferences: [(0, 1), (0, 3), (2, 1)].map(|(w, l)| (w, l, 0.2 + 0.03 * (3 * q + w) as f64)).to_vec(),
        };
        let mut sessions: Vec<SessionEvidence> = (0..8).map(session).collect();
        sessions.insert(2, SessionEvidence { documents: Vec::new(), preferences: Vec::new() });
        Target::new(form, &model(form, 1), sessions, 4.0)
    }

    fn model(form: Form, salt: usize) -> Vec<f32> {
        (0..form.n_weights()).map(|i| (0.5 * number(i + 100 * salt)) as f32).collect()
    }

    fn harm_loss(target: &Target, theta: &[f64]) -> f64 {
        let delta: Vec<f64> = theta.iter().zip(&target.own).map(|(v, u)| v - u).collect();
        -dot(&delta, &target.harm) / (dot(&delta, &delta).sqrt() * dot(&target.harm, &target.harm).sqrt() + EPSILON)
    }

    fn t_of(target: &Target, theta: &[f64]) -> f64 {
        match evidence(&target.differences_of(&target.margins(theta))) {
            Evidence::T(t) => t,
            Evidence::Undecided => panic!("nine sessions decide"),
        }
    }

    fn accept_loss(target: &Target, theta: &[f64]) -> f64 {
        (1.0 - alpha(Evidence::T(t_of(target, theta)), target.kappa, 0.5)).powi(2)
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
        for form in FORMS {
            // A small κ keeps α away from its ends, where its slope vanishes.
            let target = Target { kappa: 0.3, ..target(form) };
            for salt in 2..5 {
                let at: Vec<f64> = model(form, salt).iter().copied().map(f64::from).collect();
                check(|theta| harm_loss(&target, theta), target.harm_gradient(&at), &at);
                check(|theta| accept_loss(&target, theta), target.accept_gradient(&at), &at);
                let score = |theta: &[f64]| target.scores(&target.margins(theta)).iter().sum();
                check(score, target.weighted(&at, &target.margins(&at), |_| 1.0), &at);
                let (t, gradient) = target.t_gradient(&at).expect("nine sessions decide");
                assert_eq!(t, t_of(&target, &at));
                check(|theta| t_of(&target, theta), gradient, &at);
                assert!(target.accept_gradient(&at).iter().any(|g| g.abs() > 1e-3), "something to compare");
            }
        }
    }

    #[test]
    fn fifty_steps_lower_the_loss() {
        for form in FORMS {
            let target = target(form);
            let mut theta = target.own.clone();
            target.warm_up(&mut theta, 0.1);
            let loss = |theta: &[f64]| harm_loss(&target, theta) + accept_loss(&target, theta);
            let before = loss(&theta);
            for _ in 0..50 {
                target.step(&mut theta, 0.1);
            }
            assert!(loss(&theta) < before - 0.05, "{form:?}: {before} → {}", loss(&theta));
        }
    }

    #[test]
    fn the_warm_start_explains_the_history_better() {
        for form in FORMS {
            let target = target(form);
            let mut theta = target.own.clone();
            target.warm_up(&mut theta, 0.1);
            let total = |theta: &[f64]| target.scores(&target.margins(theta)).iter().sum::<f64>();
            assert!(total(&theta) > total(&target.own), "{form:?}");
        }
    }

    #[test]
    fn at_the_victims_own_model_harm_points_up_its_loss() {
        for form in FORMS {
            let target = target(form);
            let gradient = target.harm_gradient(&target.own);
            assert!(dot(&gradient, &target.harm) < 0.0);
            assert!(gradient.iter().all(|g| g.is_finite()));
        }
    }
}
