//! Elementary functions and sums that give the same bits on every machine.
//!
//! The transcendental functions of the standard library differ by platform, so simulated code uses these instead; clippy forbids the
//! others. Functions of single values call `libm`'s software versions; functions of slices have bodies that a compiler can vectorise.
//! Every sum runs in index order, multiplies and then adds, and is never fused: there is one summation order everywhere.

mod lanes;

pub use lanes::{exps, gumbel_keys, largest, sigmoids};

use crate::instructions::kernel;

/// e^x.
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// The sine of `x` radians.
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// The natural logarithm of x.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// The logarithm of x to base 2.
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// x^y.
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Γ(x) for x > 0.
pub fn gamma(x: f64) -> f64 {
    libm::tgamma(x)
}

/// σ(x) = 1 / (1 + e^(−x)), without overflow.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + exp(-x))
    } else {
        let e = exp(x);
        e / (1.0 + e)
    }
}

/// log σ(x) = −softplus(−x), accurate in both tails.
pub fn log_sigmoid(x: f64) -> f64 {
    x.min(0.0) - libm::log1p(exp(-x.abs()))
}

/// log(e^a + e^b).
pub fn log_add_exp(a: f64, b: f64) -> f64 {
    let (hi, lo) = if a >= b { (a, b) } else { (b, a) };
    if lo == f64::NEG_INFINITY { hi } else { hi + libm::log1p(exp(lo - hi)) }
}

/// Φ⁻¹(p) for p in (0, 1): Acklam's rational approximation (1.2e-9) and one Halley step.
pub fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] =
        [-3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1, 2.506628277459239];
    const B: [f64; 6] = [-5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1, 1.0];
    const C: [f64; 6] =
        [-7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783];
    const D: [f64; 5] = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416, 1.0];
    debug_assert!(p > 0.0 && p < 1.0);
    let horner = |c: &[f64], x: f64| c.iter().fold(0.0, |acc, c| acc * x + c);
    let tail = |p: f64| {
        let q = (-2.0 * ln(p)).sqrt();
        horner(&C, q) / horner(&D, q)
    };
    let x = if p < 0.02425 {
        tail(p)
    } else if p > 1.0 - 0.02425 {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        q * horner(&A, q * q) / horner(&B, q * q)
    };
    let error = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2) - p;
    let u = error * (2.0 * std::f64::consts::PI).sqrt() * exp(0.5 * x * x);
    x - u / (1.0 + 0.5 * x * u)
}

/// Mean and standard deviation, in two passes in index order. The deviation divides by n − 1 and is 0 for fewer than two values.
pub fn mean_sd(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, 0.0);
    }
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

/// Σ a·b in index order.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |acc, (x, y)| acc + x * y)
}

/// Whether no value is NaN or infinite.
pub fn all_finite(values: &[f32]) -> bool {
    // A finite value times zero is zero, and any other value times zero is NaN. This takes one pass that can be vectorised.
    values.iter().fold(0.0, |acc, v| acc + v * 0.0) == 0.0
}

/// e^(−a) for a ≥ 0 in f32. The relative error is 2e-7 down to the smallest normal number; below that the result is 0.
#[inline(always)]
fn exp_neg(a: f32) -> f32 {
    const MAX: f32 = 87.0;
    // This comparison lets NaN through.
    let clamped = if a > MAX { MAX } else { a };
    let y = clamped * -std::f32::consts::LOG2_E;
    // Adding and subtracting 1.5·2²³ rounds to the nearest whole number without a rounding instruction.
    const ROUND: f32 = 12_582_912.0;
    let shifted = y + ROUND;
    let n = shifted - ROUND;
    // ln 2 is subtracted in two parts, so that the remainder keeps its bits.
    let r = (-clamped - n * 0.693_359_4) - n * -2.121_944_4e-4;
    let p = 1.0 + r * (1.0 + r * (0.5 + r * (0.166_666_66 + r * (0.041_666_65 + r * (0.008_333_58 + r * 0.001_389_9)))));
    // The last bits of the shifted number hold n; the exponent of 2^n is n + 127.
    let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    if a > MAX { 0.0 } else { p * scale }
}

