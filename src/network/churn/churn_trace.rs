//! Churn that was measured elsewhere: each node comes and goes as one line of a trace says.
//!
//! A line is `user,starts_online,…,durations`. The second column is 1 if the line begins online and 0 otherwise. The last column has the
//! durations of its periods in milliseconds, separated by blanks; online and offline periods alternate. Columns in between are not read.

use super::{End, Phase};
use crate::error::Result;
use crate::network::files::{Line, Text};
use crate::network::load::Nodes;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId};

/// The periods of all users of a trace, and which user each node follows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChurnTrace {
    users: Vec<UserPeriods>,
    /// By node: the number of its user.
    user_of: Vec<u32>,
    phase: Phase,
    end: End,
}

/// The periods of one line. If the line begins again, they form a circle.
#[derive(Debug, Clone, PartialEq)]
struct UserPeriods {
    starts_online: bool,
    /// When each period ends, in nanoseconds.
    ends: Vec<u64>,
    /// Where in the first period the line begins, in nanoseconds: after its last period, if both are one period of the circle.
    begin: u64,
}

impl ChurnTrace {
    /// Reads a trace and assigns a line to each node.
    pub fn read(path: &str, phase: Phase, end: End, nodes: &Nodes) -> Result<Self> {
        let text = Text::read(path, "churn.path")?;
        check_columns(&text)?;
        let users = text.lines().map(|line| UserPeriods::parse(line, end)).collect::<Result<Vec<_>>>()?;
        if users.is_empty() {
            return Err(text.problem("holds no line of periods; churn.path must name a trace: user,starts_online,durations in ms"));
        }
        Ok(Self { user_of: nodes.deal(Purpose::ChurnTrace, users.len()), users, phase, end })
    }

    /// See [`ChurnSampler::start`](super::ChurnSampler::start).
    pub fn start(&self, seed: Seed, node: NodeId) -> (bool, Option<Duration>) {
        let (user, first, left) = self.first(seed, node);
        (user.is_online(first), Some(left).filter(|_| self.ends_ever(user, first)))
    }

    /// See [`ChurnSampler::period`](super::ChurnSampler::period).
    pub fn period(&self, seed: Seed, node: NodeId, nth: u64, is_online: bool) -> Option<Duration> {
        let (user, first, _) = self.first(seed, node);
        let n = user.ends.len();
        let mut i = first as u64 + nth;
        // A node that joins for the first time begins with the next online period.
        if (n > 1 || self.end == End::Stay) && user.is_online(i as usize) != is_online {
            i += 1;
        }
        let i = match self.end {
            End::Loop => (i % n as u64) as usize,
            End::Stay => usize::try_from(i).ok().filter(|&i| i < n)?,
        };
        self.ends_ever(user, i).then(|| user.length(i))
    }

    /// The user that `node` follows, the period that the node begins in, and the rest of this period.
    fn first(&self, seed: Seed, node: NodeId) -> (&UserPeriods, usize, Duration) {
        let user = &self.users[self.user_of[node.idx()] as usize];
        let total = user.total();
        let skipped = match self.phase {
            Phase::Start => 0,
            Phase::Random => (seed.uniform(Purpose::ChurnTrace, node.0.into(), 1) * total as f64) as u64,
        };
        let at = (user.begin + skipped) % total;
        let i = user.ends.partition_point(|&end| end <= at);
        (user, i, Duration::from_ns(user.ends[i] - at))
    }

    /// Whether the period ends at all.
    fn ends_ever(&self, user: &UserPeriods, i: usize) -> bool {
        match self.end {
            End::Loop => user.ends.len() > 1,
            End::Stay => i + 1 < user.ends.len(),
        }
    }

    /// The share of time that a user is online.
    pub fn availability(&self) -> f64 {
        let total: u64 = self.users.iter().map(UserPeriods::total).sum();
        self.users.iter().map(UserPeriods::online).sum::<u64>() as f64 / total as f64
    }

