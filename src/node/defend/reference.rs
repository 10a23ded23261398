//! Rules that compare what a received model would change, g = θ_v − θ_u, with what the node's own history would, r = θ̂_u − θ_u.
//!
//! Each says the factor by which g is taken, or why it is rejected.

use super::Reason;

/// FLTrust: only along the reference, and as long as it. θ_u += g |r| / |g|.
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

/// ZenoPS: not too much against the reference, ⟨g, r⟩ ≥ ζ|r|² + e, then clipped to |g̃|² ≤ (1 + γ)|r|². The raw g is tested, then clipped.
pub fn zenops(g: &[f64], r: &[f64], zeta: f64, gamma: f64, e: f64) -> Result<f64, Reason> {
    let (g_squared, r_squared) = (dot(g, g), dot(r, r));
    if dot(g, r) < zeta * r_squared + e {
        return Err(Reason::WrongDirection);
    }
    let most = (1.0 + gamma) * r_squared;
    Ok(if g_squared <= most { 1.0 } else { (most / g_squared).sqrt() })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
