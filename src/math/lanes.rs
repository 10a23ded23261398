//! Exponentials, logarithms and sigmoids of many values at once.
//!
//! They take the steps of `libm`'s `exp` and `log` (FreeBSD's msun) in the same order, with selections where those branch. So each value has
//! the bits of [`super::exp`], [`super::ln`] and [`super::sigmoid`], at every vector width.

use crate::instructions::kernel;

/// ln 2 in two parts: the first has so few bits that its multiples are exact.
const LN2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);

/// 1.5·2⁵²: adding it rounds to a whole number, which then stands in the last bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

kernel! {
    /// Replaces each value x by e^(x − `less`).
    pub fn exps(values: &mut [f64], less: f64) {
        for value in values {
            *value = exp(*value - less);
        }
    }

    /// Replaces each value x by σ(x).
    pub fn sigmoids(values: &mut [f64]) {
        for value in values {
            *value = sigmoid(*value);
        }
    }

    /// Replaces each uniform number u by score − ln(−ln u): a score with Gumbel noise.
    pub fn gumbel_keys(uniforms: &mut [f64], scores: &[f64]) {
        for (uniform, score) in uniforms.iter_mut().zip(scores) {
            *uniform = score - ln(-ln(*uniform));
        }
    }

    /// The largest value that is a number; −∞ if there is none.
    pub fn largest(values: &[f64]) -> f64 {
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        let (blocks, rest) = values.as_chunks::<8>();
        let mut lanes = [f64::NEG_INFINITY; 8];
        for block in blocks {
            for (lane, value) in lanes.iter_mut().zip(block) {
                *lane = larger(*lane, *value);
            }
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        let all = larger(larger(larger(a, b), larger(c, d)), larger(larger(e, f), larger(g, h)));
        rest.iter().fold(all, |a, b| larger(a, *b))
    }
}

/// e^x.
#[inline(always)]
fn exp(x: f64) -> f64 {
    const P: [f64; 5] = [
        1.666_666_666_666_660_2e-1,
        -2.777_777_777_701_559_3e-3,
        6.613_756_321_437_934e-5,
        -1.653_390_220_546_525_2e-6,
        4.138_136_797_057_238_5e-8,
    ];
    // Below the first limit the result is 1 + x, below the second one no multiple of ln 2 is taken out.
    const TINY: f64 = f64::from_bits(0x3e30_0001_0000_0000);
    const SMALL: f64 = f64::from_bits(0x3fd6_2e43_0000_0000);
    let size = x.abs();
    // k: the whole number next to x / ln 2.
    let nearest = floor(size * std::f64::consts::LOG2_E + 0.5);
    let k = if size < SMALL { 0.0 } else { nearest.copysign(x) };
    let (hi, lo) = (x - k * LN2.0, k * LN2.1);
    let r = hi - lo;
    let rr = r * r;
    let c = r - rr * (P[0] + rr * (P[1] + rr * (P[2] + rr * (P[3] + rr * P[4]))));
    let y = 1.0 + (r * c / (2.0 - c) - lo + hi);
    // 2^k as a product of two powers, since it may be below the smallest normal number. Only the last product rounds.
    let half = floor_half(k);
    let scaled = y * power_of_two(half) * power_of_two(k - half);
    let scaled = if size < TINY { 1.0 + x } else { scaled };
    let scaled = if x < -745.133_219_101_941_1 { 0.0 } else { scaled };
    if x > 709.782_712_893_384 { f64::INFINITY } else { scaled }
}

/// ln x.
#[inline(always)]
fn ln(x: f64) -> f64 {
    const ODD: [f64; 4] = [6.666_666_666_666_735e-1, 2.857_142_874_366_239e-1, 1.818_357_216_161_805e-1, 1.479_819_860_511_658_6e-1];
    const EVEN: [f64; 3] = [3.999_999_999_940_942e-1, 2.222_219_843_214_978_4e-1, 1.531_383_769_920_937_3e-1];
    const TWO_54: f64 = 18_014_398_509_481_984.0;
    // √½ is 0x3fe6a09e…: numbers are brought to [√½, √2).
    const ROOT: u64 = 0x3fe6_a09e << 32;
    const ONE: u64 = 0x3ff0_0000 << 32;
    let is_subnormal = x < f64::MIN_POSITIVE;
    let (normal, offset) = if is_subnormal { (x * TWO_54, 54.0) } else { (x, 0.0) };
    let bits = normal.to_bits().wrapping_add(ONE - ROOT);
    // The exponent, read from the last bits of a number near 2⁵².
    let k = f64::from_bits(bits >> 52 | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0) - offset;
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(ROOT));
    let f = m - 1.0;
    let half_square = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (EVEN[0] + w * (EVEN[1] + w * EVEN[2]));
    let odd = z * (ODD[0] + w * (ODD[1] + w * (ODD[2] + w * ODD[3])));
    let result = s * (half_square + (odd + even)) + k * LN2.1 - half_square + f + k * LN2.0;
    // ln ∞ = ∞, ln 0 = −∞, and what is left has no logarithm.
    let result = if x < f64::INFINITY { result } else { x };
    let result = if x < 0.0 { f64::NAN } else { result };
    if x == 0.0 { f64::NEG_INFINITY } else { result }
}