    /// Joins and leaves per user and second.
    pub fn changes_per_second(&self) -> f64 {
        let changes: usize = self.users.iter().map(|user| user.ends.len() - usize::from(user.ends.len() == 1)).sum();
        let seconds: f64 = self.users.iter().map(|user| user.total() as f64 / 1e9).sum();
        changes as f64 / seconds
    }
}

impl UserPeriods {
    fn parse(line: Line, end: End) -> Result<Self> {
        let [_, state, .., durations] = columns(line)[..] else {
            return Err(line.problem("a line of a churn trace is user,starts_online,durations"));
        };
        let starts_online = match state {
            "1" => true,
            "0" => false,
            other => return Err(line.problem_at(state, &format!("starts_online is `{other}`; it must be 0 or 1"))),
        };
        let mut periods = durations.split_whitespace().map(|part| period(line, part)).collect::<Result<Vec<u64>>>()?;
        if periods.is_empty() {
            return Err(line.problem("has no durations; a node is online or offline for some time, in milliseconds"));
        }
        let mut begin = 0;
        // A line with an odd number of periods ends in the state that it begins in. If it begins again, its last and first period are one.
        if end == End::Loop && periods.len() > 1 && periods.len() % 2 == 1 {
            begin = periods.pop().unwrap_or(0);
            periods[0] += begin;
        }
        let mut now = 0u64;
        let ends = periods.iter().map(|ns| {
            now = now.saturating_add(*ns);
            now
        });
        Ok(Self { starts_online, ends: ends.collect(), begin })
    }

    fn is_online(&self, i: usize) -> bool {
        self.starts_online ^ (i % 2 == 1)
    }

    fn length(&self, i: usize) -> Duration {
        Duration::from_ns(self.ends[i] - if i == 0 { 0 } else { self.ends[i - 1] })
    }

    fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(1)
    }

    fn online(&self) -> u64 {
        (0..self.ends.len()).filter(|&i| self.is_online(i)).map(|i| self.length(i).ns()).sum()
    }
}

/// Refuses a trace whose durations are separated by commas instead of blanks: all but the last would be taken for columns that are not read.
/// Such a trace has lines with different numbers of columns, or no line with two durations in its last column.
fn check_columns(text: &Text) -> Result<()> {
    let whole = || text.lines().map(|line| (line, columns(line))).filter(|(_, columns)| columns.len() >= 3);
    let n = whole().next().map_or(0, |(_, columns)| columns.len());
    if let Some((line, columns)) = whole().find(|(_, columns)| columns.len() != n) {
        let what = format!("the line has {} columns, but the first one has {n}; {BY_BLANKS}", columns.len());
        return Err(line.problem_at(columns[2], &what));
    }
    let changes = whole().any(|(_, columns)| columns[n - 1].split_whitespace().nth(1).is_some());
    let are_numbers =
        |columns: &[&str]| columns.iter().flat_map(|column| column.split_whitespace()).all(|part| part.parse::<f64>().is_ok());
    match whole().find(|(_, columns)| !changes && n > 3 && are_numbers(&columns[2..])) {
        Some((line, columns)) => Err(line.problem_at(columns[2], &format!("no line has two durations in its last column; {BY_BLANKS}"))),
        None => Ok(()),
    }
}

fn columns(line: Line<'_>) -> Vec<&str> {
    line.text.trim_end().split(',').map(str::trim).collect()
}

const BY_BLANKS: &str = "durations are separated by blanks, not by commas: user,1,600000 300000 900000";

