//! What runs are compared by: one figure per run, at a moment or over its end.

use super::last::Last;
use super::setting::Run;
use crate::error::{Error, Result};
use crate::math;
use crate::record::{CurveRow, SearchRow};
use crate::units::{Duration, Extent, size};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// One figure of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Metric {
    /// Mean nDCG of honest nodes on the test queries.
    Ndcg,
    /// Mean nDCG of the worst 5 % of honest nodes.
    Worst5,
    /// Mean nDCG of the lists that honest users saw.
    Online,
    /// How much of honest models malicious nodes put in.
    Exposure,
    /// Which way that works.
    Pull,
    /// How well α tells honest from malicious senders.
    Auc,
    /// Mean α of honest senders.
    AlphaHonest,
    /// Mean α of malicious senders.
    AlphaMalicious,
    /// Share of sent messages that were delivered.
    Delivered,
    /// Share of nodes that are online.
    Present,
    /// Bytes that nodes sent.
    Bytes,
    /// Virtual time until the mean nDCG of honest nodes reaches a value.
    TimeTo(f64),
}

/// Names of the metrics on the command line, with their meanings.
const NAMES: [(&str, Metric, &str); 11] = [
    ("ndcg", Metric::Ndcg, "mean nDCG of honest nodes"),
    ("worst5", Metric::Worst5, "mean nDCG of the worst 5 % of honest nodes"),
    ("online", Metric::Online, "mean nDCG of the lists that honest users saw"),
    ("exposure", Metric::Exposure, "share of honest models that malicious nodes put in"),
    ("pull", Metric::Pull, "pull of malicious content on honest models"),
    ("auc", Metric::Auc, "AUC of α for honest against malicious senders"),
    ("alpha-honest", Metric::AlphaHonest, "mean α of honest senders"),
    ("alpha-malicious", Metric::AlphaMalicious, "mean α of malicious senders"),
    ("delivered", Metric::Delivered, "share of messages delivered"),
    ("present", Metric::Present, "share of nodes online"),
    ("bytes", Metric::Bytes, "bytes sent"),
];

/// When a figure is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moment {
    /// At the last evaluation.
    End,
    /// Averaged over the end of the run.
    Last(Last),
    /// At the last evaluation up to this virtual time.
    Time(Duration),
    /// At the last evaluation up to this many searches of the whole network.
    Sessions(u64),
}

impl Metric {
    /// The figure in words, with the cutoff of nDCG left out.
    pub fn words(self) -> String {
        match self {
            Metric::TimeTo(level) => format!("virtual time until the mean nDCG of honest nodes reaches {level}"),
            _ => NAMES.iter().find(|(_, metric, _)| *metric == self).map_or(String::new(), |(_, _, words)| words.to_string()),
        }
    }

    /// Whether a larger figure is the better one; `None` if neither is.
    pub fn larger_is_better(self) -> Option<bool> {
        match self {
            Metric::Ndcg | Metric::Worst5 | Metric::Online | Metric::Auc | Metric::Delivered | Metric::Pull => Some(true),
            Metric::Exposure | Metric::AlphaMalicious | Metric::Bytes | Metric::TimeTo(_) => Some(false),
            Metric::AlphaHonest | Metric::Present => None,
        }
    }

    /// The figure of a run; `None` if the run has none, because nothing was received or a level was never reached.
    ///
    /// # Errors
    /// The run did not record what the figure needs, or has no such moment.
    pub fn of(self, run: &Run, moment: Moment) -> Result<Option<f64>> {
        let (curve, place) = (run.curve()?, run.place.display());
        let window = moment.window(&curve, run.scenario.stop).map_err(|problem| Error::input(format!("{place}: {problem}")))?;
        match self {
            Metric::Online => online(run, &curve, window, moment),
            _ => Ok(self.of_curve(&curve, window, run.row.message_bytes, run.row.n_nodes)),
        }
    }

