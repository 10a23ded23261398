//! Runs the network alone: a timeline whose steps are not executed.

use super::{Progress, Watch};
use crate::error::{Error, Result};
use crate::timeline::{Tally, Timeline};
use crate::units::VirtualTime;
use crate::world::World;
use std::fmt;

/// The outcome of a run without learning.
#[derive(Debug)]
pub struct NetworkFinished {
    /// Counts of events and messages.
    pub tally: Tally,
    /// The moment at which the run ended.
    pub now: VirtualTime,
    /// The share of the run that nodes were online, averaged over all nodes.
    pub online_share: f64,
    /// How many messages the nodes sent.
    pub sent: Load,
    /// How many messages the nodes received.
    pub received: Load,
    /// A hash of all events; equal runs have equal fingerprints.
    pub fingerprint: String,
}

/// How many messages the nodes of a network have each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// The mean over all nodes.
    pub mean: f64,
    /// The smallest number of any node.
    pub min: u64,
    /// Half of the nodes have at most this number.
    pub median: u64,
    /// 99 % of the nodes have at most this number.
    pub p99: u64,
    /// The largest number of any node.
    pub max: u64,
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Load { mean, min, median, p99, max } = self;
        write!(f, "mean {mean:.1}   min {min}   median {median}   p99 {p99}   max {max}")
    }
}

impl Load {
    /// Sums up the counts of all nodes, given in any order.
    pub fn of(mut counts: Vec<u64>) -> Self {
        counts.sort_unstable();
        let at = |q: f64| counts.get((q * counts.len() as f64) as usize).or(counts.last()).copied().unwrap_or(0);
        Self {
            mean: counts.iter().sum::<u64>() as f64 / counts.len().max(1) as f64,
            min: at(0.0),
            median: at(0.5),
            p99: at(0.99),
            max: at(1.0),
        }
    }
}

/// Steps taken from the timeline at a time: so few that they stay in the cache.
const WINDOW: usize = 1 << 12;

/// Runs the timeline of a world to its end. It reads no documents, makes no model and keeps no row.
///
/// # Errors
/// Fails if `watch` stops the run.
pub fn run_network(world: &World, watch: &mut Watch) -> Result<NetworkFinished> {
    let mut timeline = Timeline::new(world.plan().clone());
    let mut steps = Vec::new();
    let mut more = true;
    while more {
        steps.clear();
        more = timeline.advance(WINDOW, &mut steps);
        if watch(&Progress::new(world.scenario().stop, &timeline)).is_break() {
            return Err(Error::interrupted(format!("interrupted at {} of virtual time", timeline.now())));
        }
    }
    let (sent, received) = timeline.loads().unzip();
    Ok(NetworkFinished {
        tally: timeline.tally().clone(),
        now: timeline.now(),
        online_share: timeline.online_share(),
        sent: Load::of(sent),
        received: Load::of(received),
        fingerprint: format!("t{:016x}", timeline.fingerprint()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_summed_up() {
        let load = Load::of((1..=100).rev().collect());
        assert_eq!(load, Load { mean: 50.5, min: 1, median: 51, p99: 100, max: 100 });
        assert_eq!(Load::of(vec![]), Load { mean: 0.0, min: 0, median: 0, p99: 0, max: 0 });
    }
}
