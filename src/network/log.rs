//! Searches logged elsewhere, one user's for each node.
//!
//! A line is `user,time`: any name, and when that user searched, counted from the beginning of the log. Lines may come in any order.

use super::files::Text;
use super::latency::Unit;
use super::load::Where;
use crate::error::Result;
use crate::rng::Purpose;
use crate::units::{Duration, NodeId, VirtualTime};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Log {
    /// Moments in nanoseconds of the run, by user.
    users: Vec<Vec<u64>>,
    /// By node.
    user_of: Vec<u32>,
    repeat_ns: Option<u64>,
}

impl Log {
    pub fn read(path: &str, unit: Unit, speed: f64, repeat: Option<Duration>, place: &Where) -> Result<Self> {
        let text = Text::read(path, "arrivals.path")?;
        // In the order of their names, which no order of lines changes.
        let mut users: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for line in text.lines() {
            let [user, time] = line.parts()[..] else {
                return Err(line.problem("a line of a search log is user,time"));
            };
            let seconds = line.number(time)? * unit.secs();
            if !(0.0..9e9).contains(&seconds) {
                return Err(
                    line.problem_at(time, &format!("the time {time} is not between 0 and 285 years; count from the beginning of the log"))
                );
            }
            if let Some(repeat) = repeat.filter(|repeat| seconds >= repeat.secs()) {
                return Err(line.problem_at(time, &format!("the time {time} is not within arrivals.repeat, {repeat}; lengthen that")));
            }
            users.entry(user).or_default().push(Duration::from_secs_f64(seconds / speed).ns());
        }
        if users.is_empty() {
            return Err(text.problem("holds no searches; arrivals.path must name a log with lines user,time"));
        }
        let mut users: Vec<Vec<u64>> = users.into_values().collect();
        users.iter_mut().for_each(|moments| moments.sort_unstable());
        let repeat_ns = repeat.map(|repeat| Duration::from_secs_f64(repeat.secs() / speed).ns().max(1));
        Ok(Self { user_of: place.deal(Purpose::SearchLog, users.len()), users, repeat_ns })
    }

    /// The `nth` search of `node`, if there is one.
    pub fn moment(&self, node: NodeId, nth: u64) -> Option<VirtualTime> {
        let moments = &self.users[self.user_of[node.idx()] as usize];
        let (turn, i) = (nth / moments.len() as u64, (nth % moments.len() as u64) as usize);
        match self.repeat_ns {
            None if turn > 0 => None,
            None => Some(VirtualTime(moments[i])),
            Some(repeat) => Some(VirtualTime(turn.checked_mul(repeat)?.checked_add(moments[i])?)),
        }
    }

    /// How often each node searches, relative to the average node.
    pub fn rates(&self) -> Vec<f64> {
        let counts: Vec<f64> = self.user_of.iter().map(|&user| self.users[user as usize].len() as f64).collect();
        let mean = counts.iter().sum::<f64>() / counts.len().max(1) as f64;
        counts.iter().map(|count| count / mean).collect()
    }

    /// Seconds, over the log.
    pub fn mean_pause(&self) -> f64 {
        let searches: usize = self.users.iter().map(Vec::len).sum();
        let last = self.users.iter().filter_map(|moments| moments.last()).max().copied().unwrap_or(1);
        self.repeat_ns.unwrap_or(last).max(1) as f64 / 1e9 * self.users.len() as f64 / searches as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Regions;
    use crate::network::files::tests::file;
    use crate::rng::Seed;

    fn read(text: &str, repeat: Option<Duration>) -> Result<Log> {
        let (_folder, path) = file("log.csv", text.as_bytes());
        Log::read(&path, Unit::Seconds, 2.0, repeat, &Where { seed: Seed(1), n_nodes: 4, regions: &Regions::Uniform })
    }

    fn moments(log: &Log, node: u32) -> Vec<u64> {
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
        refuse("anna,10\n", "log.csv:1:6: the time 10 is not within arrivals.repeat, 10s");
    }
}
