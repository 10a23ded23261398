//! Checks when users search.

use super::Problems;
use crate::network::{Arrivals, Sittings};
use crate::scenario::Scenario;
use crate::units::{Duration, Extent};

pub fn check(scenario: &Scenario, p: &mut Problems) {
    match &scenario.arrivals {
        Arrivals::RoundRobin { period } => {
            let nodes = u64::from(scenario.nodes).max(1);
            let must_be = format!("at least {}, so that {} turns of 1ns fit in", Duration::from_ns(nodes), scenario.nodes);
            p.require(period.ns() >= nodes, "arrivals.period", period, &must_be);
        }
        Arrivals::Poisson { every, sittings: Some(Sittings { pause, .. }), .. } => {
            let must_be = format!("below arrivals.every, {every}: a sitting is searches in close succession");
            p.require(pause < every || *every == Duration::ZERO, "arrivals.sittings.pause", pause, &must_be);
        }
        Arrivals::Poisson { sittings: None, .. } => {}
        Arrivals::Trace { .. } => {
            let may_starve = scenario.arrivals.may_end() && matches!(scenario.stop, Extent::Sessions(_));
            p.refuse_if(may_starve, || {
                format!("stop is {}, but a log of searches may end before; stop by Time, or give arrivals.repeat", scenario.stop)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Unit;
    use crate::scenario::parse::tests::{accept, good, refuse};

    const ARRIVALS: &str = "Poisson(every: \"10min\")";

    #[test]
    fn arrivals_take_time() {
        refuse(ARRIVALS, "Poisson(every: \"0s\")", "arrivals.every is 0s; it must be above 0");
        refuse(ARRIVALS, "RoundRobin(period: \"0s\")", "arrivals.period is 0s; it must be at least 100ns");
        refuse(ARRIVALS, "RoundRobin(period: \"99ns\")", "arrivals.period is 99ns; it must be at least 100ns");
        accept(ARRIVALS, "RoundRobin(period: \"100s\")");
    }

    #[track_caller]
    fn refuse_poisson(more: &str, expect: &str) {
        refuse(ARRIVALS, &format!("Poisson(every: \"10min\", {more})"), expect);
    }

    #[test]
    fn users_differ_within_bounds() {
        refuse_poisson("rates: LogNormal(sigma: -1.0)", "arrivals.rates.sigma is -1; it must be between 0 and 10");
        refuse_poisson(
            "rates: Pareto(shape: 1.0)",
            "arrivals.rates.shape is 1; it must be above 1 and at most 100; at 1 and below there is no mean",
        );
        refuse_poisson("rates: Zipf(exponent: NaN)", "arrivals.rates.exponent is NaN; it must be between 0 and 10");
        accept(ARRIVALS, "Poisson(every: \"10min\", rates: Pareto(shape: 1.2))");
    }

    #[test]
    fn sittings_are_short() {
        refuse_poisson("sittings: (searches: 0.5, pause: \"30s\")", "arrivals.sittings.searches is 0.5; it must be between 1 and");
        refuse_poisson("sittings: (searches: 4.0, pause: \"0s\")", "arrivals.sittings.pause is 0s; it must be above 0");
        refuse_poisson("sittings: (searches: 4.0, pause: \"10min\")", "arrivals.sittings.pause is 10min; it must be below arrivals.every");
        refuse_poisson("sittings: (searches: 4.0)", "missing field `pause`: the mean pause between two searches of a sitting");
    }

    #[test]
    fn days_have_hours() {
        refuse_poisson("day: (amplitude: 1.1, peak: \"20h\")", "arrivals.day.amplitude is 1.1; it must be between 0 and 1");
        refuse_poisson("day: (amplitude: 0.5, peak: \"24h\")", "arrivals.day.peak is 1d; it must be below 1d; it is a time of day");
        refuse_poisson("day: (amplitude: 0.5, peak: \"20h\", zones: ByRegions)", "did you mean `ByRegion`?");
    }

    #[test]
    fn logs_have_a_pace_and_an_end() {
        let refuse = |more: &str, expect: &str| refuse(ARRIVALS, &format!("Trace(unit: Seconds, {more})"), expect);
        refuse("path: \"\"", "arrivals.path is \"\"; it must be the name of a file");
        refuse("path: \"a.csv\", begin: inf", "arrivals.begin is inf; it must be a finite number; it is a time of the log");
        refuse("path: \"a.csv\", speed: 0.0", "arrivals.speed is 0; it must be between 1e-9 and 1e9");
        refuse("path: \"a.csv\", repeat: \"0s\"", "arrivals.repeat is 0s; it must be above 0");
        accept(ARRIVALS, "Trace(path: \"a.csv\", unit: Seconds)");
        let log = |repeat| Arrivals::Trace { path: "a.csv".into(), unit: Unit::Seconds, begin: 0.0, speed: 1.0, repeat };
        let check = |repeat| Scenario { stop: Extent::Sessions(9), arrivals: log(repeat), ..good() }.check();
        let message = check(None).expect_err("it may end before").to_string();
        assert!(message.contains("stop is 9 sessions, but a log of searches may end before; stop by Time"), "{message}");
        assert_eq!(check(Some(Duration::from_secs(60))), Ok(()));
    }
}
