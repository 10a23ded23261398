//! Log-normal delays. Most messages draw one, so it is computed by a shorter formula wherever that cannot change the nanosecond.

use crate::instructions::kernel;
use crate::math;
use crate::units::Duration;

/// As many draws as [`log_normals`] takes at once.
pub(super) const N_AT_ONCE: usize = 16;

/// The delays of [`log_normal`] for several quantiles, computed side by side.
pub(super) fn log_normals(seconds: f64, sigma: f64, shift: f64, p: &[f64; N_AT_ONCE], delays: &mut [Duration]) {
    let mut factors = *p;
    usual_factors(&mut factors, sigma, shift);
    for ((delay, factor), p) in delays.iter_mut().zip(factors).zip(p) {
        *delay = rounded(seconds * factor, (1.0 + sigma) * ERROR).unwrap_or_else(|| log_normal(seconds, sigma, shift, *p));
    }
}

/// `seconds · e^(σ z − shift)`, where z is the normal quantile of `p`, rounded to a whole nanosecond.
pub(super) fn log_normal(seconds: f64, sigma: f64, shift: f64, p: f64) -> Duration {
    quantile_nearly(p)
        .map(|z| sigma * z - shift)
        .filter(|x| x.abs() < 700.0)
        .and_then(|x| rounded(seconds * exp_nearly(x), (1.0 + sigma) * ERROR))
        .unwrap_or_else(|| Duration::from_secs_f64(seconds * math::exp(sigma * math::normal_quantile(p) - shift)))
}

kernel! {
    /// Replaces each p by the factor `e^(σ z − shift)`, or by NaN in the tails and for very large or small factors.
    fn usual_factors(p: &mut [f64; N_AT_ONCE], sigma: f64, shift: f64) {
        for p in p {
            let q = *p - 0.5;
            let x = sigma * central(q) - shift;
            let factor = exp_nearly(x);
            *p = if q.abs() <= 0.425 && x.abs() < 700.0 { factor } else { f64::NAN };
        }
    }
}

/// How far [`quantile_nearly`] may be from [`math::normal_quantile`], and [`exp_nearly`] from [`math::exp`] relative to it. Tests find a
/// fiftieth of it.
const ERROR: f64 = 1e-12;

/// Φ⁻¹(p) by Wichura's rational functions (AS 241), which need no correction by erfc. `None` in the far tails, where `math::normal_quantile`
/// loses digits.
fn quantile_nearly(p: f64) -> Option<f64> {
    const C: [f64; 8] = [
        7.745_450_142_783_414e-4,
        2.272_384_498_926_918_4e-2,
        2.417_807_251_774_506e-1,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ];
    const D: [f64; 8] = [
        1.050_750_071_644_416_9e-9,
        5.475_938_084_995_345e-4,
        1.519_866_656_361_645_7e-2,
        1.481_039_764_274_800_8e-1,
        6.897_673_349_851e-1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ];
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return Some(central(q));
    }
    let tail = p.min(1.0 - p);
    let r = (-math::ln(tail)).sqrt() - 1.6;
    let z = || horner(&C, r) / horner(&D, r);
    (tail > 1e-3).then(|| if q < 0.0 { -z() } else { z() })
}

/// Φ⁻¹(½ + q) for |q| ≤ 0.425.
#[inline(always)]
fn central(q: f64) -> f64 {
    const A: [f64; 8] = [
        2.509_080_928_730_122_7e3,
        3.343_057_558_358_813e4,
        6.726_577_092_700_87e4,
        4.592_195_393_154_987e4,
        1.373_169_376_550_946e4,
        1.971_590_950_306_551_3e3,
        1.331_416_678_917_843_8e2,
        3.387_132_872_796_366_5,
    ];
    const B: [f64; 8] = [
        5.226_495_278_852_854e3,
        2.872_908_573_572_194_3e4,
        3.930_789_580_009_271e4,
        2.121_379_430_158_659_7e4,
        5.394_196_021_424_751e3,
        6.871_870_074_920_579e2,
        4.231_333_070_160_091e1,
        1.0,
    ];
    let r = 0.425 * 0.425 - q * q;
    q * horner(&A, r) / horner(&B, r)
}

