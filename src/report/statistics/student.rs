//! Student's t distribution: its distribution function and its quantiles, for any number of degrees of freedom from 1 on.
//!
//! Tails come from the continued fraction of the incomplete beta function, quantiles by Newton's method on the logarithm of the tail. For
//! up to 10⁶ degrees of freedom and tails above 10⁻⁶ the relative error of a quantile is below 10⁻¹⁰; `.ci/statistics` compares it with SciPy.

use crate::math::{exp, gamma, ln, ln_1p, normal_quantile};
use std::f64::consts::PI;

/// The probability of a value up to `t`.
pub fn cdf(t: f64, df: f64) -> f64 {
    if t < 0.0 { upper_tail(-t, df) } else { 0.5 + middle(t, df) }
}

/// The probability of a value as far from 0 as `t` or farther: the p-value of a two-sided test.
pub fn two_sided(t: f64, df: f64) -> f64 {
    (2.0 * upper_tail(t.abs(), df)).min(1.0)
}

/// The value that is not exceeded with probability `p`, for p in (0, 1).
pub fn quantile(p: f64, df: f64) -> f64 {
    debug_assert!(p > 0.0 && p < 1.0 && df >= 1.0);
    // 1 − p is exact for p ≥ ½.
    match p < 0.5 {
        true => -upper_quantile(p, df),
        false => upper_quantile(1.0 - p, df),
    }
}

/// The value that is exceeded with probability `q`, for q in (0, ½].
fn upper_quantile(q: f64, df: f64) -> f64 {
    if q > 0.25 { near_the_middle(0.5 - q, df) } else { in_the_tail(q, df) }
}

/// The t ≥ 0 with P(0 < T < t) = `area`. That area is concave in t, so Newton's method approaches the root from below and never passes it.
fn near_the_middle(area: f64, df: f64) -> f64 {
    let start = area / density(0.0, df);
    newton(start, |t| (area - middle(t, df)) / density(t, df))
}

/// The t with P(T > t) = `q`. The logarithm of the tail is concave in ln t, so Newton's method converges from everywhere; the normal
/// quantile, from which it begins, is never farther out than the root.
fn in_the_tail(q: f64, df: f64) -> f64 {
    let step = |s: f64| {
        let t = exp(s);
        let tail = upper_tail(t, df);
        (ln(tail) - ln(q)) * tail / (t * density(t, df))
    };
    exp(newton(ln(normal_quantile(1.0 - q)), step))
}

/// The root that steps lead to from `start`. Convergence is quadratic, so a small step is the last that matters.
fn newton(start: f64, step: impl Fn(f64) -> f64) -> f64 {
    let mut x = start;
    for _ in 0..100 {
        let dx = step(x);
        x += dx;
        if dx.abs() <= 1e-14 * x.abs() {
            break;
        }
    }
    x
}

/// P(0 < T < t).
fn middle(t: f64, df: f64) -> f64 {
    central(t, df).unwrap_or_else(|| 0.5 - far_tail(t, df))
}

/// P(T > t) for t ≥ 0.
fn upper_tail(t: f64, df: f64) -> f64 {
    central(t, df).map_or_else(|| far_tail(t, df), |area| 0.5 - area)
}

/// P(0 < T < t) where its continued fraction converges fast, which is near 0.
fn central(t: f64, df: f64) -> Option<f64> {
    let (a, x) = (0.5 * df, df / (df + t * t));
    (x >= (a + 1.0) / (a + 2.5)).then(|| beta_fraction(0.5, a, t * t / (df + t * t)) * edge(t, df))
}

/// P(T > t) where `central` does not serve.
fn far_tail(t: f64, df: f64) -> f64 {
    beta_fraction(0.5 * df, 0.5, df / (df + t * t)) * edge(t, df) / df
}

/// xᵃ (1 − x)^½ / B(a, ½) with a = df / 2 and x = df / (df + t²).
fn edge(t: f64, df: f64) -> f64 {
    let square = t * t / df;
    exp(-0.5 * df * ln_1p(square)) * (square / (1.0 + square)).sqrt() * gamma_ratio(0.5 * df) / PI.sqrt()
}

/// The density at t.
fn density(t: f64, df: f64) -> f64 {
    gamma_ratio(0.5 * df) / (df * PI).sqrt() * exp(-0.5 * (df + 1.0) * ln_1p(t * t / df))
}

/// Γ(a + ½) / Γ(a). The difference of two logarithms would lose half of the digits at a = 10⁶.
fn gamma_ratio(a: f64) -> f64 {
    if a < 50.0 {
        return gamma(a + 0.5) / gamma(a);
    }
    // Its asymptotic series in 1/a; the next term is below 10⁻¹³.
    let r = 1.0 / a;
    a.sqrt() * (1.0 + r * (-1.0 / 8.0 + r * (1.0 / 128.0 + r * (5.0 / 1024.0 + r * (-21.0 / 32768.0 + r * (-399.0 / 262_144.0))))))
}

