//! Progress for other programs: a JSON object per line on standard error.

use super::curve::Curve;
use crate::cli::print::tell;
use rankguard::run::{LastEvaluation, Progress};
use rankguard::units::Extent;
use serde_json::{Value, json};

/// What was told so far.
#[derive(Debug, Default)]
pub struct Lines {
    curve: Curve,
    tenths: u32,
    last: Option<Progress>,
}

impl Lines {
    /// Tells a new evaluation; a run without evaluations tells every tenth of its way.
    pub fn add(&mut self, progress: &Progress, stop: Extent) {
        self.last = Some(*progress);
        let tenths = (progress.done * 10.0) as u32;
        match progress.evaluation {
            Some(evaluation) if self.curve.add(Some(evaluation)) => tell(&of_evaluation(evaluation, progress, stop).to_string()),
            None if tenths > self.tenths => tell(&of(progress, "progress").to_string()),
            Some(_) | None => {}
        }
        self.tenths = tenths;
    }

    /// Tells that nothing more will come.
    pub fn end(&self, is_finished: bool) {
        if let Some(progress) = &self.last {
            let mut line = of(progress, "end");
            line["is_finished"] = is_finished.into();
            tell(&line.to_string());
        }
    }
}

fn of(progress: &Progress, event: &str) -> Value {
    let Progress { done, now, n_searches, n_events, .. } = progress;
    json!({ "event": event, "at_ns": now.0, "sessions": n_searches, "done": done, "events": n_events, "ndcg": progress.evaluation.map(|last| last.ndcg) })
}

fn of_evaluation(evaluation: LastEvaluation, progress: &Progress, stop: Extent) -> Value {
    let LastEvaluation { evaluation, at_ns, sessions, ndcg, ndcg_worst5 } = evaluation;
    let done = match stop {
        Extent::Sessions(n) => sessions as f64 / n as f64,
        Extent::Time(until) => at_ns as f64 / until.ns() as f64,
    };
    json!({
        "event": "evaluation", "evaluation": evaluation, "at_ns": at_ns, "sessions": sessions, "ndcg": ndcg, "ndcg_worst5": ndcg_worst5,
        "done": done, "events": progress.n_events,
    })
}
