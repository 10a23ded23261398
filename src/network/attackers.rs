//! When attackers act, beyond the paper: how often they send, when they are online, when they attack, and how often they are drawn as
//! peers.

use crate::fields::declare;
use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId, VirtualTime};

declare! {
    /// When and how often all malicious nodes of a scenario act, whatever they send.
    ///
    /// By default they act when other nodes do, as in the paper. Without malicious nodes any other setting is refused.
    #[derive(Clone, Copy, PartialEq)]
    pub struct Attackers {
        /// Extra broadcasts between two consecutive searches of an attacker, evenly spaced, with their own draws. They are not sessions:
        /// `receipts` and message counts include them, `searches` does not. FLIP sends its model and Stale its old model; other attackers make
        /// new messages as in a turn. A broadcast that falls into an absence or outside of the windows is skipped.
        #[serde(default)]
        #[example(3)]
        pub rate: u32,
        /// Whether attackers never leave.
        #[serde(default)]
        #[example(true)]
        pub always_online: bool,
        /// When attackers attack.
        #[serde(default)]
        #[example(Windows(first: "1d", on: "6h", off: "18h", meanwhile: Honest))]
        pub active: Active,
        /// When attackers come for the first time.
        #[serde(default)]
        #[example(Burst(at: "2d", within: "10min"))]
        pub join: Join,
        /// How many times likelier an honest sender picks a malicious peer than an honest one, at every pick. Attackers pick all peers
        /// alike.
        #[serde(default = "one")]
        #[limits(between(1.0, 1e6).or("1 draws all peers alike"))]
        #[example(4.0)]
        pub peer_bias: f64,
    }
}

declare! {
    /// When attackers attack.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Active {
        /// All the time.
        #[default]
        Always,
        /// They attack for `on`, pause for `off`, and so on. Their turns in the pauses still count as sessions.
        Windows {
            /// When the first window begins, before the end of the run.
            #[serde(default)]
            #[example("1d")]
            first: Duration,
            /// How long a window lasts.
            #[limits(above(0.0).or("attackers who never attack are attack: NoAttack"))]
            #[example("6h")]
            on: Duration,
            /// How long the pause between two windows is.
            #[limits(above(0.0).or("without pauses write active: Always"))]
            #[example("18h")]
            off: Duration,
            /// What attackers do outside of the windows.
            #[example(Honest)]
            meanwhile: Meanwhile,
        },
    }
}

declare! {
    /// What attackers do while they do not attack. Their turns count in either case.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Meanwhile {
        /// They send nothing; FLIP and Stale go on learning.
        Silent,
        /// They search with honest clicks, learn, and send their own model. Tables still call them malicious, but what their model learns
        /// meanwhile counts as honest. FLIP then has two separate models, one for each face.
        Honest,
    }
}

declare! {
    /// When attackers come for the first time.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Join {
        /// They are there from the start, or when churn and crowds let them.
        #[default]
        WithOthers,
        /// Each attacker joins at its own moment, drawn uniformly from the time `within` after `at`. Before that it is absent, and
        /// afterwards it comes and goes like other nodes.
        Burst {
            /// When a burst begins, before the end of the run.
            #[example("2d")]
            at: Duration,
            /// How long a burst lasts.
            #[example("10min")]
            within: Duration,
        },
    }
}

declare! {
    /// When an attacker looks at its victim, or LIE at the population. If messages take no time, both choices are the same.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum Knowledge {
        /// When the message is sent.
        #[default]
        AtSend,
        /// When the message arrives.
        AtDelivery,
    }
}

impl Default for Attackers {
    fn default() -> Self {
        Self { rate: 0, always_online: false, active: Active::Always, join: Join::WithOthers, peer_bias: 1.0 }
    }
}

impl Active {
    /// What an attacker does at `now` instead of attacking; `None` while it attacks. A window includes its first moment but not its last.
    pub fn pause_at(self, now: VirtualTime) -> Option<Meanwhile> {
        let Active::Windows { first, on, off, meanwhile } = self else { return None };
        let period = on.ns().saturating_add(off.ns()).max(1);
        let is_open = now.0.checked_sub(first.ns()).is_some_and(|since| since % period < on.ns());
        (!is_open).then_some(meanwhile)
    }
}

impl Join {
    /// The moment of the node's first join; `None` if it begins like other nodes.
    pub fn moment(self, seed: Seed, node: NodeId) -> Option<VirtualTime> {
        let Join::Burst { at, within } = self else { return None };
        let later = (seed.uniform(Purpose::FirstJoin, node.0.into(), 0) * within.ns() as f64) as u64;
        Some(VirtualTime(at.ns()).after(Duration::from_ns(later)))
    }
}

fn one() -> f64 {
    1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_open_and_close() {
        let ns = Duration::from_ns;
        let windows = Active::Windows { first: ns(10), on: ns(2), off: ns(3), meanwhile: Meanwhile::Silent };
        let open: Vec<u64> = (0..25).filter(|&at| windows.pause_at(VirtualTime(at)).is_none()).collect();
        assert_eq!(open, [10, 11, 15, 16, 20, 21]);
        assert_eq!(windows.pause_at(VirtualTime(12)), Some(Meanwhile::Silent));
        assert_eq!(Active::Always.pause_at(VirtualTime(12)), None);
    }

    #[test]
    fn a_burst_is_spread_evenly_over_its_length() {
        let join = Join::Burst { at: Duration::from_secs(100), within: Duration::from_secs(10) };
        let mut cells = [0u32; 10];
        for node in 0..10_000 {
            let moment = join.moment(Seed(1), NodeId(node)).expect("it comes").0;
            assert!((100_000_000_000..110_000_000_000).contains(&moment));
            cells[(moment / 1_000_000_000 - 100) as usize] += 1;
        }
        // χ² with 9 degrees of freedom at 99.9 %: 27.9.
        let chi2: f64 = cells.iter().map(|&c| (f64::from(c) - 1_000.0) * (f64::from(c) - 1_000.0) / 1_000.0).sum();
        assert!(chi2 < 27.9, "χ² = {chi2}");
        assert_eq!(Join::WithOthers.moment(Seed(1), NodeId(0)), None);
        let at_once = Join::Burst { at: Duration::from_secs(1), within: Duration::ZERO };
        assert_eq!(at_once.moment(Seed(1), NodeId(3)), Some(VirtualTime(1_000_000_000)));
    }
}
