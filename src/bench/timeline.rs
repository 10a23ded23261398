//! The virtual clock alone, compared with the same pattern of events on a bare heap that draws nothing and emits nothing; and whole runs of
//! growing networks, compared with their clocks.

use super::{Effort, Group, Meter, Subject, desk};
use crate::corpus::{Corpus, Shape};
use crate::error::Result;
use crate::math;
use crate::record::NullRecorder;
use crate::rng::{Purpose, Seed};
use crate::run::{Params, run};
use crate::timeline::{Order, Timeline};
use crate::units::VirtualTime;
use crate::world::World;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Messages after each search.
const FANOUT: u64 = 7;

/// Steps that are taken from a timeline at a time, as when a network runs alone.
const WINDOW: usize = 1 << 12;

pub(super) fn measure(effort: Effort, meter: &mut impl Meter) -> Result<()> {
    let sizes: &[(u32, u64)] = &[(1_000, 20_000), (10_000, 40_000), (100_000, 200_000), (1_000_000, 1_000_000)];
    for &(n_nodes, n_searches) in &sizes[..effort.choose(2, 3, 4)] {
        alone(n_nodes, n_searches, meter);
    }
    let corpus = desk::corpus(Shape::Web30k, 300, 1);
    [1_000, 10_000, 100_000][..effort.choose(1, 2, 3)].iter().try_for_each(|&n_nodes| learning(n_nodes, &corpus, meter))
}

/// Nodes that search at random moments, each time sending messages that take a log-normal time.
pub(super) fn network(n_nodes: u32, n_searches: u64, defense: &str) -> World {
    desk::world(&[
        ("nodes", n_nodes.to_string()),
        ("stop", format!("Sessions({n_searches})")),
        ("defense", defense.into()),
        ("arrivals", "Poisson(every: \"30min\")".into()),
        ("latency", "LogNormal(median: \"80ms\", sigma: 0.6)".into()),
        ("peers", format!("(among: All, fanout: Fixed({FANOUT}))")),
    ])
}

fn alone(n_nodes: u32, n_searches: u64, meter: &mut impl Meter) {
    let (world, pattern) = (network(n_nodes, n_searches, "Local"), Pattern::new());
    let subject = subject("network alone", n_nodes, n_searches, "the same events on a bare heap");
    let bound = || _ = std::hint::black_box(pattern.run(n_nodes, n_searches));
    meter.measure(&subject, || Timeline::new(world.plan().clone()), run_to_end, bound);
}

/// One search per node on average, with everything that nodes learn and judge.
fn learning(n_nodes: u32, corpus: &Corpus, meter: &mut impl Meter) -> Result<()> {
    let n_searches = u64::from(n_nodes);
    let world = network(n_nodes, n_searches, desk::RULES[0].1);
    let subject = subject("network that learns", n_nodes, n_searches, "its network alone");
    let mut outcome = Ok(());
    meter.measure(
        &subject,
        || (),
        |()| outcome = outcome.clone().and(run(&world, Params::new(corpus, &mut NullRecorder)).map(drop)),
        || run_to_end(&mut Timeline::new(world.plan().clone())),
    );
    outcome
}

fn run_to_end(timeline: &mut Timeline) {
    let (mut steps, mut more) = (Vec::new(), true);
    while more {
        steps.clear();
        more = timeline.advance(WINDOW, &mut steps);
    }
}

fn subject(what: &str, n_nodes: u32, n_searches: u64, bound: &str) -> Subject {
    let n_events = n_searches * (1 + FANOUT);
    Subject {
        group: Group::Timeline,
        what: what.into(),
        size: vec![("nodes", n_nodes.into()), ("events", n_events)],
        per: "event",
        pieces: n_events as f64,
        bound: bound.into(),
        bound_times: 1.0,
        flops: 0.0,
    }
}

/// Drawn times, in nanoseconds.
struct Pattern {
    pauses: Vec<u64>,
    delays: Vec<u64>,
}

impl Pattern {
    fn new() -> Self {
        let draw = |stream: u64, nth: u64| Seed(1).uniform(Purpose::Query, stream, nth);
        Self {
            pauses: (0..1 << 12).map(|nth| (-math::ln(draw(0, nth)) * 1.8e12) as u64).collect(),
            delays: (0..1 << 12).map(|nth| (math::exp(0.6 * math::normal_quantile(draw(1, nth))) * 8e7) as u64).collect(),
        }
    }

    /// Takes events in order until so many searches took place, and returns the time of the last. An event is a search if it bears the
    /// number of a node, and a delivery else. Entries have the size of those in the event queue.
    fn run(&self, n_nodes: u32, n_searches: u64) -> u64 {
        let mut n_draws = 0;
        let mut next = |times: &[u64]| {
            n_draws += 1;
            times[n_draws * 2_654_435_761 % times.len()]
        };
        let entry = |at: u64, event: u32| Reverse((Order { at: VirtualTime(at), rank: 0, origin: event, counter: 0 }, event));
        let mut pending: BinaryHeap<Reverse<(Order, u32)>> = (0..n_nodes).map(|node| entry(next(&self.pauses), node)).collect();
        let (mut n_found, mut now) = (0, 0);
        while let Some(Reverse((order, event))) = pending.pop().filter(|_| n_found < n_searches) {
            now = order.at.0;
            if event < n_nodes {
                n_found += 1;
                pending.push(entry(now + next(&self.pauses), event));
                (0..FANOUT).for_each(|_| pending.push(entry(now + next(&self.delays), n_nodes)));
            }
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bare_heap_and_the_network_run_for_the_same_virtual_time() {
        // A hundred nodes that search once in half an hour on average search 4,000 times in 20 hours.
        let hours = Pattern::new().run(100, 4_000) as f64 / 3.6e12;
        assert!((18.0..22.0).contains(&hours), "{hours}");
    }
}
