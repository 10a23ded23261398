//! The life of one node: everything that the tables tell of it, in order.

use super::super::setting::Run;
use super::{is_whole, one, unrecorded};
use crate::error::{Error, Result};
use crate::record::{EvaluationRow, FaultRow, PresenceRow, ReceiptRow, Row, SearchRow};
use crate::units::{VirtualTime, count, counted};
use serde::Serialize;
use std::path::Path;

/// One node's life.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Life {
    /// Where its run is.
    pub place: String,
    /// The node.
    pub node: i32,
    /// What happened to it, in order.
    pub events: Vec<Event>,
    /// What is missing because it was not recorded, with the field that records it.
    pub notes: Vec<String>,
}

/// Something that happened to a node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Its place in the order of all steps.
    pub step: i64,
    /// Virtual time in nanoseconds.
    pub at_ns: i64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// The kinds of events.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[allow(missing_docs, reason = "the fields are those of the tables, which `rankguard schema` explains")]
pub enum What {
    /// It joined.
    Join { life: i32 },
    /// It left.
    Leave,
    /// Its user searched.
    Search { query: i32, clicks: i32, ndcg: f64, sent: i64, lost: i64 },
    /// It received a model.
    Receipt { sender: i32, sender_malicious: bool, outcome: &'static str, reason: Option<&'static str>, t: Option<f64>, alpha: f64 },
    /// Its model was evaluated.
    Evaluation { evaluation: i32, ndcg: f64, exposure: Option<f64>, online: bool, searches: i32 },
    /// A fault began or ended. The tables do not tell whom it concerned.
    Fault { what: &'static str, begins: bool, concerned: i32 },
}

/// The life of a node of a run.
///
/// # Errors
/// There is no such run or node, or a file cannot be read.
pub fn life(place: &Path, node: i32) -> Result<Life> {
    let run = one(place)?;
    if !(0..run.row.n_nodes).contains(&node) {
        let (place, n) = (run.place.display(), run.row.n_nodes);
        return Err(Error::input(format!(
            "{place}: has no node {node}; its {} are numbered from 0 to {}",
            counted(n as u64, "node"),
            n - 1
        )));
    }
    let mut life = Life { place: run.place.display().to_string(), node, events: Vec::new(), notes: Vec::new() };
    life.add(&run, "its joins and leaves", |row: PresenceRow| {
        let what = if row.online { What::Join { life: row.life } } else { What::Leave };
        (row.node == node).then_some(Event { step: row.step, at_ns: row.at_ns, what })
    })?;
    life.add(&run, "its searches", |row: SearchRow| {
        let SearchRow { step, at_ns, query, clicks, ndcg, sent, lost, .. } = row;
        (row.node == node).then_some(Event { step, at_ns, what: What::Search { query, clicks, ndcg, sent, lost } })
    })?;
    life.add(&run, "what it received", |row: ReceiptRow| {
        let ReceiptRow { step, at_ns, sender, sender_malicious, outcome, reason, t, alpha, .. } = row;
        let what = What::Receipt { sender, sender_malicious, outcome, reason, t, alpha };
        (row.receiver == node).then_some(Event { step, at_ns, what })
    })?;
    life.add(&run, "how well it ranked", |row: EvaluationRow| {
        let EvaluationRow { step, at_ns, evaluation, ndcg, exposure, online, searches, .. } = row;
        (row.node == node).then_some(Event { step, at_ns, what: What::Evaluation { evaluation, ndcg, exposure, online, searches } })
    })?;
    life.add(&run, "faults", |row: FaultRow| {
        let FaultRow { step, at_ns, what, begins, concerned, .. } = row;
        Some(Event { step, at_ns, what: What::Fault { what, begins, concerned } })
    })?;
    // Sorting is stable: a receipt that fell into the step of an evaluation comes before it.
    life.events.sort_by_key(|event| event.step);
    Ok(life)
}

impl Life {
    /// Adds the events of a table, which is read row by row.
    fn add<R: Row>(&mut self, run: &Run, what: &str, event: impl Fn(R) -> Option<Event>) -> Result<()> {
        if !is_whole(run, R::TABLE) {
            self.notes.push(unrecorded(run, R::TABLE, what));
        }
        if !run.has(R::TABLE) {
            return Ok(());
        }
        for row in run.table::<R>()?.rows()? {
            self.events.extend(event(row?));
        }
        Ok(())
    }

