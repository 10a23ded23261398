//! Elementary functions and sums that give the same bits on every machine.
//!
//! The transcendental functions of the standard library differ by platform, so simulated code uses these instead; clippy forbids the
//! others. Functions of single values call `libm`'s software versions; functions of slices have bodies that a compiler can vectorise.
//! Every sum multiplies and then adds, and is never fused. It runs in index order, or in that of `sums.rs` where models are judged and
//! their provenance is measured.

mod lanes;
mod log_sigmoid;
mod sums;

pub use lanes::{exps, gumbel_keys, largest, sigmoids};
pub use log_sigmoid::{log_sigmoid_differences, log_sigmoids, scale_slope};
pub use sums::{BEYOND, LANES, group_sums, mean_sd_of_many, total};

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

/// The natural logarithm of 1 + x, accurate for small x.
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
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
    x.min(0.0) - ln_1p(exp(-x.abs()))
}

/// log(e^a + e^b).
pub fn log_add_exp(a: f64, b: f64) -> f64 {
    let (hi, lo) = if a >= b { (a, b) } else { (b, a) };
    if lo == f64::NEG_INFINITY { hi } else { hi + ln_1p(exp(lo - hi)) }
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
    largest_magnitude(values).is_finite()
}

kernel! {
    /// The largest |v|, or a value that is not finite if there is one; 0 for no values.
    pub fn largest_magnitude(values: &[f32]) -> f32 {
        // Without their signs, the bits of numbers are ordered as the numbers are. Those of ∞ come next, and those of NaN last.
        f32::from_bits(values.iter().fold(0, |largest, v| largest.max(v.to_bits() & (u32::MAX >> 1))))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let values: Vec<f32> = (0..100).map(|i| (i * 37 % 101) as f32 - 70.0).collect();
        assert_eq!((largest_magnitude(&values), largest_magnitude(&[]), largest_magnitude(&[-0.0])), (70.0, 0.0, 0.0));
    }
}
