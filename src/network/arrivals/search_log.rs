//! Searches that were logged elsewhere: each node searches when one user of the log did.
//!
//! A line is `user,time`: the user may have any name, and the time is a number. The run begins at time 0 of the log unless the scenario
//! gives another time. Lines may come in any order.

use crate::error::{Error, Result};
use crate::network::files::{Line, Text};
use crate::network::latency::Unit;
use crate::network::load::Nodes;
use crate::rng::Purpose;
use crate::units::{Duration, NodeId, VirtualTime};
use std::collections::BTreeMap;

/// The searches of all users of a log, and which user each node is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SearchLog {
    /// Moments in nanoseconds of the run, by user.
    users: Vec<Vec<u64>>,
    /// By node: the number of its user.
    user_of: Vec<u32>,
    /// After how much time of the run the log begins again, if it does.
    repeat_ns: Option<u64>,
    first: First,
}

/// The first search of the network.
#[derive(Debug, Clone, PartialEq)]
struct First {
    at: VirtualTime,
    /// The time as the log writes it.
    time: String,
    /// `file:line:column` of that time.
    place: String,
}

/// The searches of one user while the log is read.
struct User<'a> {
    /// In nanoseconds of the run.
    moments: Vec<u64>,
    /// The line of the first search, and the time in it.
    first: (u64, Line<'a>, &'a str),
}

/// Turns times of the log into moments of the run.
#[derive(Clone, Copy)]
struct Clock {
    begin: f64,
    unit: Unit,
    repeat: Option<Duration>,
}

impl SearchLog {
    /// Reads a log and assigns a user to each node.
    pub fn read(path: &str, unit: Unit, begin: f64, speed: f64, repeat: Option<Duration>, nodes: &Nodes) -> Result<Self> {
        let (text, clock) = (Text::read(path, "arrivals.path")?, Clock { begin, unit, repeat });
        // Users are ordered by name, so that the order of lines does not matter.
        let mut users: BTreeMap<&str, User> = BTreeMap::new();
        for line in text.lines() {
            let [user, time] = line.parts()[..] else {
                return Err(line.problem("a line of a search log is user,time"));
            };
            let moment = Duration::from_secs_f64(clock.seconds(line, time, &text)? / speed).ns();
            let user = users.entry(user).or_insert_with(|| User { moments: Vec::new(), first: (moment, line, time) });
            user.moments.push(moment);
            if moment < user.first.0 {
                user.first = (moment, line, time);
            }
        }
        if users.is_empty() {
            return Err(text.problem("holds no searches; arrivals.path must name a log with lines user,time"));
        }
        let user_of = nodes.deal(Purpose::SearchLog, users.len());
        let mut users: Vec<User> = users.into_values().collect();
        users.iter_mut().for_each(|user| user.moments.sort_unstable());
        let repeat_ns = repeat.map(|repeat| Duration::from_secs_f64(repeat.secs() / speed).ns().max(1));
        let first = First::of(&users, &user_of);
        Ok(Self { user_of, users: users.into_iter().map(|user| user.moments).collect(), repeat_ns, first })
    }

    /// Checks that somebody searches before the `end` of the run.
    pub fn check_begin(&self, end: Duration) -> Result<()> {
        let First { at, time, place } = &self.first;
        if at.0 <= end.ns() {
            return Ok(());
        }
        Err(Error::input(format!(
            "{place}: the first search, at {time}, is {at} after the beginning of the run, which ends after {end}; \
             say at which time of the log the run begins, such as arrivals.begin: {time}, or lengthen stop"
        )))
    }

    /// The moment of the `nth` search of `node`, if there is one.
    pub fn moment(&self, node: NodeId, nth: u64) -> Option<VirtualTime> {
        let moments = &self.users[self.user_of[node.idx()] as usize];
        let (repetition, i) = (nth / moments.len() as u64, (nth % moments.len() as u64) as usize);
        match self.repeat_ns {
            None if repetition > 0 => None,
            None => Some(VirtualTime(moments[i])),
            Some(repeat) => Some(VirtualTime(repetition.checked_mul(repeat)?.checked_add(moments[i])?)),
        }
    }

    /// How often each node searches, relative to the average node.
    pub fn rates(&self) -> Vec<f64> {
        let counts: Vec<f64> = self.user_of.iter().map(|&user| self.users[user as usize].len() as f64).collect();
        let mean = counts.iter().sum::<f64>() / counts.len().max(1) as f64;
        counts.iter().map(|count| count / mean).collect()
    }

    /// Mean seconds between two searches of one user over the whole log.
    pub fn mean_pause(&self) -> f64 {
        let searches: usize = self.users.iter().map(Vec::len).sum();
        let last = self.users.iter().filter_map(|moments| moments.last()).max().copied().unwrap_or(1);
        self.repeat_ns.unwrap_or(last).max(1) as f64 / 1e9 * self.users.len() as f64 / searches as f64
    }
}

impl First {
    /// The first search among the users that are assigned to nodes.
    fn of(users: &[User], user_of: &[u32]) -> Self {
        let firsts = user_of.iter().map(|&user| users[user as usize].first);
        let (ns, line, time) = firsts.min_by_key(|(ns, ..)| *ns).expect("a network has nodes, and each is a user");
        Self { at: VirtualTime(ns), time: time.into(), place: line.place_of(time) }
    }
}

