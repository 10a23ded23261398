//! Estimates the searches and messages of honest nodes and of attackers.

use crate::adversary::{Attack, part_sizes};
use crate::network::{self, Means, PeerPool};
use crate::network::{Active, Attackers, Join, Meanwhile};
use crate::scenario::Scenario;
use crate::units::{Duration, Extent};

/// Expected numbers of a whole run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Traffic {
    /// The length of the run in seconds of virtual time.
    pub seconds: f64,
    /// Searches of all nodes, and of attackers alone.
    pub searches: f64,
    pub searches_malicious: f64,
    /// Broadcasts of attackers that are not searches.
    pub between: f64,
    /// Broadcasts of models, after searches and between them.
    pub broadcasts: f64,
    pub sent: f64,
    pub delivered: f64,
    /// Joins and leaves.
    pub changes: f64,
}

/// The population over time: honest nodes with their churn, and attackers from their first join on.
struct Crowd {
    honest: f64,
    malicious: f64,
    /// Long-run share of time that each kind is online.
    honest_online: f64,
    malicious_online: f64,
    /// The share of the run after a node's first join, averaged over nodes that join with crowds and nodes that exist from the start.
    existing: f64,
    /// Seconds until attackers come for the first time.
    absent: f64,
    means: Means,
}

impl Traffic {
    pub fn of(scenario: &Scenario, means: Means) -> Self {
        let attackers = scenario.attackers;
        let crowd = Crowd::of(scenario, means);
        let (seconds, searches) = crowd.length(scenario);
        let malicious_per_second = crowd.malicious * crowd.malicious_online / means.pause;
        let searches_malicious = malicious_per_second * (seconds - crowd.absent).max(0.0);
        let active = active_share(attackers.active, crowd.absent, seconds);
        let between = searches_malicious * f64::from(attackers.rate) * active;
        // Rounding must not make zero negative.
        let broadcasts = (searches - searches_malicious * silent_share(attackers.active, active) + between).max(0.0);
        let joined = joined_share(crowd.absent, seconds);
        let sent = broadcasts * crowd.fanout(scenario, joined);
        // Faults, retries and mailboxes are left out: only a run can tell their effect.
        let arriving = 1.0 - scenario.bursts.mean_loss(scenario.loss);
        let delivered = sent * (1.0 + scenario.duplicates) * arriving * crowd.receivers_present(scenario, joined);
        let changes = crowd.changes(scenario, seconds, joined);
        Self { seconds, searches, searches_malicious, between, broadcasts, sent, delivered, changes }
    }

    /// Earlier versions that stale attackers keep: one per search and per receipt within the age of the model that they send.
    pub fn versions(&self, scenario: &Scenario) -> f64 {
        let m = scenario.n_malicious();
        let made = self.searches_malicious / f64::from(m.max(1)) + self.delivered / f64::from(scenario.nodes);
        let kept = |age: Duration| made * (age.secs() / self.seconds).min(1.0);
        let of = |attack: &Attack, n: u32| attack.age().map_or(0.0, |age| f64::from(n) * (1.0 + kept(age)));
        match &scenario.attack {
            Attack::Mix(parts) => {
                let sizes = part_sizes(m, &parts.iter().map(|part| part.share).collect::<Vec<_>>());
                parts.iter().zip(sizes).map(|(part, n)| of(&part.attack, n)).sum()
            }
            single => of(single, m),
        }
    }
}

impl Crowd {
    /// Crowds that come late or leave early lower the share of nodes online. How much depends on the length of the run, and the length
    /// depends on that share, so both are computed in a few rounds.
    fn of(scenario: &Scenario, means: Means) -> Self {
        let mut crowd = Self::with(scenario, means, means.availability, 1.0);
        for _ in 0..if scenario.crowds.is_empty() { 0 } else { 20 } {
            let (seconds, _) = crowd.length(scenario);
            let there = |late: bool| {
                let crowds = scenario.crowds.iter().filter(|crowd| late || matches!(crowd, network::Crowd::Join { .. }));
                (1.0 - crowds.map(|crowd| crowd.absent_share(seconds)).sum::<f64>()).max(0.01)
            };
            crowd = Self::with(scenario, means, means.availability * there(true), there(false));
        }
        crowd
    }

