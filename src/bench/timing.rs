//! Measures work and its bound. No other file of this module looks at a clock.

use super::{Effort, Group};
use serde::{Serialize, Serializer};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// What a piece of work is, and what it is compared with.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The group that it belongs to.
    pub group: Group,
    /// What is done.
    pub what: String,
    /// The sizes that its time depends on.
    pub size: Vec<(&'static str, u64)>,
    /// What a call handles several of, in the singular.
    pub per: &'static str,
    /// How many of these a call handles.
    pub pieces: f64,
    /// What the bound does.
    pub bound: String,
    /// How often the work needs what one call of the bound does.
    pub bound_times: f64,
    /// Multiplications and additions of a call, where the bound is arithmetic; else 0.
    pub flops: f64,
}

impl Subject {
    /// The sizes as text, such as `d 136, history 1000`.
    pub fn sizes(&self) -> String {
        self.size.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    }
}

/// Takes work to measure.
pub trait Meter {
    /// Measures `work` on what `prepare` makes, which is not measured itself, and `bound` beside it.
    fn measure<S>(&mut self, subject: &Subject, prepare: impl FnMut() -> S, work: impl FnMut(&mut S), bound: impl FnMut());
}

/// One line of a table: a time and its bound.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The group that it belongs to.
    pub group: Group,
    /// What was done.
    pub what: String,
    /// The sizes that its time depends on.
    #[serde(serialize_with = "as_map")]
    pub size: Vec<(&'static str, u64)>,
    /// What the times are of, in the singular.
    pub per: &'static str,
    /// The time of one.
    pub seconds: f64,
    /// What the bound does.
    pub bound: String,
    /// The time of the bound for one.
    pub bound_seconds: f64,
    /// How many times the bound the time is.
    pub ratio: f64,
    /// Multiplications and additions per second; 0 where they are not counted.
    pub flops_per_second: f64,
}

impl Row {
    /// One of its sizes.
    pub fn size(&self, name: &str) -> Option<u64> {
        self.size.iter().find(|(size, _)| *size == name).map(|(_, value)| *value)
    }

    fn new(subject: &Subject, work: Duration, bound: Duration) -> Self {
        let seconds = work.as_secs_f64() / subject.pieces;
        let bound_seconds = bound.as_secs_f64() * subject.bound_times / subject.pieces;
        Self {
            group: subject.group,
            what: subject.what.clone(),
            size: subject.size.clone(),
            per: subject.per,
            seconds,
            bound: subject.bound.clone(),
            bound_seconds,
            ratio: seconds / bound_seconds,
            flops_per_second: subject.flops / work.as_secs_f64(),
        }
    }
}

fn as_map<S: Serializer>(size: &[(&'static str, u64)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(size.iter().copied())
}

/// Takes the shortest of several times. Work and bound take turns, so that other load on the machine slows down both.
#[derive(Debug)]
pub struct Fastest {
    /// How long one piece of work and its bound are repeated.
    patience: Duration,
    rows: Vec<Row>,
}

/// Work is measured at least this often: the first time pages are still being fetched.
const LEAST: u32 = 3;

/// After this time work is not repeated any more.
const LONG: Duration = Duration::from_secs(3);

/// The same two for work that differs little from its bound: what the machine does meanwhile must not decide.
const LEAST_CLOSE: u32 = 11;
const LONG_CLOSE: Duration = Duration::from_secs(40);

/// More repetitions than this find no shorter time.
const MOST: u32 = 60;

impl Fastest {
    /// A meter without rows.
    pub fn new(effort: Effort) -> Self {
        Self { patience: Duration::from_millis(effort.choose(100, 100, 250)), rows: Vec::new() }
    }

    /// What was measured so far.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What was measured since the last call.
    pub fn take(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.rows)
    }
}

impl Meter for Fastest {
    fn measure<S>(&mut self, subject: &Subject, mut prepare: impl FnMut() -> S, mut work: impl FnMut(&mut S), mut bound: impl FnMut()) {
        let (mut shortest, mut shortest_bound, mut spent) = (Duration::MAX, Duration::MAX, Duration::ZERO);
        let (least, long) = if subject.group == Group::Record { (LEAST_CLOSE, LONG_CLOSE) } else { (LEAST, LONG) };
        for n in 0..MOST {
            if (n >= least && spent > self.patience) || spent > long {
                break;
            }
            let mut state = prepare();
            let clock = Clock::of(subject.group);
            let (time, bound_time) = (clock.time(|| work(&mut state)), clock.time(&mut bound));
            (shortest, shortest_bound) = (shortest.min(time), shortest_bound.min(bound_time));
            spent += time + bound_time;
        }
        self.rows.push(Row::new(subject, shortest, shortest_bound));
    }
}

/// How time is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// By the time that the processors spent on this program, which other programs do not lengthen.
    Processor,
    /// By the clock on the wall, for work of several threads.
    Wall,
}

