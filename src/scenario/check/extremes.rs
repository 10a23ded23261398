//! Every number of a scenario at its extremes: nothing, too small to matter, too large to compute with, and not a number at all.
//!
//! What is accepted here has a meaning that scenarios/README.md gives: none of it is silently without effect, or overflows.

use crate::scenario::hints::{HINTS, last};
use crate::scenario::parse::tests::GOOD;
use crate::scenario::{Estimate, Scenario};

const EXTREMES: [&str; 7] = ["0", "-0.0", "1e308", "-1e308", "1e-320", "NaN", "inf"];
/// A share or a probability may be as small as it likes.
const PROBABILITY: &[&str] = &["0", "-0.0", "1e-320"];
const FINITE: &[&str] = &["0", "-0.0", "1e308", "-1e308", "1e-320"];
const NOTHING: &[&str] = &[];

const LATENCY: &str = "LogNormal(median: \"80ms\", sigma: 0.6)";
const DEFENSE: &str = "RankGuard(kappa: 4.0)";
const ARRIVALS: &str = "Poisson(every: \"10min\")";
const ONLINE: &str = "Weibull(shape: 0.6, scale: \"2h\")";

/// What of GOOD is replaced, by what (`@` is the number), and the extremes that are accepted.
#[rustfmt::skip]
const FIELDS: &[(&str, &str, &[&str])] = &[
    ("malicious_share: 0.2", "malicious_share: @", NOTHING),
    ("users: Perfect", "users: Custom(click: [@, 0, 0, 0, 1], stop: [0, 0, 0, 0, 0])", PROBABILITY),
    ("users: Perfect", "users: Custom(click: [0, 0, 0, 0, 1], stop: [@, 0, 0, 0, 0])", PROBABILITY),
    ("eta: 0.1", "eta: @", NOTHING),
    ("eta: 0.1", "eta: 0.1, decay: @", NOTHING),
    // κ = 0 gives everybody the same weight, and so does next to nothing.
    ("kappa: 4.0", "kappa: @", PROBABILITY),
    ("kappa: 4.0", "kappa: 4.0, when_undecided: @", PROBABILITY),
    // Two sessions judge at least.
    (DEFENSE, "RankGuardRand(kappa: 4.0, share: @)", &["1e-320"]),
    (DEFENSE, "ZenoPs(zeta: @)", PROBABILITY),
    (DEFENSE, "ZenoPs(gamma: @)", PROBABILITY),
    (DEFENSE, "ZenoPs(e: @)", PROBABILITY),
    // What is not finite is sent, rejected by every rule, and counted in the summary.
    ("attack: Flip", "attack: Lie(z: Value(@))", FINITE),
    ("attack: Flip", "attack: Ipm(form: Step, epsilon: @)", FINITE),
    ("attack: Flip", "attack: Adapt(kappa: @)", NOTHING),
    ("attack: Flip", "attack: Shrink(c: @)", PROBABILITY),
    ("attack: Flip", "attack: Noise(sd: @)", &["0", "-0.0", "1e308", "1e-320"]),
    ("attack: Flip", "attack: Mix([(share: @, attack: Flip), (share: 1.0, attack: Shrink(c: 0.5))])", NOTHING),
    ("loss: 0.001", "attackers: (peer_bias: @)", NOTHING),
    ("loss: 0.001", "regions: Weights([(London, @), (Tokyo, 1.0)])", PROBABILITY),
    (ARRIVALS, "Poisson(every: \"10min\", rates: LogNormal(sigma: @))", PROBABILITY),
    (ARRIVALS, "Poisson(every: \"10min\", rates: Pareto(shape: @))", NOTHING),
    (ARRIVALS, "Poisson(every: \"10min\", rates: Zipf(exponent: @))", PROBABILITY),
    (ARRIVALS, "Poisson(every: \"10min\", sittings: (searches: @, pause: \"30s\"))", NOTHING),
    (ARRIVALS, "Poisson(every: \"10min\", day: (amplitude: @, peak: \"20h\"))", PROBABILITY),
    (ARRIVALS, "Trace(path: \"a.csv\", unit: Seconds, speed: @)", NOTHING),
    (LATENCY, "LogNormal(median: \"80ms\", sigma: @)", PROBABILITY),
    (LATENCY, "Gamma(mean: \"80ms\", shape: @)", NOTHING),
    (LATENCY, "Regions(jitter: LogNormal(sigma: @))", PROBABILITY),
    ("loss: 0.001", "loss: @", PROBABILITY),
    ("loss: 0.001", "duplicates: @", PROBABILITY),
    ("loss: 0.001", "bursts: GilbertElliott(good: \"1s\", bad: \"1s\", loss_in_bad: @)", PROBABILITY),
    ("loss: 0.001", "bandwidth: Limited(upload: \"1Mbit/s\", download: \"1Mbit/s\", spread: @)", PROBABILITY),
    (ONLINE, "Weibull(shape: @, scale: \"2h\")", NOTHING),
    (ONLINE, "LogNormal(median: \"2h\", sigma: @)", PROBABILITY),
    (ONLINE, "Pareto(min: \"2h\", shape: @)", NOTHING),
    ("loss: 0.001", "crowds: [Join(at: \"1h\", share: @)]", NOTHING),
    ("loss: 0.001", "crowds: [Leave(at: \"1h\", share: @)]", NOTHING),
    ("loss: 0.001", "faults: [(at: \"1h\", what: Crash(who: Random(@)))]", NOTHING),
    ("loss: 0.001", "faults: [(at: \"1h\", what: Partition(Shares([@])))]", NOTHING),
    ("loss: 0.001", "faults: [(at: \"1h\", what: Slow(times: @, lasts: \"1h\"))]", NOTHING),
    ("loss: 0.001", "loss: 0.001, faults: [(at: \"1h\", what: Lossy(times: @, lasts: \"1h\"))]", NOTHING),
    // A summary counts what was rejected; no weight is beyond 1e308.
    ("loss: 0.001", "weight_limit: @", &["1e308", "1e-320", "inf"]),
];