    fn of_curve(self, curve: &[CurveRow], window: &[CurveRow], message_bytes: i64, n_nodes: i32) -> Option<f64> {
        let last = window.last()?;
        let mean = |value: fn(&CurveRow) -> Option<f64>| {
            let values: Vec<f64> = window.iter().filter_map(value).collect();
            (!values.is_empty()).then(|| math::mean_sd(&values).0)
        };
        match self {
            Metric::Ndcg => mean(|point| Some(point.ndcg_mean)),
            Metric::Worst5 => mean(|point| Some(point.ndcg_worst5)),
            Metric::Exposure => mean(|point| point.exposure),
            Metric::Pull => mean(|point| point.pull),
            Metric::Auc => mean(|point| point.auc),
            Metric::AlphaHonest => mean(|point| point.alpha_honest),
            Metric::AlphaMalicious => mean(|point| point.alpha_malicious),
            Metric::Delivered => (last.sent > 0).then(|| last.delivered as f64 / last.sent as f64),
            Metric::Present => mean(|point| Some(f64::from(point.online_nodes))).map(|online| online / f64::from(n_nodes)),
            Metric::Bytes => Some(last.sent as f64 * message_bytes as f64),
            Metric::TimeTo(level) => {
                let up_to = curve.iter().take_while(|point| point.evaluation <= last.evaluation);
                up_to.into_iter().find(|point| point.ndcg_mean >= level).map(|point| point.at_ns as f64 / 1e9)
            }
            Metric::Online => None,
        }
    }

    /// A figure for people: three digits, bytes, or a length of time.
    pub fn show(self, value: f64) -> String {
        match self {
            Metric::Bytes => format!("{}{}", if value < 0.0 { "-" } else { "" }, size(value)),
            Metric::TimeTo(_) => format!("{}{}", if value < 0.0 { "-" } else { "" }, Duration::from_secs(value.abs().round() as u64)),
            _ => format!("{value:.3}"),
        }
    }
}

/// Mean nDCG of what honest users saw: up to a moment, or since the evaluation before the end of the run over which is averaged.
fn online(run: &Run, curve: &[CurveRow], window: &[CurveRow], moment: Moment) -> Result<Option<f64>> {
    let (Some(first), Some(last)) = (window.first(), window.last()) else { return Ok(None) };
    let before = curve.iter().rev().find(|point| point.evaluation < first.evaluation);
    let from = before.filter(|_| matches!(moment, Moment::Last(_))).map_or(i64::MIN, |point| point.step);
    let searches = run.table::<SearchRow>()?;
    let (mut sum, mut n) = (0.0, 0_u64);
    for row in searches.rows()? {
        let row = row?;
        if row.step > from && row.step <= last.step && !row.malicious && row.query >= 0 {
            sum += row.ndcg;
            n += 1;
        }
    }
    Ok((n > 0).then(|| sum / n as f64))
}

impl Moment {
    /// The evaluations that a figure of this moment is taken from; at least one.
    pub(super) fn window(self, curve: &[CurveRow], stop: Extent) -> std::result::Result<&[CurveRow], String> {
        let up_to = |is_within: &dyn Fn(&CurveRow) -> bool, what: String| {
            let n = curve.iter().take_while(|point| is_within(point)).count();
            match n {
                0 => Err(format!("has no evaluation up to {what}")),
                n if n == curve.len() && curve.last().is_some_and(|last| !ends_at(last, self)) => {
                    Err(format!("ended before {what}; choose an earlier moment, or --at end"))
                }
                n => Ok(&curve[n - 1..n]),
            }
        };
        match self {
            Moment::End => Last::Evaluations(1).of(curve, stop),
            Moment::Last(last) => last.of(curve, stop),
            Moment::Time(time) => up_to(&|point| point.at_ns as u64 <= time.ns(), format!("{time} of virtual time")),
            Moment::Sessions(sessions) => up_to(&|point| point.sessions as u64 <= sessions, format!("{sessions} sessions")),
        }
    }
}

