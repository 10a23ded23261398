//! ADAPT finds a model that the victim's rule accepts and that harms the victim. It knows the victim's model, history and rule, and
//! descends a loss for each of the two goals.

use super::AdaptSend;
use crate::ltr::ModelShape;
use crate::ltr::session_score::{Evidence, alpha, best_scale, evidence};
use crate::math;
use crate::node::{EmptySessions, Node, Protocol, Rule, SessionEvidence};

const EPSILON: f64 = 1e-12;

/// The smallest number of sessions of the warm start.
const WARM_SESSIONS: usize = 100;

/// The κ that ADAPT expects if neither the victim's rule nor the scenario has one: the paper's.
pub(super) const EXPECTED_KAPPA: f64 = 4.0;

/// The model that the attacker sends to `victim`. If the victim's history has no preferences, this is the victim's own model.
///
/// It aims at the rule that the victim really uses. If the victim judges by a random share of its history, it aims at the whole history. If
/// the victim's rule is not RankGuard, it aims at a RankGuard with `kappa`.
pub(super) fn adapt(victim: &Node, protocol: &Protocol, kappa: Option<f64>, steps: u32, send: AdaptSend) -> Vec<f32> {
    let kappa = kappa.unwrap_or(EXPECTED_KAPPA);
    let expected = Rule { kappa, when_undecided: 0.5, empty_sessions: EmptySessions::Count, share: None, calibrate: false };
    let rule = protocol.defense.rankguard().unwrap_or(expected);
    let target = Target::new(protocol.shape(), victim.theta(), victim.history().evidence(protocol.train).collect(), rule);
    if target.sessions.iter().all(|session| session.preferences.is_empty()) {
        return victim.theta().to_vec();
    }
    target.descend(protocol.ranker.eta(), steps, send).iter().map(|&w| w as f32).collect()
}

/// The victim as the attacker sees it.
#[derive(Debug, Clone)]
struct Target {
    form: ModelShape,
    own: Vec<f64>,
    rule: Rule,
    /// |Q|: the number of all sessions of the victim.
    n_sessions: usize,
    /// The sessions that count in t.
    sessions: Vec<SessionEvidence>,
    /// S(q, θ_u) of each session, at the scale at which the rule compares.
    own_scores: Vec<f64>,
    /// ĝ = −Σ ∇S(q, θ_u): the direction in which the victim's own loss rises fastest.
    harm: Vec<f64>,
}

/// The quantities that losses and slopes need at one model of the descent.
struct Point {
    margins: Vec<Vec<f64>>,
    /// τ: the factor by which the rule multiplies margins before it compares.
    scale: f64,
    /// X_q of each session.
    x: Vec<f64>,
}

impl Target {
    fn new(form: ModelShape, own: &[f32], sessions: Vec<SessionEvidence>, rule: Rule) -> Self {
        let own: Vec<f64> = own.iter().copied().map(f64::from).collect();
        let n_sessions = sessions.len();
        let counts = |session: &SessionEvidence| rule.empty_sessions == EmptySessions::Count || !session.preferences.is_empty();
        let sessions = sessions.into_iter().filter(counts).collect();
        let mut target = Self { form, rule, n_sessions, sessions, own_scores: Vec::new(), harm: Vec::new(), own };
        let margins = target.margins(&target.own);
        target.own_scores = target.scores(&margins, target.scale(&margins));
        target.harm = target.gradient(&target.own, &margins, |_, rho, margin| -rho * math::sigmoid(-margin));
        target
    }

    /// Does a warm start, and then `steps` steps down both losses.
    // CHOICE(send): at a learning rate of 0.1 the steps end in a cycle; the paper does not say which of its models is sent.
    fn descend(&self, eta: f64, steps: u32, send: AdaptSend) -> Vec<f64> {
        let mut theta = self.own.clone();
        self.warm_up(&mut theta, eta);
        let mut best = (f64::INFINITY, Vec::new());
        for _ in 0..steps {
            let point = self.at(&theta);
            self.note_best(&mut best, &theta, &point, send);
            self.step(&mut theta, &point, eta);
        }
        match send {
            AdaptSend::Last => theta,
            AdaptSend::Best => {
                self.note_best(&mut best, &theta, &self.at(&theta), send);
                best.1
            }
        }
    }

    fn note_best(&self, best: &mut (f64, Vec<f64>), theta: &[f64], point: &Point, send: AdaptSend) {
        if send == AdaptSend::Last {
            return;
        }
        let loss = self.harm_loss(theta) + self.accept_loss(point);
        if loss < best.0 || best.1.is_empty() {
            *best = (loss, theta.to_vec());
        }
    }