/// σ(x) in f32 with a relative error of 4e-7; 0 below −87.
#[inline(always)]
pub fn sigmoid_f32(x: f32) -> f32 {
    let e = exp_neg(x.abs());
    let larger = 1.0 / (1.0 + e);
    if x < 0.0 { e * larger } else { larger }
}

/// e^(−a) for a ≥ 0 in f64. The relative error is 1e-15 down to e^(−708); below that the result is 0.
#[inline(always)]
fn exp_neg_wide(a: f64) -> f64 {
    const MAX: f64 = 708.0;
    // 1.5·2⁵² rounds as 1.5·2²³ does in f32, and ln 2 again has two parts.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LN2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    // 1/12!, 1/11!, …, 1/1!
    const TAYLOR: [f64; 12] = [
        2.087_675_698_786_81e-9,
        2.505_210_838_544_172e-8,
        2.755_731_922_398_589e-7,
        2.755_731_922_398_589_3e-6,
        2.480_158_730_158_73e-5,
        1.984_126_984_126_984e-4,
        1.388_888_888_888_889e-3,
        8.333_333_333_333_333e-3,
        4.166_666_666_666_666_4e-2,
        1.666_666_666_666_666_6e-1,
        0.5,
        1.0,
    ];
    let clamped = if a > MAX { MAX } else { a };
    let shifted = clamped * -std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (-clamped - n * LN2.0) - n * LN2.1;
    let p = 1.0 + r * TAYLOR.iter().fold(0.0, |acc, c| acc * r + c);
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if a > MAX { 0.0 } else { p * scale }
}

/// log σ(a) − log σ(b). Where a and b are near each other the result keeps its digits: no two large numbers are subtracted.
#[inline(always)]
fn log_sigmoid_difference(a: f64, b: f64) -> f64 {
    let (e_a, e_b) = (exp_neg_wide(a.abs()), exp_neg_wide(b.abs()));
    // log((1 + e_a) / (1 + e_b)) = 2 artanh z with |z| ≤ ⅓: fifteen terms of its series reach the last bits.
    let z = (e_a - e_b) / (2.0 + (e_a + e_b));
    let z2 = z * z;
    let mut series = 0.0;
    for odd in [29.0, 27.0, 25.0, 23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        series = series * z2 + 1.0 / odd;
    }
    let negative = |x: f64| if x < 0.0 { x } else { 0.0 };
    (negative(a) - negative(b)) - 2.0 * z * series
}

kernel! {
    /// `out[p] = log σ(a_scale · a[p]) − log σ(b_scale · b[p])`, with the same bits at every vector width.
    pub fn log_sigmoid_differences(a: &[f32], a_scale: f64, b: &[f32], b_scale: f64, out: &mut [f64]) {
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = log_sigmoid_difference(a_scale * f64::from(*a), b_scale * f64::from(*b));
        }
    }
}

