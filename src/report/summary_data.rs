//! The summary of a run as data, with the figures that its text shows.

use super::network::NetworkOutcome;
use super::summary::Outcome;
use super::traffic::{Times, Traffic};
use crate::record::{CurveRow, RunRow};
use crate::results::Manifest;
use serde_json::{Map, Value, json};
use std::path::Path;

/// What [`super::summary()`] tells, for programs. Only `time` differs when the run is repeated.
pub fn summary_data<S>(run: &RunRow, manifest: &Manifest<S>, outcome: &Outcome, folder: &Path) -> Value {
    let CurveRow { ndcg_mean, ndcg_sd, ndcg_worst5, ndcg_random, evaluated, evaluated_of, queries, queries_of, .. } = *outcome.last;
    let phases: Map<String, Value> = outcome.phases.iter().map(|(phase, time)| (phase.to_string(), time.as_secs_f64().into())).collect();
    let alphas = &manifest.summary;
    json!({
        "name": run.name,
        "seed": manifest.seed,
        "run_id": manifest.run_id,
        "fingerprint": manifest.fingerprint,
        "results": folder.display().to_string(),
        "rows": manifest.rows,
        "defense": outcome.defense,
        "attack": outcome.attack,
        "nodes": run.n_nodes,
        "malicious": run.n_malicious,
        "end_ns": run.end_ns,
        "ndcg": {
            "cutoff": outcome.ndcg_cutoff, "mean": ndcg_mean, "sd": ndcg_sd, "worst5": ndcg_worst5, "random": ndcg_random,
            "nodes": evaluated, "of_nodes": evaluated_of, "queries": queries, "of_queries": queries_of,
        },
        "alpha": {
            "honest": alphas.alpha_honest, "malicious": alphas.alpha_malicious,
            "last_honest": alphas.last_alpha_honest, "last_malicious": alphas.last_alpha_malicious,
        },
        "exposure": outcome.last.exposure,
        "pull": outcome.last.pull,
        "age_ns": outcome.last.age_ns,
        "implausible": outcome.n_implausible,
        "caution": outcome.caution,
        "traffic": outcome.traffic.data(),
        "time": { "seconds": outcome.wall.as_secs_f64(), "threads": outcome.threads, "phases": phases },
    })
}

/// What [`super::network_summary`] tells, for programs.
pub fn network_data(outcome: &NetworkOutcome) -> Value {
    json!({
        "name": outcome.name,
        "seed": outcome.seed,
        "fingerprint": outcome.fingerprint,
        "nodes": outcome.n_nodes,
        "end_ns": outcome.end.0,
        "skipped": outcome.skipped,
        "events": outcome.events,
        "online_share": outcome.online_share,
        "traffic": outcome.traffic.data(),
        "time": { "seconds": outcome.wall.as_secs_f64() },
    })
}

impl Traffic {
    fn data(&self) -> Value {
        let lost: Map<String, Value> = self.losses.iter().map(|(why, lost)| (why.to_string(), (*lost).into())).collect();
        json!({
            "searches": self.searches,
            "sent": self.sent,
            "retries": self.retries,
            "duplicated": self.duplicated,
            "delivered": self.delivered,
            "lost": lost,
            "undelivered": self.undelivered,
            "deserted_ns": self.deserted.map(|since| since.0),
            "delay_ns": self.delay.data(),
            "transfer_ns": self.transfer.map(|transfer| transfer.data()),
        })
    }
}

impl Times {
    fn data(&self) -> Value {
        json!({ "median": self.median.ns(), "p95": self.p95.ns(), "p99": self.p99.ns() })
    }
}