/// The continued fraction of I_x(a, b) · a B(a, b) / (xᵃ (1 − x)ᵇ), by Lentz's method. It takes about √a steps if x < (a + 1) / (a + b + 2).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let not_zero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / not_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in (1..100_000).map(f64::from) {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut factor = 1.0;
        for coefficient in [even, odd] {
            d = 1.0 / not_zero(1.0 + coefficient * d);
            c = not_zero(1.0 + coefficient / c);
            factor = c * d;
            fraction *= factor;
        }
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn near(value: f64, expect: f64, relative: f64) {
        assert!((value - expect).abs() <= relative * expect.abs(), "{value:e} is not {expect:e}");
    }

    const TAILS: [f64; 9] = [1e-6, 1e-5, 0.001, 0.025, 0.1, 0.24, 0.26, 0.4, 0.4999];

    #[test]
    fn one_degree_is_cauchy() {
        for q in TAILS {
            let expect = 1.0 / libm::tan(PI * q);
            near(quantile(q, 1.0), -expect, 1e-12);
            near(upper_tail(expect, 1.0), q, 1e-12);
        }
    }

    #[test]
    fn two_degrees_have_a_closed_form() {
        for q in TAILS {
            let expect = (1.0 - 2.0 * q) / (2.0 * q * (1.0 - q)).sqrt();
            near(quantile(q, 2.0), -expect, 1e-12);
            near(upper_tail(expect, 2.0), q, 1e-12);
        }
    }

    #[test]
    fn many_degrees_are_normal() {
        for q in TAILS {
            let z = normal_quantile(q);
            // The first two terms of the expansion in 1/df; the next is of the order of 1e-17.
            let df = 1e6;
            let (z3, z5) = (z * z * z, z * z * z * z * z);
            let expect = z + (z3 + z) / (4.0 * df) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * df * df);
            near(quantile(q, df), expect, 1e-10);
        }
    }

    #[test]
    fn tables_of_textbooks_agree() {
        for (df, expect) in [(4.0, 2.776_445_105_198), (9.0, 2.262_157_162_798), (29.0, 2.045_229_642_133), (99.0, 1.984_216_951_586)] {
            near(quantile(0.975, df), expect, 1e-12);
        }
        near(two_sided(2.776_445_105_198, 4.0), 0.05, 1e-11);
        near(two_sided(-2.776_445_105_198, 4.0), 0.05, 1e-11);
        assert_eq!((quantile(0.5, 7.0), cdf(0.0, 7.0), two_sided(0.0, 7.0)), (0.0, 0.5, 1.0));
    }

    #[test]
    fn the_ratio_of_gammas_has_no_seam() {
        for a in [50.0, 51.5, 80.0] {
            near(gamma_ratio(a), gamma(a + 0.5) / gamma(a), 1e-12);
        }
    }

    #[test]
    fn far_tails_stay_accurate() {
        for t in [3.0, 20.0, 100.0] {
            let u = t / 3f64.sqrt();
            near(upper_tail(t, 3.0), (libm::atan(1.0 / u) - u / (1.0 + u * u)) / PI, 1e-10);
        }
        // As t grows, the tail at 9 degrees comes near to density · t / 9.
        near(two_sided(1e6, 9.0), 2.0 * density(1e6, 9.0) * 1e6 / 9.0, 1e-9);
    }

    proptest! {
        #[test]
        fn a_quantile_inverts_the_distribution(share in -1.0..1.0f64, log_df in 0.0..13.8f64) {
            let df = exp(log_df);
            // Further out too few digits of p are left.
            let x = share * upper_quantile(1e-6, df).min(8.0);
            let p = cdf(x, df);
            let back = quantile(p, df);
            // p has 16 digits, which is all that can be inverted.
            prop_assert!((back - x).abs() <= 1e-10 * x.abs() + 4e-16 / density(x, df), "{x} → {p} → {back} at {df}");
        }

        #[test]
        fn both_sides_are_alike(q in 1e-6..0.5f64, log_df in 0.0..13.8f64) {
            let df = exp(log_df);
            prop_assert_eq!(quantile(q, df), -upper_quantile(q, df));
            let t = upper_quantile(q, df);
            prop_assert!((cdf(t, df) + cdf(-t, df) - 1.0).abs() < 1e-15);
        }

        #[test]
        fn quantiles_grow_with_p_and_shrink_with_degrees(q in 1e-6..0.49f64, log_df in 0.0..13.0f64) {
            let df = exp(log_df);
            prop_assert!(upper_quantile(q, df) > upper_quantile(q + 0.01, df));
            prop_assert!(upper_quantile(q, df) > upper_quantile(q, df * 1.5));
        }
    }
}
