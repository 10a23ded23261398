//! Takes from a finished run what its summary needs.

use rankguard::network::Bandwidth;
use rankguard::report::{self, NetworkOutcome, Outcome, Times, Traffic};
use rankguard::run::{FinishedJob, NetworkFinished};
use rankguard::scenario::Scenario;
use rankguard::timeline::{Loss, Tally};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// The summary of a run with a result folder.
pub fn of_run(published: &FinishedJob, folder: &Path, threads: usize) -> String {
    with_outcome(published, threads, |outcome| report::summary(&published.run, &published.manifest, outcome, folder))
}

/// The same as data.
pub fn data_of_run(published: &FinishedJob, folder: &Path, threads: usize) -> Value {
    with_outcome(published, threads, |outcome| report::summary_data(&published.run, &published.manifest, outcome, folder))
}

fn with_outcome<T>(published: &FinishedJob, threads: usize, tell: impl FnOnce(&Outcome) -> T) -> T {
    let FinishedJob { finished, manifest, wall, .. } = published;
    let (scenario, phases) = (manifest.scenario, &finished.phases);
    let attack = scenario.attack.name();
    let outcome = Outcome {
        defense: scenario.defense.name(),
        attack: &attack,
        last: &finished.last,
        ndcg_cutoff: scenario.ndcg_cutoff,
        caution: scenario.dataset.caution(),
        traffic: traffic(scenario, &finished.tally),
        n_implausible: finished.n_implausible,
        weight_limit: scenario.weight_limit(),
        wall: *wall,
        threads,
        phases: vec![
            ("timeline", phases.timeline),
            ("searching", phases.searching),
            ("judging", phases.judging),
            ("evaluation", phases.evaluation),
            ("recording", phases.recording),
        ],
    };
    tell(&outcome)
}

/// The figures of a run of the network alone.
pub fn of_network(scenario: &Scenario, finished: NetworkFinished, wall: Duration) -> NetworkOutcome {
    NetworkOutcome {
        name: scenario.name.clone(),
        n_nodes: scenario.nodes.into(),
        seed: scenario.seed,
        end: finished.now,
        skipped: finished.tally.skipped,
        events: finished.tally.events,
        online_share: finished.online_share,
        traffic: traffic(scenario, &finished.tally),
        sent: finished.sent.to_string(),
        received: finished.received.to_string(),
        wall,
        fingerprint: finished.fingerprint,
    }
}

fn traffic(scenario: &Scenario, tally: &Tally) -> Traffic {
    let is_limited = scenario.bandwidth != Bandwidth::Unlimited;
    Traffic {
        stop: scenario.stop,
        searches: tally.searches,
        sent: tally.sent,
        retries: tally.retries,
        duplicated: tally.duplicated,
        delivered: tally.delivered,
        losses: Loss::ALL.map(|why| (why.words(), tally.lost_by(why))).into(),
        undelivered: tally.in_flight,
        deserted: tally.deserted,
        delay: Times::of(|q| tally.delay_quantile(q)),
        transfer: is_limited.then(|| Times::of(|q| tally.transfer_quantile(q))),
    }
}
