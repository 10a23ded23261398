//! When attackers act, beyond the paper: how often they send, when they are there, when they show their true face, and how they are found.

use crate::rng::{Purpose, Seed};
use crate::units::{Duration, NodeId, VirtualTime};
use serde::{Deserialize, Serialize};

/// What all malicious nodes of a scenario do with time. The defaults are the paper's: nothing that others do not do as well.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attackers {
    /// Broadcasts between two consecutive searches, evenly spaced. They are not sessions.
    #[serde(default)]
    pub rate: u32,
    /// Whether they never leave.
    #[serde(default)]
    pub always_online: bool,
    #[serde(default)]
    pub active: Active,
    #[serde(default)]
    pub join: Join,
    /// How many times likelier than an honest peer an honest sender draws a malicious one.
    #[serde(default = "one")]
    pub peer_bias: f64,
}

/// When attackers attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Active {
    #[default]
    Always,
    /// For `on`, then not for `off`, and so on, from `first`; before it they do not.
    Windows {
        #[serde(default)]
        first: Duration,
        on: Duration,
        off: Duration,
        meanwhile: Meanwhile,
    },
}

/// What attackers do while they do not attack. Their turns count in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Meanwhile {
    /// They send nothing.
    Silent,
    /// They search with honest clicks, learn, and send their own model.
    Honest,
}

/// When attackers come for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Join {
    #[default]
    WithOthers,
    /// Each at its own moment, uniform between `at` and `within` later; before it they are absent, after it they come and go like others.
    Burst { at: Duration, within: Duration },
}

/// When an attacker looks at its victim, or at the population. The same where messages take no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Knowledge {
    #[default]
    AtSend,
    AtDelivery,
}

impl Default for Attackers {
    fn default() -> Self {
        Self { rate: 0, always_online: false, active: Active::Always, join: Join::WithOthers, peer_bias: 1.0 }
    }
}

impl Active {
    /// What an attacker does at `now` instead of attacking; nothing while it attacks. A window holds its first moment and not its last.
    pub fn pause_at(self, now: VirtualTime) -> Option<Meanwhile> {
        let Active::Windows { first, on, off, meanwhile } = self else { return None };
        let period = on.ns().saturating_add(off.ns()).max(1);
        let is_open = now.0.checked_sub(first.ns()).is_some_and(|since| since % period < on.ns());
        (!is_open).then_some(meanwhile)
    }
}

impl Join {
    /// The moment of the node's first join; nothing if it begins like the other nodes.
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
