//! Day and night: at which hours people are more active, and the local time of each node.

use super::regions::{Regions, region_of};
use crate::fields::declare;
use crate::math;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId, VirtualTime};
use std::f64::consts::TAU;

const DAY_NS: u64 = 86_400_000_000_000;
const DAY: f64 = 86_400.0;

declare! {
    /// Activity over the day: 1 + amplitude · cos(2π (hour − peak) / 24), on average 1. A run begins at midnight.
    #[derive(Clone, Copy, PartialEq)]
    pub struct Day {
        /// How far the busiest hour is above the average. At 1 there is no activity twelve hours later.
        #[limits(between(0.0, 1.0))]
        #[example(0.8)]
        pub amplitude: f64,
        /// The busiest time of day, where the node lives.
        #[limits(below(86_400.0).or("it is a time of day"))]
        #[example("20h")]
        pub peak: Duration,
        /// Which time of day it is where a node lives.
        #[serde(default)]
        #[example(ByRegion)]
        pub zones: Zones,
    }
}

declare! {
    /// Which time of day it is where a node lives.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Zones {
        /// The same everywhere.
        #[default]
        Same,
        /// One of 24 zones a whole hour apart, drawn for each node.
        Uniform,
        /// That of the node's region, without daylight saving.
        ByRegion,
    }
}

impl Zones {
    /// How many hours the local time of `node` is ahead of universal time.
    fn hours_ahead(self, seed: Seed, node: NodeId, regions: &Regions) -> f64 {
        match self {
            Zones::Same => 0.0,
            Zones::Uniform => (seed.uniform(Purpose::Zone, node.0.into(), 0) * 24.0).floor(),
            Zones::ByRegion => region_of(seed, node, regions).hours_ahead(),
        }
    }
}

/// One clock per node. It runs faster at busy hours, and a whole day takes as long as on any other clock.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Clocks {
    amplitude: f64,
    /// By node: its busiest time of day, in universal time.
    peaks_ns: Vec<u64>,
}

impl Clocks {
    /// Clocks for all nodes.
    pub fn new(day: Day, seed: Seed, n_nodes: u32, regions: &Regions) -> Self {
        let peak = |node| {
            let ahead = day.zones.hours_ahead(seed, node, regions) * 3600.0;
            Duration::from_secs_f64((day.peak.secs() - ahead).rem_euclid(DAY)).ns() % DAY_NS
        };
        Self { amplitude: day.amplitude, peaks_ns: (0..n_nodes).map(|node| peak(NodeId(node))).collect() }
    }

    /// The real time in seconds from `from` until the clock of `node` has advanced by `seconds`.
    pub fn real(&self, node: NodeId, from: VirtualTime, seconds: f64) -> f64 {
        let since_peak = (from.0 % DAY_NS + DAY_NS - self.peaks_ns[node.idx()]) % DAY_NS;
        let phase = since_peak as f64 / DAY_NS as f64 * TAU;
        let swing = self.amplitude * DAY / TAU;
        let at_start = math::sin(phase);
        // The advance of the clock after x real seconds. It never decreases, so its inverse is found by bisection.
        let clock = |x: f64| x + swing * (math::sin(phase + x / DAY * TAU) - at_start);
        let (mut low, mut high) = (seconds / (1.0 + self.amplitude), seconds + 2.0 * swing);
        while high - low > 1e-9 * high.max(1e-3) {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if clock(middle) < seconds { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(amplitude: f64, zones: Zones) -> Clocks {
        let day = Day { amplitude, peak: Duration::from_secs(20 * 3600), zones };
        Clocks::new(day, Seed(1), 100, &Regions::Uniform)
    }

    #[test]
    fn a_whole_day_is_a_day_on_every_clock() {
        for amplitude in [0.0, 0.5, 1.0] {
            for from in [0, 5_000_000_000_000, 70_000_000_000_000] {
                let real = clocks(amplitude, Zones::Same).real(NodeId(0), VirtualTime(from), 3.0 * DAY);
                assert!((real - 3.0 * DAY).abs() < 1e-3, "{amplitude}: {real}");
            }
        }
    }

    #[test]
    fn an_hour_passes_faster_at_the_peak() {
        let clocks = clocks(0.8, Zones::Same);
        let real = |hour: u64| clocks.real(NodeId(0), VirtualTime(hour * 3_600_000_000_000), 60.0);
        // Around the peak a minute takes 60 / 1.8 seconds, twelve hours later 60 / 0.2.
        assert!((real(20) - 60.0 / 1.8).abs() < 0.01 && (real(8) - 60.0 / 0.2).abs() < 0.5, "{} {}", real(20), real(8));
    }

    #[test]
    fn zones_move_the_peak() {
        assert!(clocks(0.5, Zones::Same).peaks_ns.iter().all(|&peak| peak == 20 * 3_600_000_000_000));
        let mut hours: Vec<u64> = clocks(0.5, Zones::Uniform).peaks_ns.iter().map(|ns| ns / 3_600_000_000_000).collect();
        hours.sort_unstable();
        hours.dedup();
        assert!(hours.len() > 20, "{hours:?}");
        // In Mumbai it is 20:00 when it is 14:30 in London.
        let peaks = clocks(0.5, Zones::ByRegion).peaks_ns;
        assert!(peaks.contains(&(14 * 3_600_000_000_000 + 1_800_000_000_000)));
    }
}
