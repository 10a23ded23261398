//! Properties of the program's speed that hold on every machine, because they compare two times of one run.

use super::desk::SHAPES;
use super::{Effort, Fastest, evaluation, judge, recording, threads};
use crate::error::Result;

/// A property, and whether it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The property, with the measured figure.
    pub text: String,
    /// Whether it holds; `None` if it could not be measured.
    pub holds: Option<bool>,
}

impl Check {
    fn at_most(what: &str, value: f64, limit: f64) -> Self {
        Self { text: format!("{what}: {value:.2}, at most {limit}"), holds: Some(value <= limit) }
    }

    fn at_least(what: &str, value: f64, limit: f64) -> Self {
        Self { text: format!("{what}: {value:.2}, at least {limit}"), holds: Some(value >= limit) }
    }

    /// The property with its outcome.
    pub fn show(&self) -> String {
        let outcome = match self.holds {
            Some(true) => "holds",
            Some(false) => "FAILS",
            None => "skipped",
        };
        format!("  {outcome:8}{}", self.text)
    }
}

/// Two threads must do this many times as much as one for a machine to count as quiet.
pub(super) const QUIET: f64 = 1.85;

/// Measures all properties.
///
/// # Errors
/// Fails if a run fails.
pub fn checks() -> Result<Vec<Check>> {
    Ok(vec![models_at_once(), evaluation(), recording()?, two_threads()?])
}

/// A model must not cost more because more models wait. 1.15 leaves room for noise.
fn models_at_once() -> Check {
    let mut meter = Fastest::new(Effort::Full);
    judge::measure_widths(&[4, 8, 4, 8, 4, 8], Effort::Full, &mut meter);
    let rows = meter.take();
    let fastest = |waiting| rows.iter().filter(|row| row.size("waiting") == Some(waiting)).map(|row| row.seconds).fold(f64::MAX, f64::min);
    Check::at_most("the time to judge one of 8 models at once, in times of one of 4", fastest(8) / fastest(4), 1.15)
}

fn evaluation() -> Check {
    let mut meter = Fastest::new(Effort::Full);
    evaluation::measure_linear(SHAPES[1], Effort::Full, &mut meter);
    Check::at_most("an evaluation of linear models at d = 136, in times of its bare product", meter.rows()[0].ratio, 2.2)
}

/// Recording should add at most a tenth. 1.15 leaves room for noise.
fn recording() -> Result<Check> {
    let what = "the paper's setting with all tables, in times of the same run without any";
    if_quiet(what, |meter| recording::measure_run(Effort::Full, meter), |ratio| Check::at_most(what, ratio, 1.15))
}

fn two_threads() -> Result<Check> {
    let what = "10,000 nodes on two threads, in speeds of one";
    if_quiet(what, |meter| threads::measure_many_nodes(Effort::Full, meter), |ratio| Check::at_least(what, 1.0 / ratio, 1.4))
}

/// Judges the ratio of whole runs. Other load on the machine changes it, and takes from two threads more than from one, so a busy machine is
/// not judged.
fn if_quiet(what: &str, measure: impl FnOnce(&mut Fastest) -> Result<()>, judge: impl FnOnce(f64) -> Check) -> Result<Check> {
    let mut meter = Fastest::new(Effort::Full);
    let before = threads::quietness();
    if before >= QUIET {
        measure(&mut meter)?;
    }
    let quietness = before.min(threads::quietness());
    match meter.rows().first().filter(|_| quietness >= QUIET) {
        Some(row) => Ok(judge(row.ratio)),
        None => Ok(Check { text: format!("{what}: two threads that only compute reach {quietness:.2}, below {QUIET}"), holds: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(check: Check, expect: &str) {
        assert_eq!(check.show(), expect);
    }

    #[test]
    fn outcomes_are_told() {
        check(Check::at_most("a", 1.1, 1.15), "  holds   a: 1.10, at most 1.15");
        check(Check::at_most("a", 1.2, 1.15), "  FAILS   a: 1.20, at most 1.15");
        check(Check::at_least("a", 1.39, 1.4), "  FAILS   a: 1.39, at least 1.4");
        check(Check { text: "a".into(), holds: None }, "  skipped a");
    }
}
