//! The end of a run, over which its figures are averaged.

use crate::record::CurveRow;
use crate::units::Extent;
use std::fmt;
use std::str::FromStr;

/// The end of a run: a share of it, or a number of evaluations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Last {
    /// A share of the run, 0 to 0.5.
    Share(f64),
    /// The last evaluations.
    Evaluations(usize),
}

/// Evaluations before this share belong to a run that is still learning.
const MOST: f64 = 0.5;

impl Last {
    /// The evaluations at the end of `curve`, whose run was to end after `stop`. A share takes every evaluation in the last part of the run's
    /// sessions or time, and at least the last one.
    ///
    /// # Errors
    /// The curve has too few evaluations, or they would reach into the first half of the run.
    pub fn of(self, curve: &[CurveRow], stop: Extent) -> Result<&[CurveRow], String> {
        let Some(last) = curve.last() else { return Err("holds no evaluations".into()) };
        let done = |point: &CurveRow| match stop {
            Extent::Sessions(_) => point.sessions as f64,
            Extent::Time(_) => point.at_ns as f64,
        };
        // The share is enlarged a little, so that an evaluation exactly at 97 % belongs to the last 3 %.
        let within = |share: f64| move |point: &CurveRow| done(last) - done(point) <= share * done(last) * (1.0 + 1e-9);
        match self {
            Last::Share(share) => {
                let from = curve.iter().position(within(share)).unwrap_or(curve.len() - 1);
                Ok(&curve[from..])
            }
            Last::Evaluations(n) => match curve.len().checked_sub(n).map(|from| &curve[from..]) {
                Some(end) if end.first().is_some_and(within(MOST)) => Ok(end),
                _ => Err(format!(
                    "has {} recorded evaluations, the last {n} of which would reach into the first half of the run; choose a share of the run, such as 3%",
                    curve.len()
                )),
            },
        }
    }
}

/// The last 10 of 300 rounds, as in the paper.
impl Default for Last {
    fn default() -> Self {
        Last::Share(0.03)
    }
}

impl FromStr for Last {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || String::from("write a share of the run up to 50%, such as 3%, or a number of evaluations, such as 10");
        match text.trim().strip_suffix('%') {
            Some(percent) => {
                let share = percent.trim().parse::<f64>().map_err(|_| wrong())? / 100.0;
                if share > 0.0 && share <= MOST { Ok(Last::Share(share)) } else { Err(wrong()) }
            }
            None => text.trim().parse().ok().filter(|n| *n > 0).map(Last::Evaluations).ok_or_else(wrong),
        }
    }
}

impl fmt::Display for Last {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Last::Share(share) => write!(f, "the last {} % of each run", (share * 1e4).round() / 100.0),
            Last::Evaluations(1) => write!(f, "the last evaluation of each run"),
            Last::Evaluations(n) => write!(f, "the last {n} evaluations of each run"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::Sample;
    use crate::units::Duration;

    /// A run with `n` evaluations, equally far apart, and how many of them are averaged.
    #[track_caller]
    fn check(n: i32, last: &str, expect: Result<usize, &str>) {
        let point = |evaluation| CurveRow {
            evaluation,
            at_ns: 7 * i64::from(evaluation),
            sessions: 100 * i64::from(evaluation),
            ..CurveRow::sample(&mut || 7)
        };
        let curve: Vec<CurveRow> = (0..n).map(point).collect();
        let last: Last = last.parse().expect("it is right");
        for stop in [Extent::Sessions(1), Extent::Time(Duration::from_secs(1))] {
            match (last.of(&curve, stop), expect) {
                (Ok(end), Ok(expect)) => assert_eq!((end.len(), end.last()), (expect, curve.last()), "{n} evaluations"),
                (Err(message), Err(expect)) => assert!(message.contains(expect), "{message}"),
                (got, _) => panic!("{n} evaluations: {got:?}"),
            }
        }
    }

    #[test]
    fn the_last_share_of_a_run_is_averaged_however_many_evaluations_it_has() {
        check(301, "3%", Ok(10));
        check(11, "3%", Ok(1));
        check(11, "10%", Ok(2));
        check(1, "3%", Ok(1));
        check(101, "50%", Ok(51));
        check(2, "3 %", Ok(1));
    }

    #[test]
    fn a_number_of_evaluations_stays_in_the_second_half() {
        check(301, "10", Ok(10));
        check(11, "6", Ok(6));
        check(11, "10", Err("has 11 recorded evaluations, the last 10 of which would reach into the first half"));
        check(1, "1", Ok(1));
        check(1, "2", Err("has 1 recorded"));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["0", "0%", "-1", "51%", "NaN%", "x", "", "%", "1.5"] {
            assert!(text.parse::<Last>().is_err(), "{text}");
        }
        assert_eq!("3%".parse::<Last>().map(|last| last.to_string()), Ok("the last 3 % of each run".into()));
    }
}