#[test]
fn numbers_at_their_extremes_are_refused_in_few_words_or_meant() {
    for (part, by, accepted) in FIELDS {
        assert!(GOOD.contains(part), "{part}");
        for extreme in EXTREMES {
            let text = GOOD.replace(part, &by.replace('@', extreme));
            let outcome = Scenario::parse(&text, "x.ron");
            assert_eq!(outcome.is_ok(), accepted.contains(&extreme), "{by} with {extreme}: {outcome:?}");
            match outcome {
                Ok(scenario) => {
                    let (canonical, estimate) = (scenario.canonical(), Estimate::of(&scenario, None).to_string());
                    assert!(
                        canonical.lines().all(|line| line.len() < 400) && !canonical.contains("-0.0,") && !canonical.contains("-0.0)"),
                        "{canonical}"
                    );
                    assert!(!estimate.contains("NaN") && !estimate.contains("inf "), "{by} with {extreme}:\n{estimate}");
                }
                Err(error) => {
                    let (message, line) = (error.to_string(), GOOD.lines().position(|line| line.contains(part)).expect("it is there") + 1);
                    assert!(message.len() < 700 && message.starts_with(&format!("x.ron:{line}:")), "{by} with {extreme}: {message}");
                }
            }
        }
    }
}

#[test]
fn every_number_with_a_point_is_tried_at_its_extremes() {
    let is_number = |example: &str| example.contains(['.', 'e']) && example.parse::<f64>().is_ok();
    for hint in HINTS.iter().filter(|hint| is_number(hint.example)) {
        let written = format!("{}: @", last(hint.path));
        assert!(FIELDS.iter().any(|(_, by, _)| by.contains(&written)), "{} is not tried", hint.path);
    }
}
