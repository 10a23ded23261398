//! log σ of many margins at once: differences of two, and the slope of a sum of them in a common scale.
//!
//! Margins are differences of f32 scores, so eight digits are more than they carry. What counts is that near margins keep their digits: two
//! rounded logarithms of nearly the same size would lose them. The difference is therefore computed from the difference of the margins.

#[cfg(target_arch = "x86_64")]
mod vectors;

use super::sums::{LANES, total};
use crate::instructions::kernel;

/// The number of values that go through one stage before the next begins. Short stages let a processor work on several values at once.
const BLOCK: usize = 256;

/// (e^r − 1) / r for |r| ≤ ½ ln 2, from the constant upwards: the polynomial through its values at Chebyshev's nodes, relative error 1.3e-8.
const EXPM1: [f64; 6] = [
    1.000_000_010_771_57,
    0.500_000_001_345_772_7,
    0.166_665_052_604_081_24,
    0.041_666_465_006_040_05,
    0.008_369_148_490_856_347,
    0.001_393_364_103_198_670_1,
];

/// artanh(z) / z for |z| ≤ ⅓ in powers of z², made in the same way, relative error 4.1e-9.
const ARTANH: [f64; 5] =
    [1.000_000_003_840_879_4, 0.333_331_608_206_888_84, 0.200_122_976_153_518_73, 0.139_825_788_725_986_33, 0.140_788_891_815_545_4];

#[inline(always)]
fn polynomial<const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    let mut value = coefficients[N - 1];
    for c in coefficients[..N - 1].iter().rev() {
        value = value * x + c;
    }
    value
}

/// 1.5·2⁵²: a number next to it is whole, and its last bits hold that whole number.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// (p, 2ⁿ) with e^(−a) = 2ⁿ (1 + p) for a ≥ 0. Beyond 708 it is e^(−708), which is nothing next to 1.
#[inline(always)]
fn exp_neg_parts(a: f64) -> (f64, f64) {
    // This comparison lets NaN through.
    let a = if a > 708.0 { 708.0 } else { a };
    let shifted = ROUND - a * std::f64::consts::LOG2_E;
    let r = (ROUND - shifted) * std::f64::consts::LN_2 - a;
    (r * polynomial(EXPM1, r), f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52)))
}

/// e^(−a) for a ≥ 0.
#[inline(always)]
fn exp_neg(a: f64) -> f64 {
    let (p, scale) = exp_neg_parts(a);
    scale + scale * p
}

/// e^(−a) − 1 for a ≥ 0, with all its digits where a is small.
#[inline(always)]
fn expm1_neg(a: f64) -> f64 {
    let (p, scale) = exp_neg_parts(a);
    scale * p + (scale - 1.0)
}

/// The z with 2 artanh z = log((1 + e^−|b|) / (1 + e^−|a|)): the part of log σ(a) − log σ(b) that is not linear.
#[inline(always)]
fn half_ratio(a: f64, b: f64) -> f64 {
    let (a, b) = (a.abs(), b.abs());
    // Of e^−|a| and e^−|b|, e is the larger one and e (1 + u) the other.
    let (e, u) = (exp_neg(if a < b { a } else { b }), expm1_neg((a - b).abs()));
    ((e * u) * reciprocal(2.0 + e * (2.0 + u))).copysign(a - b)
}

/// 1 / x with 14 digits, for an x near 1: dividing in f32 and one step of Newton's method take half the time of dividing in f64.
#[inline(always)]
fn reciprocal(x: f64) -> f64 {
    let near = f64::from(1.0 / x as f32);
    near * (2.0 - x * near)
}

/// log σ(a) − log σ(b), given the z of both.
#[inline(always)]
fn difference(a: f64, b: f64, z: f64) -> f64 {
    let negative = |x: f64| if x < 0.0 { x } else { 0.0 };
    (negative(a) - negative(b)) + 2.0 * z * polynomial(ARTANH, z * z)
}

#[inline(always)]
fn differences(a: &[f32], a_scale: f64, b: &[f32], b_scale: f64, out: &mut [f64]) {
    for ((out, a), b) in out.chunks_mut(BLOCK).zip(a.chunks(BLOCK)).zip(b.chunks(BLOCK)) {
        for ((z, a), b) in out.iter_mut().zip(a).zip(b) {
            *z = half_ratio(a_scale * f64::from(*a), b_scale * f64::from(*b));
        }
        for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
            *out = difference(a_scale * f64::from(*a), b_scale * f64::from(*b), *out);
        }
    }
}

