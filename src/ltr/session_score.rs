//! How well a model explains a past session, and whether another explains a whole history better.

use crate::math;

/// S(q, θ) = Σ ρ log σ(s_i − s_j) over a session's preferences, given as (ρ, margin).
// PAPER: eq. (4)
pub fn session_score(preferences: impl Iterator<Item = (f64, f64)>) -> f64 {
    preferences.map(|(rho, margin)| rho * math::log_sigmoid(margin)).sum()
}

/// What the differences X say about two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// Fewer than two sessions, or no difference at all: t is not defined.
    Undecided,
    /// t = √n · X̄ / s_X, infinite when all X are the same and not 0.
    T(f64),
}

/// t of the differences X_q = S(q, θ_v) − S(q, θ_u), sd with one degree of freedom less.
// PAPER: eq. (5)
pub fn evidence(x: &[f64]) -> Evidence {
    if x.len() < 2 {
        return Evidence::Undecided;
    }
    let (mean, sd) = math::mean_sd(x);
    // Equal values may leave a rounding error in the mean, and so in the sd: look at the values themselves.
    if x.iter().all(|&v| v == x[0]) {
        return if x[0] == 0.0 { Evidence::Undecided } else { Evidence::T(f64::INFINITY.copysign(x[0])) };
    }
    Evidence::T((x.len() as f64).sqrt() * mean / sd)
}

/// Weight of a received model: α = σ(κ t).
// PAPER: eq. (6)
pub fn alpha(evidence: Evidence, kappa: f64, when_undecided: f64) -> f64 {
    match evidence {
        // CHOICE: the paper does not define t for |Q| < 2 or without any difference; such a history carries no verdict either way.
        Evidence::Undecided => when_undecided,
        Evidence::T(t) if t.is_infinite() => f64::from(u8::from(t > 0.0)),
        Evidence::T(t) => math::sigmoid(kappa * t),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(x: &[f64], expect: f64) {
        let got = alpha(evidence(x), 4.0, 0.5);
        assert!((got - expect).abs() < 1e-15, "{got}");
    }

    #[test]
    fn no_evidence_is_undecided() {
        check(&[], 0.5);
        check(&[3.0], 0.5);
        check(&[0.0, 0.0, 0.0], 0.5);
    }

    #[test]
    fn the_same_difference_everywhere_is_certain() {
        check(&[0.1; 3], 1.0);
        check(&[-0.1; 3], 0.0);
    }

    #[test]
    fn alpha_by_hand() {
        // mean 1, sd √2, t = √2 · 1 / √2 = 1.
        check(&[0.0, 2.0], 1.0 / (1.0 + math::exp(-4.0)));
    }

    proptest! {
        #[test]
        fn alpha_is_a_share_and_turns_with_the_sign(x in prop::collection::vec(-1e3..1e3f64, 0..50)) {
            let a = alpha(evidence(&x), 4.0, 0.5);
            prop_assert!((0.0..=1.0).contains(&a));
            let turned: Vec<f64> = x.iter().map(|v| -v).collect();
            prop_assert!((a + alpha(evidence(&turned), 4.0, 0.5) - 1.0).abs() < 1e-12);
        }

        #[test]
        fn a_better_model_never_gets_less(x in prop::collection::vec(-1.0..1.0f64, 2..30), up in 0.0..0.5f64) {
            let better: Vec<f64> = x.iter().map(|v| v + up).collect();
            prop_assert!(alpha(evidence(&better), 4.0, 0.5) >= alpha(evidence(&x), 4.0, 0.5) - 1e-9);
        }
    }
}