/// Whether a run whose last evaluation is `last` reached the moment.
fn ends_at(last: &CurveRow, moment: Moment) -> bool {
    match moment {
        Moment::Time(time) => last.at_ns as u64 >= time.ns(),
        Moment::Sessions(sessions) => last.sessions as u64 >= sessions,
        Moment::End | Moment::Last(_) => true,
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::TimeTo(level) => write!(f, "time-to:{level}"),
            _ => f.write_str(NAMES.iter().find(|(_, metric, _)| metric == self).map_or("", |(name, _, _)| *name)),
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Metric {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if let Some(level) = text.strip_prefix("time-to:") {
            let level = level.parse::<f64>().ok().filter(|level| *level > 0.0 && *level <= 1.0);
            return level.map(Metric::TimeTo).ok_or_else(|| "write an nDCG between 0 and 1, such as time-to:0.5".into());
        }
        let known = || NAMES.map(|(name, _, _)| name).join(", ");
        let found = NAMES.iter().find(|(name, _, _)| *name == text).map(|(_, metric, _)| *metric);
        found.ok_or_else(|| format!("choose one of {}, time-to:0.5", known()))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::End => f.write_str("at the last evaluation"),
            Moment::Last(last) => write!(f, "over {last}"),
            Moment::Time(time) => write!(f, "at {time} of virtual time"),
            Moment::Sessions(sessions) => write!(f, "after {sessions} sessions"),
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = |_| "write end, last:10 (evaluations), last:3%, sessions:5000, or a virtual time such as 6h".to_string();
        match text.split_once(':') {
            None if text == "end" => Ok(Moment::End),
            None => text.parse().map(Moment::Time).map_err(|_| wrong(())),
            Some(("last", last)) => last.parse().map(Moment::Last),
            Some(("sessions", n)) => n.parse().map(Moment::Sessions).map_err(|_| wrong(())),
            Some(("time", time)) => time.parse().map(Moment::Time).map_err(|_| wrong(())),
            Some(_) => Err(wrong(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::samples::Sample;

    /// Eleven evaluations, an hour and 100 searches apart; nDCG rises by 0.05 from 0.1.
    fn curve() -> Vec<CurveRow> {
        let point = |evaluation: i32| CurveRow {
            evaluation,
            at_ns: 3_600_000_000_000 * i64::from(evaluation),
            sessions: 100 * i64::from(evaluation),
            ndcg_mean: 0.1 + 0.05 * f64::from(evaluation),
            alpha_honest: (evaluation > 9).then_some(0.25),
            auc: None,
            sent: 1_000 * i64::from(evaluation),
            delivered: 250 * i64::from(evaluation),
            online_nodes: 30,
            ..CurveRow::sample(&mut || 7)
        };
        (0..11).map(point).collect()
    }

    #[track_caller]
    fn check(metric: &str, moment: &str, expect: Option<f64>) {
        let (metric, moment): (Metric, Moment) = (metric.parse().expect("a metric"), moment.parse().expect("a moment"));
        let curve = curve();
        let window = moment.window(&curve, Extent::Sessions(1_000)).expect("there is such a moment");
        match (metric.of_curve(&curve, window, 64, 40), expect) {
            (Some(value), Some(expect)) => assert!((value - expect).abs() < 1e-12, "{metric} {moment}: {value} is not {expect}"),
            (value, expect) => assert_eq!(value, expect, "{metric} {moment}"),
        }
    }

    #[test]
    fn figures_are_taken_at_a_moment_or_averaged() {
        check("ndcg", "end", Some(0.6));
        check("ndcg", "last:3", Some(0.55));
        check("ndcg", "last:10%", Some(0.575));
        check("ndcg", "5h", Some(0.35));
        check("ndcg", "time:5.5h", Some(0.35));
        check("ndcg", "sessions:250", Some(0.2));
        check("alpha-honest", "last:3", Some(0.25));
        check("alpha-honest", "5h", None);
        check("auc", "end", None);
        check("delivered", "end", Some(0.25));
        check("present", "end", Some(0.75));
        check("bytes", "5h", Some(320_000.0));
    }

    #[test]
    fn a_level_is_reached_at_the_first_evaluation_that_has_it() {
        check("time-to:0.3", "end", Some(4.0 * 3600.0));
        check("time-to:0.3", "3h", None);
        check("time-to:0.99", "end", None);
    }

    #[test]
    fn a_moment_that_is_not_there_is_refused() {
        let (curve, stop) = (curve(), Extent::Sessions(1_000));
        for (moment, says) in [("11h", "ended before 11h of virtual time"), ("sessions:1001", "ended before 1001 sessions")] {
            let problem = moment.parse::<Moment>().expect("a moment").window(&curve, stop).expect_err("it is refused");
            assert!(problem.contains(says), "{problem}");
        }
        let problem = Moment::Sessions(0).window(&curve[1..], stop).expect_err("it is refused");
        assert!(problem.contains("has no evaluation up to 0 sessions"), "{problem}");
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for (name, metric, _) in NAMES {
            assert_eq!((metric.to_string().as_str(), name.parse()), (name, Ok(metric)));
        }
        assert_eq!("time-to:0.5".parse::<Metric>().map(|metric| metric.to_string()), Ok("time-to:0.5".into()));
        for wrong in ["", "nDCG", "time-to", "time-to:", "time-to:0", "time-to:1.5", "time-to:NaN"] {
            assert!(wrong.parse::<Metric>().is_err(), "{wrong}");
        }
        for wrong in ["", "last", "last:0", "ended", "sessions:-1", "6"] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn figures_have_units() {
        for (metric, value, text) in
            [(Metric::Ndcg, 0.5, "0.500"), (Metric::Bytes, -1_536.0, "-1.54 kB"), (Metric::TimeTo(0.5), 5400.0, "90min")]
        {
            assert_eq!(metric.show(value), text);
        }
    }
}
