//! Checks when models are evaluated.

use super::Problems;
use crate::scenario::Scenario;
use crate::units::Extent;
use std::mem::discriminant;

/// The last evaluations are counted back from the end, so the end and both intervals must be in the same unit.
pub fn check(scenario: &Scenario, p: &mut Problems) {
    let Some(last) = scenario.evaluate.last else { return };
    for (field, extent) in [("stop", scenario.stop), ("evaluate_every", scenario.evaluate_every)] {
        p.refuse_if(discriminant(&extent) != discriminant(&last.every), || {
            format!(
                "evaluate.last.every is in {}, but {field} is in {}; give stop, evaluate_every and evaluate.last.every in the same unit",
                unit(last.every),
                unit(extent)
            )
        });
    }
}

fn unit(extent: Extent) -> &'static str {
    match extent {
        Extent::Sessions(_) => "searches",
        Extent::Time(_) => "virtual time",
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{accept, message, refuse};

    const PLACE: &str = "evaluate_every: Sessions(100)";

    fn last(evaluate_every: &str, last: &str) -> String {
        format!("evaluate_every: {evaluate_every}, evaluate: (last: {last})")
    }

    #[test]
    fn the_last_evaluations_are_counted_like_the_run() {
        // The run is a day long.
        accept(PLACE, &last("Time(\"1h\")", "(evaluations: 10, every: Time(\"5min\"))"));
        accept(PLACE, &last("Time(\"1h\")", "(evaluations: 1000000, every: Time(\"5min\"))"));
        let message = message(PLACE, &last("Sessions(100)", "(evaluations: 10, every: Sessions(10))"));
        assert_eq!(
            message,
            "x.ron:8:78: evaluate.last.every is in searches, but stop is in virtual time; \
             give stop, evaluate_every and evaluate.last.every in the same unit"
        );
        refuse(
            PLACE,
            &last("Sessions(100)", "(evaluations: 10, every: Time(\"5min\"))"),
            "evaluate.last.every is in virtual time, but evaluate_every is in searches",
        );
        refuse(
            PLACE,
            &last("Time(\"1h\")", "(evaluations: 0, every: Time(\"5min\"))"),
            "evaluate.last.evaluations is 0; it must be between 1",
        );
    }

    #[test]
    fn a_sample_is_not_empty() {
        refuse(PLACE, "evaluate_every: Sessions(100), evaluate: (nodes: Sample(0))", "evaluate.nodes is Sample(0); it must be at least 1");
        accept(PLACE, "evaluate_every: Sessions(100), evaluate: (nodes: Sample(1000000), queries: Sample(1))");
    }
}
