//! The summary of a run of the network alone. It leaves no result folder, so the caller gives all figures.

use super::line;
use super::traffic::Traffic;
use crate::units::{VirtualTime, count, counted};
use std::time::Duration;

/// The figures of a run of the network alone.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkOutcome {
    /// The scenario's name.
    pub name: String,
    /// Nodes of the network.
    pub n_nodes: u64,
    /// The seed of the run.
    pub seed: u64,
    /// Virtual time at the end.
    pub end: VirtualTime,
    /// Searches that fell into an absence of their node.
    pub skipped: u64,
    /// Events of the timeline.
    pub events: u64,
    /// The share of the run that nodes were online, averaged over all nodes.
    pub online_share: f64,
    /// Searches and messages.
    pub traffic: Traffic,
    /// Messages sent per node, as words.
    pub sent: String,
    /// Messages received per node, as words.
    pub received: String,
    /// How long the run took.
    pub wall: Duration,
    /// Hash of everything that happened.
    pub fingerprint: String,
}

/// The summary of a network, ready to print.
pub fn network_summary(outcome: &NetworkOutcome) -> String {
    let NetworkOutcome { name, seed, traffic, events, .. } = outcome;
    let wall = outcome.wall.as_secs_f64();
    let rate = *events as f64 / wall.max(1e-9);
    let searches = format!("{}   skipped {}   in {} of virtual time", count(traffic.searches), count(outcome.skipped), outcome.end);
    let mut lines = vec![
        format!("{name} · network of {} · seed {seed}", counted(outcome.n_nodes, "node")),
        line("searches", searches),
        line("online", format!("{:.1} % of all nodes' time", 100.0 * outcome.online_share)),
    ];
    lines.extend(traffic.lines());
    lines.extend([
        line("sent", format!("per node: {}", outcome.sent)),
        line("received", format!("per node: {}", outcome.received)),
        line("time", format!("{wall:.2} s   {}   {rate:.0} events/s", counted(*events, "event"))),
        line("fingerprint", outcome.fingerprint.clone()),
    ]);
    lines.join("\n") + "\n"
}
