//! log σ of many margins at once: differences of two, and the slope of a sum of them in a common scale.
//!
//! Margins are differences of f32 scores, so eight digits are more than they carry. What counts is that near margins keep their digits: two
//! rounded logarithms of nearly the same size would lose them. The difference is therefore computed from the difference of the margins.

use super::sums::{LANES, total};
use crate::instructions::kernel;

/// The number of values that go through one stage before the next begins. In a short stage a value waits for few others, so a processor works
/// on several values at once.
const BLOCK: usize = 64;

/// The number of polynomials that are computed side by side. Each waits for its own last step, but not for those of the others.
const SIDE_BY_SIDE: usize = 32;

type Block = [f64; BLOCK];

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

/// The same polynomial of every value.
#[inline(always)]
fn polynomials<const N: usize>(coefficients: [f64; N], x: &Block) -> Block {
    let mut all = [0.0; BLOCK];
    for (all, x) in all.as_chunks_mut::<SIDE_BY_SIDE>().0.iter_mut().zip(x.as_chunks::<SIDE_BY_SIDE>().0) {
        let mut values = [coefficients[N - 1]; SIDE_BY_SIDE];
        for c in coefficients[..N - 1].iter().rev() {
            for i in 0..SIDE_BY_SIDE {
                values[i] = values[i] * x[i] + c;
            }
        }
        *all = values;
    }
    all
}

/// 1.5·2⁵²: a number next to it is whole, and its last bits hold that whole number.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// `a` or 708: e^(−708) is nothing next to 1.
#[inline(always)]
fn at_most_708(a: f64) -> f64 {
    // This comparison lets NaN through.
    if a > 708.0 { 708.0 } else { a }
}

/// [`ROUND`] + n, where 2ⁿ is the power of two that is nearest to e^(−a).
#[inline(always)]
fn exponent(a: f64) -> f64 {
    ROUND - a * std::f64::consts::LOG2_E
}

/// The r with e^(−a) = 2ⁿ e^r.
#[inline(always)]
fn remainder(a: f64, exponent: f64) -> f64 {
    (ROUND - exponent) * std::f64::consts::LN_2 - a
}

/// 2ⁿ.
#[inline(always)]
fn power(exponent: f64) -> f64 {
    f64::from_bits((exponent.to_bits() << 52).wrapping_add(1023 << 52))
}

/// (p, 2ⁿ) with e^(−a) = 2ⁿ (1 + p) for every a ≥ 0.
#[inline(always)]
fn exp_neg_parts(a: Block) -> (Block, Block) {
    let a = each(|i| at_most_708(a[i]));
    let exponents = each(|i| exponent(a[i]));
    let r = each(|i| remainder(a[i], exponents[i]));
    let p = polynomials(EXPM1, &r);
    (each(|i| r[i] * p[i]), each(|i| power(exponents[i])))
}

/// A block of values by their index. The compiler makes slower code of an array's `map`.
#[inline(always)]
fn each(value: impl Fn(usize) -> f64) -> Block {
    std::array::from_fn(value)
}

/// e^(−a) for a ≥ 0.
#[inline(always)]
fn exp_neg(a: f64) -> f64 {
    let a = at_most_708(a);
    let exponent = exponent(a);
    let (r, scale) = (remainder(a, exponent), power(exponent));
    scale + scale * (r * polynomial(EXPM1, r))
}

/// The z with 2 artanh z = log((1 + e^−|b|) / (1 + e^−|a|)): the part of log σ(a) − log σ(b) that is not linear.
#[inline(always)]
fn half_ratios(a: &Block, b: &Block) -> Block {
    let apart = each(|i| a[i].abs() - b[i].abs());
    // Of e^−|a| and e^−|b|, e is the larger one and e (1 + u) the other. Where a is near b, u keeps its digits.
    let (p, scale) = exp_neg_parts(each(|i| if a[i].abs() < b[i].abs() { a[i].abs() } else { b[i].abs() }));
    let e = each(|i| scale[i] + scale[i] * p[i]);
    let (p, scale) = exp_neg_parts(each(|i| apart[i].abs()));
    let u = each(|i| scale[i] * p[i] + (scale[i] - 1.0));
    let rest = each(|i| 2.0 + e[i] * (2.0 + u[i]));
    each(|i| ((e[i] * u[i]) * reciprocal(rest[i])).copysign(apart[i]))
}