    /// The life as a log, thinned to a few dozen events unless all are wanted. Lines in between tell what was left out.
    pub fn text(&self, is_all: bool) -> String {
        let kept: Vec<bool> = if is_all { vec![true; self.events.len()] } else { kept(&self.events, MOST) };
        let n_kept = kept.iter().filter(|kept| **kept).count();
        let mut lines = vec![format!("node {} of {}: {}", self.node, self.place, counted(self.events.len() as u64, "event"))];
        let mut gap: Vec<&Event> = Vec::new();
        for (event, is_kept) in self.events.iter().zip(&kept) {
            match is_kept {
                true => lines.extend(left_out(&std::mem::take(&mut gap)).into_iter().chain([event.line()])),
                false => gap.push(event),
            }
        }
        lines.extend(left_out(&gap));
        if n_kept < self.events.len() {
            let (shown, all) = (count(n_kept as u64), count(self.events.len() as u64));
            lines.push(format!("{shown} of {all} events are shown; --all shows every one, and --json too"));
        }
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        if self.events.iter().any(|event| matches!(event.what, What::Fault { .. })) {
            lines.push("note: the tables do not tell which nodes a fault concerned".into());
        }
        lines.join("\n") + "\n"
    }
}

/// About so many events are shown.
const MOST: usize = 60;

/// Which events a thinned log shows: evaluations evenly thinned, the strongest malicious models, and first and last events of every other
/// kind.
fn kept(events: &[Event], most: usize) -> Vec<bool> {
    if events.len() <= most {
        return vec![true; events.len()];
    }
    let of =
        |is: &dyn Fn(&What) -> bool| events.iter().enumerate().filter(|(_, event)| is(&event.what)).map(|(nth, _)| nth).collect::<Vec<_>>();
    let mut kept = vec![false; events.len()];
    let evaluations = thinned(&of(&|what| matches!(what, What::Evaluation { .. })), most / 3);
    let faults = thinned(&of(&|what| matches!(what, What::Fault { .. })), most / 6);
    let presence = thinned(&of(&|what| matches!(what, What::Join { .. } | What::Leave)), most / 6);
    let searches = thinned(&of(&|what| matches!(what, What::Search { .. })), 2);
    let mut malicious = of(&|what| matches!(what, What::Receipt { sender_malicious: true, alpha, .. } if *alpha > 0.0));
    malicious.sort_by(|a, b| events[*b].alpha().total_cmp(&events[*a].alpha()));
    for nth in evaluations.into_iter().chain(faults).chain(presence).chain(searches).chain(malicious.into_iter().take(most / 6)) {
        kept[nth] = true;
    }
    kept
}

/// At most `most` of these, evenly, with the first and the last.
fn thinned(all: &[usize], most: usize) -> Vec<usize> {
    match all.len() {
        n if n <= most => all.to_vec(),
        n => (0..most).map(|nth| all[nth * (n - 1) / (most - 1).max(1)]).collect(),
    }
}

/// A line about events that are not shown.
fn left_out(events: &[&Event]) -> Option<String> {
    let n = |is: &dyn Fn(&What) -> bool| events.iter().filter(|event| is(&event.what)).count() as u64;
    let models = |malicious: bool| {
        let alphas: Vec<f64> = events.iter().filter_map(|event| event.given(malicious)).collect();
        let mean =
            if alphas.is_empty() { String::new() } else { format!(" (mean α {:.3})", alphas.iter().sum::<f64>() / alphas.len() as f64) };
        (alphas.len() as u64, if malicious { "malicious model" } else { "honest model" }, mean)
    };
    let kinds = [
        (n(&|what| matches!(what, What::Join { .. } | What::Leave)), "join or leave", String::new()),
        (n(&|what| matches!(what, What::Search { .. })), "search", String::new()),
        models(false),
        models(true),
        (n(&|what| matches!(what, What::Evaluation { .. })), "evaluation", String::new()),
        (n(&|what| matches!(what, What::Fault { .. })), "fault", String::new()),
    ];
    let words: Vec<String> =
        kinds.into_iter().filter(|(n, _, _)| *n > 0).map(|(n, noun, more)| format!("{}{more}", named(n, noun))).collect();
    (!words.is_empty()).then(|| format!("{:>10}  … {}", "", words.join(", ")))
}

fn named(n: u64, noun: &str) -> String {
    if noun == "join or leave" && n > 1 { format!("{} joins or leaves", count(n)) } else { counted(n, noun) }
}

impl Event {
    fn alpha(&self) -> f64 {
        if let What::Receipt { alpha, .. } = self.what { alpha } else { 0.0 }
    }