kernel! {
    /// `out[p] = log σ(a_scale · a[p]) − log σ(b_scale · b[p])`, with the same bits at every vector width.
    pub fn log_sigmoid_differences(a: &[f32], a_scale: f64, b: &[f32], b_scale: f64, out: &mut [f64]) {
        match (a_scale, b_scale) {
            // Most rules do not scale, and a compiler leaves a multiplication by 1 out.
            (1.0, 1.0) => differences(a, 1.0, b, 1.0, out),
            _ => differences(a, a_scale, b, b_scale, out),
        }
    } => avx2 {
        vectors::avx2::differences(a, a_scale, b, b_scale, out);
    } => avx512 {
        vectors::avx512::differences(a, a_scale, b, b_scale, out);
    }

    /// `out[p] = log σ(x[p])`, with the same bits at every vector width.
    pub fn log_sigmoids(x: &[f32], out: &mut [f64]) {
        // log σ(1000) = 0, as far as f64 can tell.
        const SURE: f64 = 1e3;
        for (out, x) in out.chunks_mut(BLOCK).zip(x.chunks(BLOCK)) {
            for (z, x) in out.iter_mut().zip(x) {
                *z = half_ratio(f64::from(*x), SURE);
            }
            for (out, x) in out.iter_mut().zip(x) {
                *out = difference(f64::from(*x), SURE, *out);
            }
        }
    }

    /// The first derivative of Σ ρ log σ(τ m) by τ, Σ ρ m σ(−τm), and the negative of the second, Σ ρ m² σ(τm) σ(−τm).
    ///
    /// Both are summed as in `sums.rs`.
    pub fn scale_slope(rho: &[f64], margins: &[f64], tau: f64) -> (f64, f64) {
        let mut sums = [[0.0; LANES]; 2];
        let ((rho, rho_rest), (margins, margins_rest)) = (rho.as_chunks::<LANES>(), margins.as_chunks::<LANES>());
        for (rho, margins) in rho.iter().zip(margins) {
            add_slopes(rho, margins, tau, &mut sums);
        }
        // Pairs of ρ = 0 fill the last block up.
        let (mut rho, mut margins) = ([0.0; LANES], [0.0; LANES]);
        rho[..rho_rest.len()].copy_from_slice(rho_rest);
        margins[..margins_rest.len()].copy_from_slice(margins_rest);
        add_slopes(&rho, &margins, tau, &mut sums);
        (total(sums[0]), total(sums[1]))
    }
}