/// e^x by its series, for |x| < 700.
#[inline(always)]
fn exp_nearly(x: f64) -> f64 {
    const LN2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
    // Adding and subtracting 1.5·2⁵² rounds to the nearest whole number, and leaves that number in the last bits of the sum.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // 1/0!, 1/1!, …, 1/11!
    const TERMS: [f64; 12] = [
        1.0,
        1.0,
        0.5,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
    ];
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2.0) - n * LN2.1;
    // In pairs, which do not wait for each other.
    let pair = |i: usize| TERMS[i] + r * TERMS[i + 1];
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let series = (pair(0) + r2 * pair(2)) + r4 * ((pair(4) + r2 * pair(6)) + r4 * (pair(8) + r2 * pair(10)));
    series * f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52))
}

#[inline(always)]
fn horner(c: &[f64], x: f64) -> f64 {
    c.iter().fold(0.0, |acc, c| acc * x + c)
}

/// A number of seconds to the nanosecond, unless a relative `error` of this number might round it to another one.
fn rounded(seconds: f64, error: f64) -> Option<Duration> {
    let ns = seconds * 1e9;
    let whole = ns as u64;
    let part = ns - whole as f64;
    // Larger numbers have no digits left for a part.
    (ns < 1e15 && (part - 0.5).abs() > ns * error).then(|| Duration::from_ns(whole + u64::from(part > 0.5)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::Instructions;
    use crate::rng::{Purpose, Seed, open_unit};

    #[test]
    fn the_shorter_quantile_is_within_its_error() {
        let draws = (0..400_000).map(|i| Seed(1).uniform(Purpose::Latency, 0, i)).chain([0.075, 0.925, 0.001_001, 0.998_999, 0.5]);
        let mut n_short = 0;
        for (p, z) in draws.filter_map(|p| quantile_nearly(p).map(|z| (p, z))) {
            n_short += 1;
            assert!((z - math::normal_quantile(p)).abs() < ERROR / 50.0, "at {p}");
        }
        assert!(n_short > 398_000, "{n_short}");
        assert_eq!([open_unit(0), 0.000_99, 0.999_01, open_unit(u64::MAX)].map(quantile_nearly), [None; 4]);
    }

    #[test]
    fn the_shorter_exponential_is_within_its_error() {
        for x in (-70_000..70_000).map(|i| f64::from(i) * 0.009_999).chain([0.0, -0.0, 1e-300, 0.5 * std::f64::consts::LN_2]) {
            let (got, want) = (exp_nearly(x), math::exp(x));
            assert!((got / want - 1.0).abs() < ERROR / 50.0, "e^{x} = {got}, not {want}");
        }
    }

    #[test]
    fn a_delay_is_the_formula_to_the_nanosecond() {
        for (seconds, sigma, shift) in
            [(0.08, 0.6, 0.0), (2e-9, 1.0, 0.0), (0.0, 0.5, 0.125), (3.0, 0.0, 0.0), (86_400.0, 3.0, 4.5), (1e300, 10.0, 0.0)]
        {
            for i in 0..3_000 {
                let p: [f64; N_AT_ONCE] = std::array::from_fn(|lane| Seed(2).uniform(Purpose::Latency, i, lane as u64));
                let want = p.map(|p| Duration::from_secs_f64(seconds * math::exp(sigma * math::normal_quantile(p) - shift)));
                assert_eq!(p.map(|p| log_normal(seconds, sigma, shift, p)), want, "{seconds} s, {sigma}, {p:?}");
                for set in Instructions::ALL {
                    set.use_at_most();
                    let mut delays = [Duration::ZERO; N_AT_ONCE];
                    log_normals(seconds, sigma, shift, &p, &mut delays);
                    assert_eq!(delays, want, "{seconds} s, {sigma}, {p:?}, {}", set.name());
                }
            }
        }
    }

    #[test]
    fn what_may_round_either_way_is_not_rounded() {
        let ns = |ns: f64| rounded(ns / 1e9, 1e-12).map(Duration::ns);
        assert_eq!([ns(0.0), ns(7.2), ns(7.8), ns(80_000_000.4)], [Some(0), Some(7), Some(8), Some(80_000_000)]);
        assert_eq!([ns(7.5), ns(80_000_000.499_95), ns(1e12), ns(1e25), ns(f64::NAN)], [None; 5]);
    }
}
