//! The seeds of a sweep, and how large its tasks are to be.

use super::manifest::TaskSize;
use super::source::Source;
use crate::error::Result;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::Range;

/// The largest number of tasks that are planned at a time. Sites limit job arrays to about as many.
pub const MAX_TASKS: u32 = 1_000;
/// The largest number of runs of a sweep.
pub const MAX_RUNS: usize = 100_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
enum Seeds {
    Range { first: u64, count: u64 },
    List(Vec<u64>),
}

/// The seeds in their order, none of them twice.
pub fn parse(source: &Source, value: &Range<usize>) -> Result<Vec<u64>> {
    let refuse = |message: &str| Err(source.refuse(value.start, message));
    let seeds = match source.value(value, "Range(first: 1, count: 10) or List([1, 2, 3])")? {
        Seeds::Range { count, .. } if count > MAX_RUNS as u64 => {
            return refuse(&format!("a sweep has at most {MAX_RUNS} runs; lower count"));
        }
        Seeds::Range { first, count } => match first.checked_add(count) {
            Some(end) => (first..end).collect(),
            None => return refuse("the last seed would be above 18446744073709551615; lower first"),
        },
        Seeds::List(seeds) => seeds,
    };
    let mut seen = BTreeSet::new();
    match seeds.iter().find(|seed| !seen.insert(**seed)) {
        Some(twice) => refuse(&format!("the seed {twice} is given twice; keep one of them")),
        None if seeds.is_empty() => refuse("there must be at least one seed"),
        None => Ok(seeds),
    }
}

/// How large tasks are to be, if the file says so.
pub fn size(source: &Source, seconds: Option<Range<usize>>, tasks: Option<Range<usize>>) -> Result<Option<TaskSize>> {
    match (seconds, tasks) {
        (None, None) => Ok(None),
        (Some(_), Some(tasks)) => Err(source.refuse(tasks.start, "give either `task_seconds` or `tasks`; one follows from the other")),
        (Some(value), None) => {
            let must_be = "a number of CPU seconds above 0";
            let seconds: f64 = source.value(&value, must_be)?;
            let is_good = seconds > 0.0 && seconds.is_finite();
            if is_good { Ok(Some(TaskSize::Seconds(seconds))) } else { Err(source.refuse(value.start, &format!("this must be {must_be}"))) }
        }
        (None, Some(value)) => {
            let must_be = format!("a number of tasks from 1 to {MAX_TASKS}");
            let tasks: u32 = source.value(&value, &must_be)?;
            let is_good = (1..=MAX_TASKS).contains(&tasks);
            if is_good { Ok(Some(TaskSize::Tasks(tasks))) } else { Err(source.refuse(value.start, &format!("this must be {must_be}"))) }
        }
    }
}