impl Clock {
    fn of(group: Group) -> Self {
        match group {
            Group::Judge | Group::Search | Group::Timeline | Group::Parse | Group::Record => Self::Processor,
            Group::Evaluation | Group::Threads => Self::Wall,
        }
    }

    fn time(self, work: impl FnOnce()) -> Duration {
        let start = self.now();
        work();
        self.now().saturating_sub(start)
    }

    /// The shortest of `n` times in seconds.
    pub fn shortest(self, n: u32, mut work: impl FnMut()) -> f64 {
        (0..n).map(|_| self.time(&mut work)).min().unwrap_or_default().as_secs_f64()
    }

    fn now(self) -> Duration {
        match self {
            Self::Processor => processor_time().unwrap_or_else(wall_time),
            Self::Wall => wall_time(),
        }
    }
}

/// The time that the processors spent on this program so far.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok().map(Duration::from)
}

/// Unknown on this system.
#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}

/// The time since the first call.
#[expect(clippy::disallowed_methods, reason = "measuring is about the clock on the wall")]
fn wall_time() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_counts_pieces_and_how_often_the_bound_is_needed() {
        let subject = Subject {
            group: Group::Judge,
            what: "judge".into(),
            size: vec![("d", 46)],
            per: "model",
            pieces: 4.0,
            bound: "product".into(),
            bound_times: 2.0,
            flops: 6e9,
        };
        let row = Row::new(&subject, Duration::from_secs(6), Duration::from_secs(1));
        assert_eq!((row.seconds, row.bound_seconds, row.ratio, row.flops_per_second), (1.5, 0.5, 3.0, 1e9));
        assert_eq!(subject.sizes(), "d 46");
    }

    #[test]
    fn both_clocks_go_forward_while_a_thread_works() {
        for clock in [Clock::Processor, Clock::Wall] {
            let spin = |n: u64| clock.shortest(3, || _ = std::hint::black_box((0..n).fold(1u64, |x, i| std::hint::black_box(x ^ i))));
            assert!(spin(3_000_000) > 0.0, "{clock:?}");
        }
    }

    #[test]
    fn work_and_bound_take_turns_and_each_call_gets_its_own_state() {
        let subject = Subject {
            group: Group::Search,
            what: "search".into(),
            size: vec![],
            per: "search",
            pieces: 1.0,
            bound: "nothing".into(),
            bound_times: 1.0,
            flops: 0.0,
        };
        let (mut n_prepared, mut calls) = (0, std::cell::RefCell::new(String::new()));
        let mut meter = Fastest { patience: Duration::ZERO, rows: Vec::new() };
        meter.measure(
            &subject,
            || {
                n_prepared += 1;
                n_prepared
            },
            |n| *calls.borrow_mut() += &n.to_string(),
            || *calls.borrow_mut() += "b",
        );
        assert_eq!(calls.get_mut(), "1b2b3b");
        assert_eq!((meter.take().len(), meter.rows().len()), (1, 0));
    }
}
