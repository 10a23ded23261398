//! Answers to a check, and the verdict that several of them make.

use crate::report::statistics::Interval;
use crate::report::three;
use serde::Serialize;

/// What a check says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Answer {
    /// It is so.
    Yes,
    /// It is not so.
    No,
    /// The runs do not tell.
    Open,
}

/// What the runs under one reading of the paper say about a claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The reading; empty if readings do not differ here.
    pub reading: String,
    /// The answer.
    pub answer: Answer,
    /// The numbers behind it.
    pub evidence: String,
}

/// What all readings together say about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// Under every reading that was run.
    Holds,
    /// Under no reading that was run.
    DoesNotHold,
    /// Under some, and not under others.
    Depends,
    /// The runs are too few, or their intervals too wide.
    CannotBeTold,
    /// The experiment was not run.
    NotRun,
}

impl Answer {
    /// The answer in a word.
    pub fn words(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Open => "open",
        }
    }

    /// Whether a figure is above a bound.
    pub fn above(interval: Option<Interval>, bound: f64) -> Self {
        match interval {
            Some(interval) if interval.low > bound => Self::Yes,
            Some(interval) if interval.high < bound || (interval.low, interval.high) == (bound, bound) => Self::No,
            _ => Self::Open,
        }
    }

    /// Whether a figure is below a bound. One that is exactly there in every pair is neither above nor below.
    pub fn below(interval: Option<Interval>, bound: f64) -> Self {
        match interval {
            Some(interval) if interval.high < bound => Self::Yes,
            Some(interval) if interval.low > bound || (interval.low, interval.high) == (bound, bound) => Self::No,
            _ => Self::Open,
        }
    }

    /// Whether a figure is between two bounds.
    pub fn between(interval: Option<Interval>, low: f64, high: f64) -> Self {
        Self::above(interval, low).and(Self::below(interval, high))
    }

    /// Yes if both are, no if one is not.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Open,
        }
    }

    /// Whether at least a share of many is so; open while those that are open could decide it.
    pub fn at_least(share: f64, answers: &[Self]) -> Self {
        let (n, yes) = (answers.len() as f64, count(answers, Self::Yes) as f64);
        let possible = yes + count(answers, Self::Open) as f64;
        match n {
            0.0 => Self::Open,
            n if yes >= share * n => Self::Yes,
            n if possible < share * n => Self::No,
            _ => Self::Open,
        }
    }
}

/// How many answers are this one.
pub fn count(answers: &[Answer], wanted: Answer) -> usize {
    answers.iter().filter(|answer| **answer == wanted).count()
}

/// How many answers are of which kind, in words.
pub fn tally(answers: &[Answer], so: &str) -> String {
    let [yes, no, open] = [Answer::Yes, Answer::No, Answer::Open].map(|answer| count(answers, answer));
    let open = if open == 0 { String::new() } else { format!(", {open} open") };
    format!("{so} in {yes} of {} settings, not so in {no}{open}", answers.len())
}

/// A difference with its interval: `−0.018 ± 0.006 (n = 5)`, or why there is none.
pub fn shown(interval: Option<Interval>) -> String {
    match interval {
        Some(interval) => {
            format!("{} ± {} (n\u{a0}=\u{a0}{})", signed(interval.mean), three(interval.half_width()), interval.df.round() as u64 + 1)
        }
        None => "fewer than three pairs".into(),
    }
}

/// A number with its sign: +0.010, −0.010, 0.000.
pub fn signed(value: f64) -> String {
    let text = three(value);
    if value > 0.0 && text != "0.000" { format!("+{text}") } else { text }
}

impl Verdict {
    /// The verdict of all readings.
    pub fn of(findings: &[Finding]) -> Self {
        let answers: Vec<Answer> = findings.iter().map(|finding| finding.answer).collect();
        let [yes, no, open] = [Answer::Yes, Answer::No, Answer::Open].map(|answer| count(&answers, answer));
        match (yes, no, open) {
            (0, 0, 0) => Self::NotRun,
            (1.., 1.., _) => Self::Depends,
            (_, _, 1..) => Self::CannotBeTold,
            (_, 0, 0) => Self::Holds,
            (0, _, 0) => Self::DoesNotHold,
        }
    }

    /// The answers of the readings, where they are not all the same: `literal no, detached yes`.
    pub fn details(findings: &[Finding]) -> Option<String> {
        let differ = findings.iter().any(|finding| finding.answer != findings[0].answer);
        let texts = findings.iter().map(|finding| format!("{} {}", finding.reading, finding.answer.words()));
        differ.then(|| texts.collect::<Vec<_>>().join(", "))
    }

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Depends => "depends on the reading",
            Self::CannotBeTold => "cannot be told from these runs",
            Self::NotRun => "not run",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::statistics::of_mean;
    use Answer::{No, Open, Yes};

    #[test]
    fn an_interval_answers_only_if_it_leaves_out_the_bound() {
        let interval = of_mean(&[1.0, 2.0, 3.0], 0.95); // 2 ± 2.48
        for (bound, above, below) in [(-1.0, Yes, No), (0.0, Open, Open), (2.0, Open, Open), (5.0, No, Yes)] {
            assert_eq!((Answer::above(interval, bound), Answer::below(interval, bound)), (above, below), "{bound}");
        }
        let same = of_mean(&[0.0; 3], 0.95);
        assert_eq!((Answer::above(same, 0.0), Answer::below(same, 0.0)), (No, No), "what is equal is neither above nor below");
        assert_eq!(Answer::between(interval, -1.0, 5.0), Yes);
        assert_eq!(Answer::between(interval, 5.0, 9.0), No);
        assert_eq!(Answer::between(interval, 1.0, 9.0), Open);
        assert_eq!(Answer::above(None, 0.0), Open);
    }

    #[test]
    fn a_share_of_many_is_open_while_the_open_ones_could_decide() {
        for (answers, expect) in [
            (&[Yes, Yes, Yes, No][..], Yes),
            (&[Yes, Yes, No, No], No),
            (&[Yes, Yes, Open, No], Open),
            (&[Yes, Open, No, No], No),
            (&[], Open),
        ] {
            assert_eq!(Answer::at_least(0.75, answers), expect, "{answers:?}");
        }
    }

    #[test]
    fn readings_that_disagree_make_a_verdict_of_its_own() {
        for (answers, expect) in [
            (&[Yes, Yes, Yes][..], Verdict::Holds),
            (&[No, No], Verdict::DoesNotHold),
            (&[Yes, No, Open], Verdict::Depends),
            (&[Yes, Open], Verdict::CannotBeTold),
            (&[No, Open], Verdict::CannotBeTold),
            (&[], Verdict::NotRun),
        ] {
            let findings: Vec<Finding> =
                answers.iter().map(|&answer| Finding { reading: String::new(), answer, evidence: String::new() }).collect();
            assert_eq!(Verdict::of(&findings), expect, "{answers:?}");
        }
    }
}