    fn at(&self, theta: &[f64]) -> Point {
        let margins = self.margins(theta);
        let scale = self.scale(&margins);
        let x = self.scores(&margins, scale).iter().zip(&self.own_scores).map(|(v, u)| v - u).collect();
        Point { margins, scale, x }
    }

    /// The factor by which the rule multiplies margins before it compares. RankGuard-Calibrated takes each model at its best scale.
    fn scale(&self, margins: &[Vec<f64>]) -> f64 {
        if !self.rule.calibrate {
            return 1.0;
        }
        let (rho, margins): (Vec<f64>, Vec<f64>) = self.pairs(margins).map(|(_, rho, margin)| (rho, margin)).unzip();
        best_scale(&rho, &margins)
    }

    /// Session, ρ and margin of every preference.
    fn pairs<'a>(&'a self, margins: &'a [Vec<f64>]) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
        self.sessions.iter().zip(margins).enumerate().flat_map(|(q, (session, margins))| {
            session.preferences.iter().zip(margins).map(move |(&(_, _, rho), &margin)| (q, rho, margin))
        })
    }

    /// The margins s_i − s_j of all preferences, session by session.
    fn margins(&self, theta: &[f64]) -> Vec<Vec<f64>> {
        self.sessions.iter().map(|session| self.session_margins(session, theta)).collect()
    }

    fn session_margins(&self, session: &SessionEvidence, theta: &[f64]) -> Vec<f64> {
        let scores = self.form.wide_scores(&session.documents, theta);
        session.preferences.iter().map(|&(winner, loser, _)| scores[winner] - scores[loser]).collect()
    }

    /// S(q, τ θ) of each session.
    fn scores(&self, margins: &[Vec<f64>], scale: f64) -> Vec<f64> {
        let mut scores = vec![0.0; self.sessions.len()];
        self.pairs(margins).for_each(|(q, rho, margin)| scores[q] += rho * math::log_sigmoid(scale * margin));
        scores
    }

    /// Σ over preferences of w(session, ρ, margin) (∇f(d_i) − ∇f(d_j)).
    fn gradient(&self, theta: &[f64], margins: &[Vec<f64>], w: impl Fn(usize, f64, f64) -> f64) -> Vec<f64> {
        let sessions = self.sessions.iter().zip(margins).enumerate().filter(|(_, (session, _))| !session.preferences.is_empty());
        let documents = sessions.flat_map(|(q, (session, margins))| self.documents(session, margins, |rho, margin| w(q, rho, margin)));
        self.form.gradient(documents, theta)
    }

    /// The documents of a session. The weight of each is the sum of w(ρ, margin) over the pairs that it wins, less that over the pairs it
    /// loses.
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

    /// Takes ⌈100 / |Q|⌉ epochs of PDGD steps over the history, with the ρ of each session.
    // CHOICE(adapt-epochs): the paper gives 100 sessions; whole epochs and the cached ρ are ours.
    fn warm_up(&self, theta: &mut [f64], eta: f64) {
        for _ in 0..WARM_SESSIONS.div_ceil(self.n_sessions.max(1)) {
            for session in self.sessions.iter().filter(|session| !session.preferences.is_empty()) {
                let margins = self.session_margins(session, theta);
                let pdgd = |rho: f64, margin: f64| rho * math::sigmoid(margin) * math::sigmoid(-margin);
                let gradient = self.form.gradient(self.documents(session, &margins, pdgd).into_iter(), theta);
                theta.iter_mut().zip(gradient).for_each(|(w, g)| *w += eta * g);
            }
        }
    }

    /// Takes the step θ_v ← θ_v − η ∇(L_harm + L_accept).
    fn step(&self, theta: &mut [f64], point: &Point, eta: f64) {
        let (harm, accept) = (self.harm_gradient(theta), self.accept_gradient(theta, point));
        for ((w, h), a) in theta.iter_mut().zip(harm).zip(accept) {
            *w -= eta * (h + a);
        }
    }

    /// L_harm = −⟨Δ, ĝ⟩ / (|Δ||ĝ| + ϵ), Δ = θ_v − θ_u.
    fn harm_loss(&self, theta: &[f64]) -> f64 {
        let delta: Vec<f64> = theta.iter().zip(&self.own).map(|(v, u)| v - u).collect();
        -dot(&delta, &self.harm) / (dot(&delta, &delta).sqrt() * dot(&self.harm, &self.harm).sqrt() + EPSILON)
    }

    /// L_accept = (1 − α)².
    fn accept_loss(&self, point: &Point) -> f64 {
        let left = 1.0 - alpha(evidence(&point.x), self.rule.kappa, self.rule.when_undecided);
        left * left
    }

    fn harm_gradient(&self, theta: &[f64]) -> Vec<f64> {
        let delta: Vec<f64> = theta.iter().zip(&self.own).map(|(v, u)| v - u).collect();
        let (length, harm_length) = (dot(&delta, &delta).sqrt(), dot(&self.harm, &self.harm).sqrt());
        let d = length * harm_length + EPSILON;
        let along = if length > 0.0 { dot(&delta, &self.harm) * harm_length / (length * d * d) } else { 0.0 };
        delta.iter().zip(&self.harm).map(|(delta, harm)| -harm / d + along * delta).collect()
    }

    /// ∇L_accept; 0 if t is not defined.
    fn accept_gradient(&self, theta: &[f64], point: &Point) -> Vec<f64> {
        let Some((t, gradient)) = self.t_gradient(theta, point) else { return vec![0.0; theta.len()] };
        let (kappa, alpha) = (self.rule.kappa, alpha(Evidence::T(t), self.rule.kappa, self.rule.when_undecided));
        let factor = -2.0 * (1.0 - alpha) * kappa * alpha * (1.0 - alpha);
        gradient.iter().map(|g| factor * g).collect()
    }

    /// t and ∇t = √n (∇X̄ / s − X̄ ∇s / s²), gathered into one weight per preference.
    fn t_gradient(&self, theta: &[f64], point: &Point) -> Option<(f64, Vec<f64>)> {
        let Point { margins, scale, x } = point;
        let n = x.len() as f64;
        let (mean, sd) = math::mean_sd(x);
        let Evidence::T(t) = evidence(x) else { return None };
        if !t.is_finite() || sd <= 0.0 {
            return None;
        }
        // ∂t/∂X_q.
        let by_session = |q: usize| n.sqrt() * (1.0 / (n * sd) - mean * (x[q] - mean) / ((n - 1.0) * sd * sd * sd));
        let by_scale = self.slope_by_scale(point, by_session);
        let gradient = self.gradient(theta, margins, |q, rho, margin| {
            let wrong = math::sigmoid(-scale * margin);
            by_session(q) * rho * scale * wrong + by_scale * rho * (wrong - scale * margin * wrong * (1.0 - wrong))
        });
        Some((t, gradient))
    }

    /// The factor of the part of ∇t that comes from the best scale τ*: ∂t/∂τ divided by −∂F/∂τ. Here F(τ) = Σ ρ m σ(−τm) is 0 at τ*, so
    /// that dτ*/dm = (∂F/∂m) / (−∂F/∂τ). It is 0 if the rule does not use τ*, or if τ* is at an end of its range, where it does not move.
    fn slope_by_scale(&self, point: &Point, by_session: impl Fn(usize) -> f64) -> f64 {
        let &Point { ref margins, scale, .. } = point;
        if !self.rule.calibrate || scale <= 1e-3 || scale >= 1e3 {
            return 0.0;
        }
        let (mut by_t, mut by_f) = (0.0, 0.0);
        for (q, rho, margin) in self.pairs(margins) {
            let wrong = math::sigmoid(-scale * margin);
            by_t += by_session(q) * rho * margin * wrong;
            by_f += rho * margin * margin * wrong * (1.0 - wrong);
        }
        if by_f > 0.0 { by_t / by_f } else { 0.0 }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Rule = Rule { kappa: 4.0, when_undecided: 0.5, empty_sessions: EmptySessions::Count, share: None, calibrate: false };
    const RULES: [Rule; 3] = [PLAIN, Rule { calibrate: true, ..PLAIN }, Rule { empty_sessions: EmptySessions::Skip, ..PLAIN }];
    const FORMS: [ModelShape; 2] = [ModelShape::Linear { n_features: 4 }, ModelShape::Neural { n_features: 4, hidden: 5 }];

    /// A repeatable number in [−1, 1].
    fn number(i: usize) -> f64 {
        ((i * 37 + i * i * 11 + 3) % 23) as f64 / 11.0 - 1.0
    }

    /// Eight sessions of three preferences between four documents, and one without any.
    fn target(form: ModelShape, rule: Rule) -> Target {
        let d = form.n_features();
        let session = |q: usize| SessionEvidence {
            documents: (0..4 * d).map(|i| (number(q * 4 * d + i) + 0.2 * (i % d) as f64) as f32).collect(),
            preferences: [(0, 1), (0, 3), (2, 1)].map(|(w, l)| (w, l, 0.2 + 0.03 * (3 * q + w) as f64)).to_vec(),
        };
        let mut sessions: Vec<SessionEvidence> = (0..8).map(session).collect();
        sessions.insert(2, SessionEvidence { documents: Vec::new(), preferences: Vec::new() });
        Target::new(form, &model(form, 1), sessions, rule)
    }

    fn model(form: ModelShape, salt: usize) -> Vec<f32> {
        (0..form.n_weights()).map(|i| (0.5 * number(i + 100 * salt)) as f32).collect()
    }

    fn t_of(target: &Target, theta: &[f64]) -> f64 {
        match evidence(&target.at(theta).x) {
            Evidence::T(t) => t,
            Evidence::Undecided => panic!("eight sessions decide"),
        }
    }

    fn loss(target: &Target, theta: &[f64]) -> f64 {
        target.harm_loss(theta) + target.accept_loss(&target.at(theta))
    }

    #[track_caller]
    fn check(loss: impl Fn(&[f64]) -> f64, gradient: Vec<f64>, at: &[f64]) {
        for (c, got) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut theta = at.to_vec();
                theta[c] += by;
                loss(&theta)
            };
            // The best scale is found to ten digits: a smaller step would show the last of them.
            let h = 1e-5;
            let want = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((got - want).abs() <= 1e-3 * want.abs().max(1e-3), "coordinate {c}: {got}, not {want}");
        }
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        for (form, rule) in FORMS.into_iter().flat_map(|form| RULES.map(|rule| (form, rule))) {
            // A small κ keeps α away from its ends, where its slope vanishes.
            let target = target(form, Rule { kappa: 0.3, ..rule });
            let mut moving_scales = 0;
            for salt in 2..8 {
                let at: Vec<f64> = model(form, salt).iter().copied().map(f64::from).collect();
                let point = target.at(&at);
                moving_scales += u32::from(point.scale != 1.0 && point.scale > 1e-3 && point.scale < 1e3);
                check(|theta| target.harm_loss(theta), target.harm_gradient(&at), &at);
                check(|theta| target.accept_loss(&target.at(theta)), target.accept_gradient(&at, &point), &at);
                let score = |theta: &[f64]| target.scores(&target.margins(theta), 1.0).iter().sum();
                check(score, target.gradient(&at, &point.margins, |_, rho, margin| rho * math::sigmoid(-margin)), &at);
                let (t, gradient) = target.t_gradient(&at, &point).expect("eight sessions decide");
                assert_eq!(t, t_of(&target, &at));
                check(|theta| t_of(&target, theta), gradient, &at);
                assert!(target.accept_gradient(&at, &point).iter().any(|g| g.abs() > 1e-3), "something to compare");
            }
            assert_eq!(moving_scales > 0, rule.calibrate, "{form:?}: {moving_scales}");
        }
    }

    #[test]
    fn fifty_steps_lower_the_loss_and_the_best_of_them_is_the_lowest() {
        for (form, rule) in FORMS.into_iter().flat_map(|form| RULES.map(|rule| (form, rule))) {
            let target = target(form, rule);
            let mut theta = target.own.clone();
            target.warm_up(&mut theta, 0.1);
            let mut losses = vec![loss(&target, &theta)];
            for _ in 0..50 {
                let point = target.at(&theta);
                target.step(&mut theta, &point, 0.1);
                losses.push(loss(&target, &theta));
            }
            let lowest = losses.iter().copied().fold(f64::INFINITY, f64::min);
            let sent = |send| loss(&target, &target.descend(0.1, 50, send));
            assert_eq!((sent(AdaptSend::Last), sent(AdaptSend::Best)), (losses[50], lowest), "{form:?}");
            assert!(lowest < losses[0] - 0.05, "{form:?}: {} → {lowest}", losses[0]);
        }
    }

    #[test]
    fn sessions_that_do_not_count_are_not_aimed_at() {
        let n = RULES.map(|rule| target(FORMS[0], rule).at(&[0.1; 4]).x.len());
        assert_eq!(n, [9, 9, 8]);
    }

    #[test]
    fn the_warm_start_explains_the_history_better() {
        for form in FORMS {
            let target = target(form, PLAIN);
            let mut theta = target.own.clone();
            target.warm_up(&mut theta, 0.1);
            let total = |theta: &[f64]| target.scores(&target.margins(theta), 1.0).iter().sum::<f64>();
            assert!(total(&theta) > total(&target.own), "{form:?}");
        }
    }

    #[test]
    fn at_the_victims_own_model_harm_points_up_its_loss() {
        for form in FORMS {
            let target = target(form, PLAIN);
            let gradient = target.harm_gradient(&target.own);
            assert!(dot(&gradient, &target.harm) < 0.0);
            assert!(gradient.iter().all(|g| g.is_finite()));
        }
    }
}
