//! Values of the statistics as one JSON document, for another program to check: `.ci/statistics` gives SciPy this file.
//!
//! `RANKGUARD_STATISTICS=FILE cargo test --release --test integration statistics_table` writes it.

use rankguard::report::statistics::{Interval, cdf, holm, paired, quantile, two_sided, welch};
use rankguard::rng::{Purpose, Seed, uniform};
use serde_json::{Value, json};

/// Degrees of freedom from 1 to 10⁶, whole and fractional.
fn degrees() -> Vec<f64> {
    let small = (0..40).map(|i| 1.0 + 0.5 * f64::from(i));
    small.chain([29.0, 57.3, 99.0, 100.5, 333.0, 1e3, 4_321.5, 1e4, 99_999.0, 314_159.0, 1e6]).collect()
}

fn quantiles() -> Vec<Value> {
    let tails = [1.1e-6, 1e-5, 1e-4, 0.0005, 0.005, 0.025, 0.05, 0.1, 0.2, 0.249, 0.251, 0.3, 0.4, 0.49, 0.499];
    let p: Vec<f64> = tails.iter().copied().chain(tails.iter().map(|tail| 1.0 - tail)).collect();
    degrees().into_iter().flat_map(|df| p.iter().map(move |p| json!([df, p, quantile(*p, df)])).collect::<Vec<_>>()).collect()
}

fn tails() -> Vec<Value> {
    let t = [-40.0, -3.0, -1.5, -0.1, 0.0, 0.7, 1.9, 2.5, 12.0, 300.0];
    degrees().into_iter().flat_map(|df| t.map(|t| json!([df, t, cdf(t, df), two_sided(t, df)]))).collect()
}

fn samples() -> Vec<Value> {
    let shown = |interval: Option<Interval>| {
        let Interval { mean, low, high, df, t, p, .. } = interval.expect("there are values");
        json!({ "mean": mean, "low": low, "high": high, "df": df, "t": t, "p": p })
    };
    let sample = |nth: u64| {
        let mut rng = Seed(nth).rng(Purpose::Noise, 0, 0);
        let pairs: Vec<(f64, f64)> = (0..3 + nth).map(|_| (uniform(&mut rng), 0.2 + 0.5 * uniform(&mut rng))).collect();
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let level = [0.8, 0.95, 0.999][nth as usize % 3];
        // The unpaired side has fewer values, so that both numbers matter.
        let fewer = &second[..second.len() - 1];
        json!({ "first": first, "second": second, "level": level, "paired": shown(paired(&pairs, level)), "welch": shown(welch(&first, fewer, level)) })
    };
    (0..30).map(sample).collect()
}

fn adjusted() -> Vec<Value> {
    let set = |nth: u64| {
        let mut rng = Seed(nth).rng(Purpose::Noise, 1, 0);
        let p: Vec<f64> = (0..nth).map(|_| uniform(&mut rng) * uniform(&mut rng) * uniform(&mut rng)).collect();
        json!({ "p": p, "holm": holm(&p) })
    };
    (1..20).map(set).collect()
}

#[test]
fn statistics_are_finite_and_can_be_written_for_others() {
    let all = json!({ "quantiles": quantiles(), "tails": tails(), "samples": samples(), "holm": adjusted() });
    let text = all.to_string();
    assert!(!text.contains("null"), "JSON has no number for NaN and ∞: {text}");
    if let Some(file) = std::env::var_os("RANKGUARD_STATISTICS") {
        std::fs::write(file, text).expect("the file is writable");
    }
}
