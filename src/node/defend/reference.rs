//! Rules that compare two changes of the own model: g = θ_v − θ_u, towards a received model, and r = θ̂_u − θ_u, by a replay of the own
//! history.
//!
//! Each rule returns the factor by which g is applied, or the reason why it is rejected.
//!
//! Zeno++ is from Xie, Koyejo, Gupta: "Zeno++: Robust Fully Asynchronous SGD", ICML 2020. Its server descends, x ← x − γ g, and a candidate
//! is a gradient g of the loss that it scores against a gradient v on validation data. Here models climb, θ ← θ + g, and both vectors are
//! changes of weights, that is −γ times gradients. The two signs cancel in ⟨v, g⟩, and one γ is left to divide by in every factor.

use super::Reason;
use crate::instructions::{LINE, prefetch};
use crate::ltr::pdgd;
use crate::node::{History, Protocol, Rehearsal, Session};

/// The lines of memory that the first documents of a session take.
const BEGIN: usize = 64;

/// FLTrust: accepts g only if it points along r, and rescales it to the length of r: θ_u += g |r| / |g|.
pub fn fltrust(g: &[f64], r: &[f64]) -> Result<f64, Reason> {
    let (g_norm, r_norm) = (norm(g), norm(r));
    if g_norm == 0.0 || r_norm == 0.0 {
        return Err(Reason::ZeroNorm);
    }
    if dot(g, r) <= 0.0 {
        return Err(Reason::WrongDirection);
    }
    Ok(r_norm / g_norm)
}

/// ZenoPS: accepts g if it does not point too far against r, ⟨g, r⟩ ≥ ζ|r|² + e, and then clips it to |g̃|² ≤ (1 + γ)|r|². The test uses
/// the unclipped g.
pub fn zenops(g: &[f64], r: &[f64], zeta: f64, gamma: f64, e: f64) -> Result<f64, Reason> {
    let (g_squared, r_squared) = (dot(g, g), dot(r, r));
    if dot(g, r) < zeta * r_squared + e {
        return Err(Reason::WrongDirection);
    }
    let most = (1.0 + gamma) * r_squared;
    Ok(if g_squared <= most { 1.0 } else { (most / g_squared).sqrt() })
}

/// Zeno++: rescales g to |g̃| = |r| and applies it if its score is high enough. As gradients, v = r/γ and g̃/γ, the score is that of the
/// paper, γ⟨v, g̃/γ⟩ − ρ|g̃/γ|² ≥ −γ ε, which is (cos(g, r) − ρ/γ) |r|²/γ ≥ −γ ε.
// CHOICE(zeno-validation): the paper's validation gradient is that of a batch of the server's own data, some steps old. Here it is the replay
// of the own history, never out of date, as for FLTrust and ZenoPS, and γ is the learning rate of that replay.
// CHOICE(zeno-norm): the penalty ρ|g̃|² is that of the rescaled difference, as in the paper; its authors' code takes the length before.
// CHOICE(no-evidence): without a replay or a difference there is no direction, and nothing is accepted, as for FLTrust.
pub fn zeno_plus_plus(g: &[f64], r: &[f64], gamma: f64, rho: f64, epsilon: f64) -> Result<f64, Reason> {
    let (g_norm, r_norm) = (norm(g), norm(r));
    if g_norm == 0.0 || r_norm == 0.0 {
        return Err(Reason::ZeroNorm);
    }
    let factor = r_norm / g_norm;
    let score = factor * dot(g, r) / gamma - rho * (r_norm / gamma) * (r_norm / gamma);
    if score < -gamma * epsilon { Err(Reason::WrongDirection) } else { Ok(factor) }
}