    fn with(scenario: &Scenario, means: Means, availability: f64, existing: f64) -> Self {
        let Attackers { always_online, join, .. } = scenario.attackers;
        let m = scenario.n_malicious();
        Self {
            means,
            existing,
            honest: f64::from(scenario.nodes - m),
            malicious: f64::from(m),
            honest_online: availability,
            malicious_online: if always_online { 1.0 } else { availability },
            absent: match join {
                Join::WithOthers => 0.0,
                Join::Burst { at, within } => at.secs() + within.secs() / 2.0,
            },
        }
    }

    /// Virtual seconds and searches until the stop.
    fn length(&self, scenario: &Scenario) -> (f64, f64) {
        let pause = self.means.pause;
        let before = self.honest * self.honest_online / pause;
        let after = before + self.malicious * self.malicious_online / pause;
        match scenario.stop {
            Extent::Sessions(n) => {
                let alone = self.absent.min(n as f64 / before);
                (alone + (n as f64 - before * alone) / after, n as f64)
            }
            Extent::Time(time) => {
                let alone = self.absent.min(time.secs());
                (time.secs(), alone * before + (time.secs() - alone) * after)
            }
        }
    }

    /// The share of nodes that are online, if a malicious node counts `times` and attackers have joined for a share `joined` of the run.
    fn present(&self, times: f64, joined: f64) -> f64 {
        let online = self.honest * self.honest_online + times * self.malicious * self.malicious_online * joined;
        online / (self.honest + times * self.malicious)
    }

    /// The share of nodes that have joined, counted in the same way.
    fn joined(&self, times: f64, joined: f64) -> f64 {
        let malicious_joined = if self.absent > 0.0 { joined } else { self.existing };
        (self.honest * self.existing + times * self.malicious * malicious_joined) / (self.honest + times * self.malicious)
    }

    /// Messages per broadcast.
    fn fanout(&self, scenario: &Scenario, joined: f64) -> f64 {
        let others = f64::from(scenario.nodes - 1);
        let candidates = match scenario.peers.among {
            PeerPool::All => others * self.joined(1.0, joined),
            PeerPool::Online => others * self.present(1.0, joined),
        };
        f64::from(scenario.peers.fanout.of(scenario.nodes)).min(candidates)
    }

    /// The share of receivers that are online. Receivers chosen among online nodes rarely leave while a message travels.
    fn receivers_present(&self, scenario: &Scenario, joined: f64) -> f64 {
        match scenario.peers.among {
            PeerPool::All => {
                let times = scenario.attackers.peer_bias;
                (self.present(times, joined) / self.joined(times, joined)).min(1.0)
            }
            PeerPool::Online => 1.0,
        }
    }

    fn changes(&self, scenario: &Scenario, seconds: f64, joined: f64) -> f64 {
        let churning = self.honest + if scenario.attackers.always_online { 0.0 } else { self.malicious * joined };
        let bursts = if self.absent > 0.0 { self.malicious } else { 0.0 };
        self.means.changes_per_second * churning * seconds + bursts
    }
}

fn joined_share(absent: f64, seconds: f64) -> f64 {
    (1.0 - absent / seconds).max(0.0)
}

/// The share of the time after their first join in which attackers attack.
fn active_share(active: Active, absent: f64, seconds: f64) -> f64 {
    match active {
        Active::Always => 1.0,
        Active::Windows { first, on, off, .. } => {
            let open = on.secs() / (on.secs() + off.secs());
            let (there, awake) = (seconds - absent, seconds - absent.max(first.secs()));
            open * (awake / there).clamp(0.0, 1.0)
        }
    }
}

/// The share of attackers' searches after which they send nothing.
fn silent_share(active: Active, active_share: f64) -> f64 {
    match active {
        Active::Windows { meanwhile: Meanwhile::Silent, .. } => 1.0 - active_share,
        _ => 0.0,
    }
}