    /// The weight that it gave to a sender of this kind.
    fn given(&self, malicious: bool) -> Option<f64> {
        matches!(self.what, What::Receipt { sender_malicious, .. } if sender_malicious == malicious).then(|| self.alpha())
    }

    fn line(&self) -> String {
        let words = match self.what {
            // The first rows tell who is there.
            What::Leave if self.at_ns == 0 => "is away when the run begins".into(),
            _ => self.what.words(),
        };
        format!("{:>10}  {words}", VirtualTime(self.at_ns as u64).to_string())
    }
}

impl What {
    fn words(&self) -> String {
        match self {
            What::Join { life: 0 } => "joins".into(),
            What::Join { life } => format!("joins as somebody new ({life})"),
            What::Leave => "leaves".into(),
            What::Search { query: -1, sent, lost, .. } => format!("sends {sent} messages without a search, {lost} lost on the way"),
            What::Search { query, clicks, ndcg, sent, lost } => {
                format!(
                    "searches query {query}: {} on a list of nDCG {ndcg:.3}, sends {sent}, {lost} lost on the way",
                    counted(*clicks as u64, "click")
                )
            }
            What::Receipt { sender, sender_malicious, outcome, reason, t, alpha } => {
                let kind = if *sender_malicious { "malicious" } else { "honest" };
                let reason = reason.map_or(String::new(), |reason| format!(", {reason}"));
                let t = t.map_or(String::new(), |t| format!(", t {t:.2}"));
                format!("receives from {sender} ({kind}): {outcome}{reason}{t}, α {alpha:.3}")
            }
            What::Evaluation { evaluation, ndcg, exposure, online, searches } => {
                let exposure = exposure.map_or(String::new(), |exposure| format!(", exposure {exposure:.3}"));
                let away = if *online { "" } else { ", offline" };
                format!("evaluation {evaluation}: nDCG {ndcg:.3}{exposure}, after {}{away}", counted(*searches as u64, "own search"))
            }
            What::Fault { what, begins, concerned } => {
                format!("fault: {what} {}, concerns {}", if *begins { "begins" } else { "ends" }, counted(*concerned as u64, "node"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(step: i64, what: What) -> Event {
        Event { step, at_ns: step * 1_000_000_000, what }
    }

    fn receipt(step: i64, malicious: bool, alpha: f64) -> Event {
        let (outcome, reason, t) = ("merged", None, Some(2.0));
        event(step, What::Receipt { sender: 9, sender_malicious: malicious, outcome, reason, t, alpha })
    }

    fn life(events: Vec<Event>) -> Life {
        Life { place: "out/x".into(), node: 3, events, notes: Vec::new() }
    }

    #[test]
    fn a_short_life_is_shown_whole() {
        let all = vec![event(0, What::Join { life: 0 }), receipt(5, true, 0.5), event(90, What::Leave)];
        let lines = ["node 3 of out/x: 3 events", "        0s  joins", "        5s  receives from 9 (malicious): merged, t 2.00, α 0.500"];
        assert_eq!(life(all).text(false), format!("{}\n       90s  leaves\n", lines.join("\n")));
    }

    #[test]
    fn a_long_life_keeps_what_matters_and_counts_the_rest() {
        let loud = 700;
        let mut all = vec![event(0, What::Join { life: 0 })];
        all.extend((1..2_000).map(|step| receipt(step, step % 10 == 0, if step == loud { 0.9 } else { 0.001 })));
        all.push(event(2_000, What::Leave));
        let text = life(all.clone()).text(false);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() < 2 * MOST && lines[1].ends_with("joins") && text.contains("α 0.900"), "{text}");
        assert!(text.contains("honest models (mean α 0.001)") && text.contains("12 of 2,001 events are shown; --all"), "{text}");
        assert_eq!(life(all).text(true).lines().count(), 2_002);
    }

    #[test]
    fn events_are_thinned_evenly_with_both_ends() {
        let all: Vec<usize> = (0..101).collect();
        assert_eq!(thinned(&all, 5), [0, 25, 50, 75, 100]);
        assert_eq!(thinned(&all[..3], 5), [0, 1, 2]);
    }
}