/// The duration `part` in nanoseconds.
fn period(line: Line, part: &str) -> Result<u64> {
    let ms = line.number(part)?;
    let ns = (ms * 1e6).round();
    // The clock holds 584 years.
    if (1.0..1e18).contains(&ns) {
        Ok(ns as u64)
    } else {
        Err(line
            .problem_at(part, &format!("the duration {part} ms is not positive and below 30 years; periods may not overlap or be empty")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Regions;
    use crate::network::files::tests::file;

    fn read(text: &str, phase: Phase, end: End, n_nodes: u32) -> Result<ChurnTrace> {
        let (_folder, path) = file("trace.csv", text.as_bytes());
        ChurnTrace::read(&path, phase, end, &Nodes { seed: Seed(1), n_nodes, regions: &Regions::Uniform })
    }

    /// The first periods of node 0, in milliseconds: `+` online, `-` offline.
    fn show(trace: &ChurnTrace, n: u64) -> String {
        let (mut is_online, mut length) = trace.start(Seed(1), NodeId(0));
        let mut shown = Vec::new();
        for nth in 1..=n {
            let sign = if is_online { '+' } else { '-' };
            shown.push(length.map_or(format!("{sign}∞"), |length| format!("{sign}{}", length.ns() / 1_000_000)));
            if length.is_none() {
                break;
            }
            is_online = !is_online;
            length = trace.period(Seed(1), NodeId(0), nth, is_online);
        }
        shown.join(" ")
    }

    #[track_caller]
    fn check(text: &str, end: End, expect: &str) {
        let trace = read(text, Phase::Start, end, 1).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(show(&trace, 6), expect);
    }

    #[test]
    fn lines_begin_again_or_stay() {
        check("u,1,10 20 30 40\n", End::Loop, "+10 -20 +30 -40 +10 -20");
        check("u,1,10 20 30 40\n", End::Stay, "+10 -20 +30 -∞");
        check("# user\nu,0,x,y,10 20\n", End::Loop, "-10 +20 -10 +20 -10 +20");
        check("u,0,10 20\n", End::Stay, "-10 +∞");
        check("u,0,phone,10\n", End::Loop, "-∞");
        let columns_of_numbers = "u,1,-6,10\nv,0,-6,10 20\n";
        assert!(read(columns_of_numbers, Phase::Start, End::Loop, 2).is_ok());
    }

    #[test]
    fn an_odd_line_joins_its_ends() {
        check("u,1,10 20 30\n", End::Loop, "+10 -20 +40 -20 +40 -20");
        check("u,1,10 20 30\n", End::Stay, "+10 -20 +∞");
        check("u,1,10\n", End::Loop, "+∞");
    }

    #[test]
    fn a_random_phase_is_stationary() {
        let trace = read("a,1,100 300\nb,0,50 50 100 200\n", Phase::Random, End::Loop, 4_000).expect("it is a trace");
        assert!((trace.availability() - 350.0 / 800.0).abs() < 1e-12 && (trace.changes_per_second() - 6.0 / 0.8).abs() < 1e-9);
        let online = (0..4_000).filter(|&node| trace.start(Seed(1), NodeId(node)).0).count() as f64 / 4_000.0;
        // 4.5 standard deviations.
        assert!((online - 0.4375).abs() < 0.036, "{online}");
    }

    #[test]
    fn wrong_traces_say_where() {
        let refuse = |text: &str, expect: &str| {
            let message = read(text, Phase::Start, End::Loop, 3).expect_err(text).to_string();
            assert!(message.contains(expect), "{message}");
        };
        refuse("", "trace.csv: holds no line of periods");
        refuse("# nothing\n\n", "holds no line of periods");
        refuse("u,1,5 0 3\n", "trace.csv:1:7: the duration 0 ms is not positive");
        refuse("u,1,5\nu,1,5 -2\n", "trace.csv:2:7: the duration -2 ms is not positive");
        refuse("u,1,5 NaN\n", "the duration NaN ms is not positive");
        refuse("u,1,5 x\n", "trace.csv:1:7: `x` is not a number");
        refuse("u,2,5\n", "trace.csv:1:3: starts_online is `2`; it must be 0 or 1");
        refuse("u,1,\n", "trace.csv:1: has no durations");
        refuse(
            "u,1,10,20,30\n",
            "trace.csv:1:5: no line has two durations in its last column; durations are separated by blanks, not by commas",
        );
        refuse(
            "u,1,10 20\nv,0,10,20,30\n",
            "trace.csv:2:5: the line has 5 columns, but the first one has 3; durations are separated by blanks",
        );
        refuse("u,1,10 20,30\n", "trace.csv:1:5: no line has two durations in its last column");
        refuse("u 1 5\n", "trace.csv:1: a line of a churn trace is user,starts_online,durations");
    }
}
