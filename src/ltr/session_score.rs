//! Measures how well a model explains a past session, and whether another model explains a whole history better.

use crate::math;

/// The session score S(q, θ) = Σ ρ log σ(s_i − s_j) over the preferences of a session, given as (ρ, margin).
// PAPER: S(q, θ), the session score
pub fn session_score(preferences: impl Iterator<Item = (f64, f64)>) -> f64 {
    preferences.map(|(rho, margin)| rho * math::log_sigmoid(margin)).sum()
}

/// The evidence that the differences X give for one of two models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// t is not defined: there are fewer than two sessions, or no difference at all.
    Undecided,
    /// t = √n · X̄ / s_X. It is infinite if all X are equal and not 0.
    T(f64),
}

/// The statistic t of the differences X_q = S(q, θ_v) − S(q, θ_u). The standard deviation divides by n − 1.
// PAPER: t, RankGuard's statistic over the history
pub fn evidence(x: &[f64]) -> Evidence {
    if x.len() < 2 {
        return Evidence::Undecided;
    }
    let (mean, sd) = math::mean_sd_of_many(x);
    // For equal values, rounding errors of the mean may leave an sd above 0, so the values themselves are compared.
    if x.iter().all(|&v| v == x[0]) {
        return if x[0] == 0.0 { Evidence::Undecided } else { Evidence::T(f64::INFINITY.copysign(x[0])) };
    }
    Evidence::T((x.len() as f64).sqrt() * mean / sd)
}

/// The weight of a received model: α = σ(κ t).
// PAPER: α, the weight of a received model
pub fn alpha(evidence: Evidence, kappa: f64, when_undecided: f64) -> f64 {
    match evidence {
        // CHOICE(when_undecided): the paper does not define t for |Q| < 2 or without any difference. Its formula gives σ(0) = ½ for no
        // evidence, its prose says that α then "remains near 0".
        Evidence::Undecided => when_undecided,
        // CHOICE(certain): the paper's t has no value where all X are the same; their sign is all there is.
        Evidence::T(t) if t.is_infinite() => f64::from(u8::from(t > 0.0)),
        Evidence::T(t) => math::sigmoid(kappa * t),
    }
}

/// τ* = argmax of Σ ρ log σ(τ m) over τ in [1e-3, 1e3]: the scale at which a model with these margins explains a history best.
///
/// The sum is concave in τ. Newton's method finds the zero of its slope, and stays between bounds that the sign of the slope narrows.
pub fn best_scale(rho: &[f64], margins: &[f64]) -> f64 {
    let (mut low, mut high): (f64, f64) = (1e-3, 1e3);
    if math::scale_slope(rho, margins, high).0 >= 0.0 {
        return high;
    }
    if math::scale_slope(rho, margins, low).0 <= 0.0 {
        return low;
    }
    let mut tau: f64 = 1.0;
    for _ in 0..60 {
        let (slope, curvature) = math::scale_slope(rho, margins, tau);
        if slope > 0.0 {
            low = tau
        } else {
            high = tau
        }
        let newton = tau + slope / curvature;
        // If Newton's step leaves the bounds or is NaN, the geometric mean of the bounds comes next.
        let next = if newton > low && newton < high { newton } else { (low * high).sqrt() };
        if (next - tau).abs() <= 1e-10 * tau {
            return next;
        }
        tau = next;
    }
    tau
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

    #[test]
    fn the_best_scale_by_hand() {
        // Three right and one wrong of the same margin: σ(τ) = ¾.
        let got = best_scale(&[1.0; 4], &[1.0, 1.0, 1.0, -1.0]);
        assert!((got - math::ln(3.0)).abs() < 1e-8, "{got}");
        assert!(best_scale(&[0.5], &[2.0]) == 1e3, "all right: the more confident the better");
        assert!(best_scale(&[0.5], &[-2.0]) == 1e-3, "all wrong: the less the better");
        assert!(best_scale(&[], &[]).is_finite());
    }

    proptest! {
        #[test]
        fn the_best_scale_is_best(pairs in prop::collection::vec((0.01..1.0f64, -5.0..5.0f64), 1..30), other in 0.002..900.0f64) {
            let at = |tau: f64| session_score(pairs.iter().map(|&(rho, m)| (rho, tau * m)));
            let (rho, margins): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
            prop_assert!(at(best_scale(&rho, &margins)) >= at(other) - 1e-9);
        }

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
