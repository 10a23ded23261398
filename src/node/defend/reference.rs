//! Rules that compare two changes of the own model: g = θ_v − θ_u, towards a received model, and r = θ̂_u − θ_u, by a replay of the own
//! history.
//!
//! Each rule returns the factor by which g is applied, or the reason why it is rejected.

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