kernel! {
    /// `out[p] = log σ(x[p])`, with the same bits at every vector width.
    pub fn log_sigmoids(x: &[f32], out: &mut [f64]) {
        for (out, x) in out.iter_mut().zip(x) {
            // log σ(∞) = 0.
            *out = log_sigmoid_difference(f64::from(*x), f64::INFINITY);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectorised_logarithms_follow_the_plain_ones() {
        let mut x: Vec<f32> = (-8_000..8_000).map(|i| i as f32 * 0.011).collect();
        x.extend([0.0, -0.0, 707.9, 708.1, 1e4, -1e4, 1e30, -1e30, f32::MIN_POSITIVE, f32::MAX, f32::MIN]);
        let mut out = vec![0.0; x.len()];
        log_sigmoids(&x, &mut out);
        for (x, got) in x.iter().zip(&out) {
            let want = log_sigmoid(f64::from(*x));
            assert!((got - want).abs() <= 2e-15 * want.abs() + 1e-300, "log σ({x}) = {got}, not {want}");
        }
        let turned: Vec<f32> = x.iter().rev().copied().collect();
        let mut differences = out.clone();
        log_sigmoid_differences(&x, 0.7, &turned, 1.0, &mut differences);
        for ((a, b), got) in x.iter().zip(&turned).zip(&differences) {
            let (a, b) = (0.7 * f64::from(*a), f64::from(*b));
            let (plain, size) = (log_sigmoid(a) - log_sigmoid(b), log_sigmoid(a).abs() + log_sigmoid(b).abs());
            assert!((got - plain).abs() <= 2e-15 * size + 1e-300, "{a}, {b}: {got}, not {plain}");
        }
    }

    #[test]
    fn near_margins_differ_by_their_slope() {
        // d/dx log σ(x) = σ(−x): a difference of 1e-7 keeps its digits, which one of two rounded logarithms would not.
        for x in [-30.0f32, -2.0, -0.1, 0.0, 0.4, 3.0, 20.0] {
            let near = x + 4e-6;
            let step = f64::from(near) - f64::from(x);
            let mut out = [0.0];
            log_sigmoid_differences(&[near], 1.0, &[x], 1.0, &mut out);
            let want = step * sigmoid(-f64::from(x));
            assert!((out[0] / want - 1.0).abs() < 1e-4, "at {x}: {} and {want}", out[0]);
            log_sigmoid_differences(&[x], 1.0, &[x], 1.0, &mut out);
            assert_eq!(out[0], 0.0);
        }
    }

    #[test]
    fn f32_sigmoid_follows_its_f64_twin() {
        for x in (-8_000..16_000).map(|i| i as f32 * 0.01).chain([1e30, f32::MAX, -0.0]) {
            let want = sigmoid(f64::from(x));
            assert!((f64::from(sigmoid_f32(x)) - want).abs() <= 4e-7 * want, "σ({x})");
        }
        assert_eq!((sigmoid_f32(-1e3), sigmoid_f32(f32::NEG_INFINITY), sigmoid_f32(f32::INFINITY)), (0.0, 0.0, 1.0));
        assert!(sigmoid_f32(f32::NAN).is_nan());
    }

    #[test]
    fn log_sigmoid_of_what_is_not_finite_is_not_mistaken_for_a_score() {
        let mut out = [0.0; 2];
        log_sigmoids(&[f32::NAN, f32::NEG_INFINITY], &mut out);
        assert!(out[0].is_nan() && out[1] == f64::NEG_INFINITY);
    }

    #[test]
    fn sigmoid_and_its_logarithm_agree() {
        for x in [-800.0, -40.0, -1.0, 0.0, 0.3, 20.0, 800.0] {
            assert!((ln(sigmoid(x)) - log_sigmoid(x)).abs() < 1e-12 * log_sigmoid(x).abs() + 1e-15 || sigmoid(x) == 0.0, "{x}");
        }
        assert_eq!(sigmoid(0.0), 0.5);
    }

    #[test]
    fn normal_quantile_inverts_the_distribution() {
        for p in [1e-300, 1e-12, 0.001, 0.024, 0.3, 0.5, 0.9, 0.99999] {
            let x = normal_quantile(p);
            let back = 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
            assert!((back / p - 1.0).abs() < 1e-12, "{p} → {x} → {back}");
        }
        assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-14);
    }

    #[test]
    fn log_add_exp_survives_extremes() {
        assert!((log_add_exp(0.0, 0.0) - std::f64::consts::LN_2).abs() < 1e-16);
        assert_eq!(log_add_exp(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(log_add_exp(-1e308, 1e308), 1e308);
    }

    #[test]
    fn sd_has_one_degree_less() {
        assert_eq!(mean_sd(&[1.0, 3.0]), (2.0, 2f64.sqrt()));
        assert_eq!(mean_sd(&[5.0]), (5.0, 0.0));
        assert_eq!(mean_sd(&[]), (0.0, 0.0));
    }

    #[test]
    fn finiteness_sees_every_kind_of_bad_value() {
        assert!(all_finite(&[0.0, -1.0, f32::MAX]));
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!all_finite(&[1.0, bad, 2.0]));
        }
    }
}