/// σ(x) = 1 / (1 + e^(−x)), without overflow.
#[inline(always)]
fn sigmoid(x: f64) -> f64 {
    let e = exp(-x.abs());
    let numerator = if x >= 0.0 { 1.0 } else { e };
    numerator / (1.0 + e)
}

/// ⌊x⌋ for 0 ≤ x < 2⁵¹, without an instruction that the baseline lacks.
#[inline(always)]
fn floor(x: f64) -> f64 {
    let near = (x + ROUND) - ROUND;
    if near > x { near - 1.0 } else { near }
}

/// A whole number near half of a whole number.
#[inline(always)]
fn floor_half(k: f64) -> f64 {
    (0.5 * k + ROUND) - ROUND
}

/// 2^k for a whole number of −1022 to 1023.
#[inline(always)]
fn power_of_two(k: f64) -> f64 {
    f64::from_bits(((k + ROUND).to_bits() << 52).wrapping_add(1023 << 52))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
    use crate::math;

    kernel! {
        fn lns(values: &mut [f64]) {
            values.iter_mut().for_each(|value| *value = ln(*value));
        }
    }

    /// Numbers of every size and both signs, the ends of every case, and neighbours of all of them.
    fn numbers() -> Vec<f64> {
        let mut numbers: Vec<f64> = (0..60_000).map(|i| (f64::from(i) - 30_000.0) * 0.025_170_31).collect();
        numbers.extend(
            (0..2047u64)
                .flat_map(|exponent| (0..32).map(move |i| f64::from_bits((exponent << 52) + i * 0x0009_d3f1_2b87_4c55 % (1 << 52)))),
        );
        let ends = [0.0, 1.0, 709.782_712_893_384, 745.133_219_101_941_1, 708.396_418_532_264_1, f64::MIN_POSITIVE, f64::MAX, 5e-324];
        numbers.extend(ends);
        for high in [0x3e30_0000u64, 0x3e30_0001, 0x3fd6_2e42, 0x3fd6_2e43, 0x3ff0_a2b2, 0x3ff0_a2b3, 0x3fe6_a09e, 0x3fe6_a09f, 0x3ff6_a09e]
        {
            numbers.extend([0, 1, 0x7fff_ffff, 0xffff_ffff].map(|low| f64::from_bits(high << 32 | low)));
        }
        // Between whole multiples of ln 2.
        numbers.extend((-3200..3200).map(|i| f64::from(i) * 0.25 * std::f64::consts::LN_2));
        let near = |x: f64| [x, f64::from_bits(x.to_bits().wrapping_add(1)), f64::from_bits(x.to_bits().wrapping_sub(1))];
        let mut all: Vec<f64> = numbers.into_iter().flat_map(near).flat_map(|x| [x, -x]).collect();
        all.extend([f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
        all
    }

    /// Whether two results are the same: bit by bit, or both not a number.
    #[track_caller]
    fn check(name: &str, all: impl Fn(&mut [f64]), one: impl Fn(f64) -> f64) {
        let numbers = numbers();
        for set in Instructions::ALL {
            set.use_at_most();
            let mut got = numbers.clone();
            all(&mut got);
            for (x, got) in numbers.iter().zip(got) {
                let want = one(*x);
                assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{name}({x:e}) = {got:e}, not {want:e}, {set:?}");
            }
        }
    }

    #[test]
    fn every_value_has_the_bits_of_libm() {
        check("exp", |values| exps(values, 0.0), math::exp);
        check("ln", lns, math::ln);
        check("σ", sigmoids, math::sigmoid);
        check("exp(… − 3)", |values| exps(values, 3.0), |x| math::exp(x - 3.0));
        let scores: Vec<f64> = numbers().iter().map(|_| 0.7).collect();
        check("key", |values| gumbel_keys(values, &scores), |u| 0.7 - math::ln(-math::ln(u)));
    }

    #[test]
    fn the_largest_is_found_anywhere() {
        for n in 0..40 {
            for at in 0..n {
                let values: Vec<f64> = (0..n).map(|i| if i == at { 5.0 } else { f64::from(i) - 100.0 }).collect();
                assert_eq!(largest(&values), 5.0);
            }
        }
        assert_eq!((largest(&[]), largest(&[f64::NAN, -3.0])), (f64::NEG_INFINITY, -3.0));
    }
}