/// r = θ̂_u − θ_u: the change by one epoch of PDGD steps over the history, in order. Rankings and clicks are those of the sessions; ρ is
/// computed under the moving model.
// CHOICE(replay): the paper does not say whether ρ is that of the session, as in RankGuard, or computed anew.
pub fn replay(theta: &[f32], history: &History, protocol: &Protocol, eta: f64, rehearsal: &mut Rehearsal) -> Vec<f64> {
    let mut moving = theta.to_vec();
    let query = |session: &Session| protocol.train.query(session.query as usize);
    let mut sessions = history.sessions().iter().filter(|session| session.clicks != 0).peekable();
    while let Some(session) = sessions.next() {
        let (next, query, shape) = (sessions.peek().map(query), query(&session), protocol.shape());
        rehearsal.score(query, shape, &moving);
        // Sessions lie anywhere in the data: the next one begins to come from memory while this one is learned from.
        if let Some(next) = next {
            (0..BEGIN).for_each(|line| prefetch(next.rows(), line * LINE));
        }
        rehearsal.recall(&session);
        rehearsal.derive(query, shape, &moving);
        pdgd::step(&mut moving, eta, &rehearsal.gradient);
    }
    moving.iter().zip(theta).map(|(&after, &before)| f64::from(after) - f64::from(before)).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(g: [f64; 2], gamma: f64, rho: f64, epsilon: f64, expect: Result<f64, Reason>) {
        assert_eq!(zeno_plus_plus(&g, &[0.0, 2.0], gamma, rho, epsilon), expect);
    }

    #[test]
    fn zeno_plus_plus_by_hand() {
        // |r| = 2, |g| = 5, ⟨g, r⟩ = 8: the factor is 0.4, the cosine 0.8 and the score (0.8 − ρ/γ) · 4/γ.
        check([3.0, 4.0], 1.0, 0.0, 0.0, Ok(0.4));
        check([3.0, 4.0], 1.0, 0.75, 0.0, Ok(0.4));
        check([3.0, 4.0], 1.0, 0.85, 0.0, Err(Reason::WrongDirection));
        check([3.0, 4.0], 0.1, 0.085, 0.0, Err(Reason::WrongDirection));
        // (−0.6 − 0.2) · 4 = −3.2, and at γ = 0.5 (−0.6 − 0.4) · 8 = −8 against −0.5 ε.
        check([4.0, -3.0], 1.0, 0.2, 3.1, Err(Reason::WrongDirection));
        check([4.0, -3.0], 1.0, 0.2, 3.3, Ok(0.4));
        check([4.0, -3.0], 0.5, 0.2, 15.9, Err(Reason::WrongDirection));
        check([4.0, -3.0], 0.5, 0.2, 16.1, Ok(0.4));
        check([0.0, 0.0], 1.0, 0.0, 1e6, Err(Reason::ZeroNorm));
        assert_eq!(zeno_plus_plus(&[1.0], &[0.0], 1.0, 0.0, 1e6), Err(Reason::ZeroNorm));
    }

    proptest! {
        #[test]
        fn zeno_plus_plus_with_nothing_to_pay_is_fltrust(g in prop::collection::vec(-5.0..5.0f64, 4), r in prop::collection::vec(-5.0..5.0f64, 4)) {
            prop_assert_eq!(zeno_plus_plus(&g, &r, 0.1, 0.0, 0.0), fltrust(&g, &r));
        }

        #[test]
        fn zeno_plus_plus_accepts_by_the_papers_score(
            g in prop::collection::vec(-5.0..5.0f64, 4),
            r in prop::collection::vec(-5.0..5.0f64, 4),
            (gamma, rho, epsilon) in (0.01..2.0f64, 0.0..1.0f64, 0.0..5.0f64),
        ) {
            // In the paper's signs: the candidate and the validation gradient point downhill.
            let v: Vec<f64> = r.iter().map(|r| -r / gamma).collect();
            let candidate: Vec<f64> = g.iter().map(|g| -g / gamma).collect();
            let c = norm(&v) / norm(&candidate);
            let scaled: Vec<f64> = candidate.iter().map(|g| c * g).collect();
            let score = gamma * dot(&v, &scaled) - rho * dot(&scaled, &scaled) + gamma * epsilon;
            prop_assume!(score.abs() > 1e-6);
            let verdict = zeno_plus_plus(&g, &r, gamma, rho, epsilon);
            prop_assert_eq!(verdict.is_ok(), score > 0.0);
            if let Ok(factor) = verdict {
                // x − γ g̃ in their terms is θ + factor · g in ours.
                prop_assert!(g.iter().zip(&scaled).all(|(g, scaled)| (factor * g + gamma * scaled).abs() < 1e-9));
            }
        }
    }
}