#[inline(always)]
fn add_slopes(rho: &[f64; LANES], margins: &[f64; LANES], tau: f64, [slopes, curvatures]: &mut [[f64; LANES]; 2]) {
    for lane in 0..LANES {
        let (rho, m) = (rho[lane], margins[lane]);
        let e = exp_neg((tau * m).abs());
        let right = reciprocal(1.0 + e);
        let wrong = if m > 0.0 { e * right } else { right };
        slopes[lane] += rho * m * wrong;
        curvatures[lane] += rho * m * m * (e * right * right);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
    use crate::math::{log_sigmoid, sigmoid};
    use proptest::prelude::*;

    #[test]
    fn vectorised_logarithms_follow_the_plain_ones() {
        let mut x: Vec<f32> = (-8_000..8_000).map(|i| i as f32 * 0.011).collect();
        x.extend([0.0, -0.0, 707.9, 708.1, 1e4, -1e4, 1e30, -1e30, f32::MIN_POSITIVE, f32::MAX, f32::MIN]);
        let mut out = vec![0.0; x.len()];
        log_sigmoids(&x, &mut out);
        for (x, got) in x.iter().zip(&out) {
            let want = log_sigmoid(f64::from(*x));
            assert!((got - want).abs() <= 3e-8 * want.abs() + 1e-300, "log σ({x}) = {got}, not {want}");
        }
        let turned: Vec<f32> = x.iter().rev().copied().collect();
        let mut differences = out.clone();
        log_sigmoid_differences(&x, 0.7, &turned, 1.0, &mut differences);
        for ((a, b), got) in x.iter().zip(&turned).zip(&differences) {
            let (a, b) = (0.7 * f64::from(*a), f64::from(*b));
            let (plain, size) = (log_sigmoid(a) - log_sigmoid(b), log_sigmoid(a).abs() + log_sigmoid(b).abs());
            assert!((got - plain).abs() <= 3e-8 * size + 1e-300, "{a}, {b}: {got}, not {plain}");
        }
    }

    /// The same difference by another formula, −log(1 + (e^(b−a) − 1) σ(−b)): it is exact where a and b are near each other.
    fn near_difference(a: f64, b: f64) -> f64 {
        -libm::log1p(libm::expm1(b - a) * sigmoid(-b))
    }

    #[test]
    fn near_margins_keep_their_digits() {
        // The steps reach over every boundary of the range reduction, for the margins and for their difference.
        let margins = (-2_000..2_000).map(|i| i as f32 * 0.017_328_68);
        for (x, step) in margins.flat_map(|x| [1e-6f32, 3e-6, 1e-4, 0.01, 0.346_573_6, 0.346_573_65, 0.9].map(|step| (x, step))) {
            let (near, mut out) = ([x + step, x], [0.0; 2]);
            log_sigmoid_differences(&near, 1.0, &[x, x], 1.0, &mut out);
            let want = near_difference(f64::from(near[0]), f64::from(x));
            assert!((out[0] - want).abs() <= 3e-8 * want, "{} and {x}: {}, not {want}", near[0], out[0]);
            assert_eq!(out[1], 0.0);
        }
    }

    #[test]
    fn the_larger_margin_explains_better() {
        let margins: Vec<f32> = (-3_000..3_000).map(|i| i as f32 * 0.01).collect();
        let mut out = vec![0.0; margins.len() - 1];
        log_sigmoid_differences(&margins[1..], 1.0, &margins, 1.0, &mut out);
        assert!(out.iter().all(|&difference| difference > 0.0));
        log_sigmoid_differences(&margins[1..], 1.0, &vec![0.3; out.len()], 1.0, &mut out);
        assert!(out.is_sorted());
    }

    #[track_caller]
    fn check_slope(pairs: &[(f64, f64)], tau: f64) {
        let (rho, margins): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let (slope, curvature) = scale_slope(&rho, &margins, tau);
        let term = |&(rho, m): &(f64, f64)| (rho * m * sigmoid(-tau * m), rho * m * m * sigmoid(tau * m) * sigmoid(-tau * m));
        let sums = pairs.iter().map(term).fold((0.0, 0.0), |sums, terms| (sums.0 + terms.0, sums.1 + terms.1));
        let size: f64 = pairs.iter().map(|pair| term(pair).0.abs()).sum();
        // Beyond 708, e^(−a) is not 0 but the smallest that there is.
        assert!((slope - sums.0).abs() <= 5e-8 * size + 1e-300, "{slope}, not {}", sums.0);
        assert!((curvature - sums.1).abs() <= 5e-8 * sums.1 + 1e-300, "{curvature}, not {}", sums.1);
    }

    #[test]
    fn margins_beyond_all_exponents_have_a_slope() {
        check_slope(&[(0.25, -26.4)], 32.6);
        check_slope(&[(0.25, 26.4)], 32.6);
    }

    proptest! {
        #[test]
        fn the_slope_is_that_of_the_sum(pairs in prop::collection::vec((0.0..1.0f64, -30.0..30.0f64), 0..40), tau in 0.001..50.0f64) {
            check_slope(&pairs, tau);
        }
    }

    #[test]
    fn every_set_of_instructions_gives_the_same_bits() {
        let a: Vec<f32> = (0..700).map(|i| (i * 37 % 211) as f32 * 0.13 - 13.0).collect();
        let b: Vec<f32> = a.iter().rev().map(|x| x * 1.7).collect();
        let (rho, wide): (Vec<f64>, Vec<f64>) = a.iter().map(|&x| (1.0 / (1.0 + f64::from(x * x)), f64::from(x))).unzip();
        let on = |set: Instructions| {
            set.use_at_most();
            let mut out = vec![0.0; 2 * a.len()];
            let (differences, logarithms) = out.split_at_mut(a.len());
            log_sigmoid_differences(&a, 0.9, &b, 1.1, differences);
            log_sigmoids(&a, logarithms);
            (out, scale_slope(&rho, &wide, 1.3))
        };
        let [baseline, avx2, avx512] = Instructions::ALL.map(on);
        assert!(baseline == avx2 && baseline == avx512);
    }

    #[test]
    fn every_number_of_values_gives_what_each_gives_alone() {
        let a: Vec<f32> = (0..300).map(|i| (i * 37 % 211) as f32 * 0.13 - 13.0).collect();
        let b: Vec<f32> = a.iter().rev().map(|x| x * 1.7).collect();
        for set in Instructions::ALL {
            set.use_at_most();
            let alone = |i: usize| {
                let mut out = [0.0];
                log_sigmoid_differences(&a[i..=i], 0.9, &b[i..=i], 1.1, &mut out);
                out[0].to_bits()
            };
            for n in [0, 1, 31, 32, 33, 63, 64, 65, 300] {
                let mut out = vec![f64::NAN; n];
                log_sigmoid_differences(&a[..n], 0.9, &b[..n], 1.1, &mut out);
                assert!(out.iter().enumerate().all(|(i, value)| value.to_bits() == alone(i)), "{n} values, {set:?}");
            }
        }
    }

    #[test]
    fn every_set_of_instructions_gives_the_same_bits_of_all_finite_margins() {
        let special = [0.0, -0.0, 708.0, 709.0, 1e-30, 1e-45, f32::MIN_POSITIVE, f32::MAX, 1e30, 88.0, 0.346_573_6, 17.3];
        let signed: Vec<f32> = special.iter().flat_map(|&x| [x, -x]).collect();
        let (a, b): (Vec<f32>, Vec<f32>) = signed.iter().flat_map(|&a| signed.iter().map(move |&b| (a, b))).unzip();
        let on = |set: Instructions| {
            set.use_at_most();
            let mut out = vec![0.0; a.len()];
            log_sigmoid_differences(&a, 1.0, &b, 1.0, &mut out);
            out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        let [baseline, avx2, avx512] = Instructions::ALL.map(on);
        assert!(baseline == avx2 && baseline == avx512);
    }

    #[test]
    fn log_sigmoid_of_what_is_not_finite_is_not_mistaken_for_a_score() {
        let mut out = [0.0; 2];
        log_sigmoids(&[f32::NAN, f32::NEG_INFINITY], &mut out);
        assert!(out[0].is_nan() && out[1] == f64::NEG_INFINITY);
    }
}