/// 1 / x with 14 digits, for an x near 1: dividing in f32 and one step of Newton's method take half the time of dividing in f64.
#[inline(always)]
fn reciprocal(x: f64) -> f64 {
    let near = f64::from(1.0 / x as f32);
    near * (2.0 - x * near)
}

/// log σ(a) − log σ(b).
#[inline(always)]
fn differences_of(a: &Block, b: &Block) -> Block {
    let z = half_ratios(a, b);
    let artanh = polynomials(ARTANH, &each(|i| z[i] * z[i]));
    let negative = |x: f64| if x < 0.0 { x } else { 0.0 };
    each(|i| (negative(a[i]) - negative(b[i])) + 2.0 * z[i] * artanh[i])
}

/// Up to a whole block of values, each times `scale`. Zeros fill the block up.
#[inline(always)]
fn block(values: &[f32], scale: f64) -> Block {
    if let Some(values) = values.first_chunk::<BLOCK>() {
        return each(|i| scale * f64::from(values[i]));
    }
    let mut filled = [0.0; BLOCK];
    filled.iter_mut().zip(values).for_each(|(filled, value)| *filled = scale * f64::from(*value));
    filled
}

/// Writes as many values as there is room for.
#[inline(always)]
fn store(values: Block, out: &mut [f64]) {
    match out.first_chunk_mut::<BLOCK>() {
        Some(out) => *out = values,
        None => out.copy_from_slice(&values[..out.len()]),
    }
}

#[inline(always)]
fn differences(a: &[f32], a_scale: f64, b: &[f32], b_scale: f64, out: &mut [f64]) {
    for ((out, a), b) in out.chunks_mut(BLOCK).zip(a.chunks(BLOCK)).zip(b.chunks(BLOCK)) {
        store(differences_of(&block(a, a_scale), &block(b, b_scale)), out);
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
    }

    /// `out[p] = log σ(x[p])`, with the same bits at every vector width.
    pub fn log_sigmoids(x: &[f32], out: &mut [f64]) {
        // log σ(1000) = 0, as far as f64 can tell.
        const SURE: f64 = 1e3;
        for (out, x) in out.chunks_mut(BLOCK).zip(x.chunks(BLOCK)) {
            store(differences_of(&block(x, 1.0), &[SURE; BLOCK]), out);
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
        let a: Vec<f32> = (0..3 * BLOCK + 5).map(|i| (i * 37 % 211) as f32 * 0.13 - 13.0).collect();
        let b: Vec<f32> = a.iter().rev().map(|x| x * 1.7).collect();
        let alone = |i: usize| {
            let mut out = [0.0];
            log_sigmoid_differences(&a[i..=i], 0.9, &b[i..=i], 1.1, &mut out);
            out[0].to_bits()
        };
        for n in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, a.len()] {
            let mut out = vec![f64::NAN; n];
            log_sigmoid_differences(&a[..n], 0.9, &b[..n], 1.1, &mut out);
            assert!(out.iter().enumerate().all(|(i, value)| value.to_bits() == alone(i)), "{n} values");
        }
    }

    #[test]
    fn log_sigmoid_of_what_is_not_finite_is_not_mistaken_for_a_score() {
        let mut out = [0.0; 2];
        log_sigmoids(&[f32::NAN, f32::NEG_INFINITY], &mut out);
        assert!(out[0].is_nan() && out[1] == f64::NEG_INFINITY);
    }
}