impl Clock {
    /// Seconds of the log from the beginning of the run to `time`.
    fn seconds(self, line: Line, time: &str, text: &Text) -> Result<f64> {
        let seconds = (line.number(time)? - self.begin) * self.unit.secs();
        if !(0.0..9e9).contains(&seconds) {
            let begin = self.begin;
            return Err(line.problem_at(
                time,
                &format!("the time {time} is not between {begin} and 285 years later; correct arrivals.begin, where the run begins, or arrivals.unit"),
            ));
        }
        match self.repeat.filter(|repeat| seconds >= repeat.secs()) {
            Some(repeat) => Err(self.beyond(repeat, line, time, text)),
            None => Ok(seconds),
        }
    }

    /// The error for a time outside of the repeated part of the log: the run begins too early in the log, or the repeated part is too short.
    fn beyond(self, repeat: Duration, line: Line, time: &str, text: &Text) -> Error {
        let times = || text.lines().filter_map(|line| line.parts().get(1)?.parse::<f64>().ok());
        let (first, last) = times().fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), time| (first.min(time), last.max(time)));
        let begins_late = first > self.begin;
        let is_long = (last - first) * self.unit.secs() >= repeat.secs();
        let remedy = match (begins_late, is_long) {
            (true, false) => format!("the log begins at {first}: say arrivals.begin: {first}"),
            (true, true) => format!("lengthen that; the log begins at {first}: if the run does so too, say arrivals.begin: {first}"),
            (false, _) => "lengthen that".into(),
        };
        line.problem_at(time, &format!("the time {time} is not within arrivals.repeat, {repeat}; {remedy}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Regions;
    use crate::network::files::tests::file;
    use crate::rng::Seed;

    fn read_from(begin: f64, text: &str, repeat: Option<Duration>) -> Result<SearchLog> {
        let (_folder, path) = file("log.csv", text.as_bytes());
        SearchLog::read(&path, Unit::Seconds, begin, 2.0, repeat, &Nodes { seed: Seed(1), n_nodes: 4, regions: &Regions::Uniform })
    }

    fn read(text: &str, repeat: Option<Duration>) -> Result<SearchLog> {
        read_from(0.0, text, repeat)
    }

    fn moments(log: &SearchLog, node: u32) -> Vec<u64> {
        (0..5).map_while(|nth| log.moment(NodeId(node), nth)).map(|at| at.0 / 1_000_000_000).collect()
    }

    #[test]
    fn every_node_is_one_of_the_users() {
        let log = read("# user,time\nanna,20\nbert,6\nanna,4\n", None).expect("it is a log");
        let mut of: Vec<Vec<u64>> = (0..4).map(|node| moments(&log, node)).collect();
        assert_eq!(of[0], of[2]);
        of.sort();
        assert_eq!(of, [vec![2, 10], vec![2, 10], vec![3], vec![3]]);
        assert!((log.mean_pause() - 20.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn a_log_begins_again() {
        let log = read("anna,4\nanna,20\n", Some(Duration::from_secs(24))).expect("it is a log");
        assert_eq!(moments(&log, 0), [2, 10, 14, 22, 26]);
    }

    /// Two searches in Unix time, sixteen seconds apart.
    const UNIX: &str = "anna,1700000004\nanna,1700000020\n";

    #[test]
    fn a_log_in_unix_time_begins_where_it_is_told_to() {
        let log = read_from(1.7e9, UNIX, None).expect("it is a log");
        assert_eq!(moments(&log, 0), [2, 10]);
        assert_eq!(log.check_begin(Duration::from_secs(2)), Ok(()));
        let repeated = read_from(1.7e9, UNIX, Some(Duration::from_secs(24))).expect("it is a log");
        assert_eq!(moments(&repeated, 0), [2, 10, 14, 22, 26]);
    }

    #[test]
    fn a_log_that_begins_after_the_run_says_where_it_begins() {
        let message = read(UNIX, None).expect("it is a log").check_begin(Duration::from_secs(60)).expect_err("nobody searches").to_string();
        let expect = "log.csv:1:6: the first search, at 1700000004, is 1405.42w after the beginning of the run, which ends after 1min; \
            say at which time of the log the run begins, such as arrivals.begin: 1700000004, or lengthen stop";
        assert!(message.ends_with(expect), "{message}");
    }

    #[test]
    fn wrong_logs_say_where() {
        let refuse = |text: &str, expect: &str| {
            let message = read(text, Some(Duration::from_secs(10))).expect_err(text).to_string();
            assert!(message.contains(expect), "{message}");
        };
        refuse("", "log.csv: holds no searches");
        refuse("anna\n", "log.csv:1: a line of a search log is user,time");
        refuse("anna,1\nanna,-1\n", "log.csv:2:6: the time -1 is not between 0");
        refuse("anna,NaN\n", "the time NaN is not between 0");
        refuse("anna,noon\n", "log.csv:1:6: `noon` is not a number");
        refuse(
            "anna,2\nanna,9\nanna,10\n",
            "log.csv:3:6: the time 10 is not within arrivals.repeat, 10s; the log begins at 2: say arrivals.begin: 2",
        );
        refuse("anna,0\nanna,10\n", "log.csv:2:6: the time 10 is not within arrivals.repeat, 10s; lengthen that");
        refuse(UNIX, "log.csv:1:6: the time 1700000004 is not within arrivals.repeat, 10s; lengthen that; the log begins at 1700000004");
        refuse("anna,1700000004000\n", "log.csv:1:6: the time 1700000004000 is not between 0 and 285 years later; correct arrivals.begin");
    }
}
