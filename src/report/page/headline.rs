//! The first two lines of a run's page: what came out, and what it rests on.

use super::findings::{KEPT_WITHIN, best};
use super::story::Story;
use super::tables::{Kept, kept};
use super::words::{counted, grouped, list, some_of, three, time};
use crate::record::{CurveRow, Table};

/// The outcome in a sentence.
pub fn headline(story: &Story) -> String {
    let Some(last) = story.last() else { return without_curve(story) };
    let nodes = some_of(last.evaluated.max(0) as u64, last.evaluated_of.max(0) as u64, "honest node");
    let (end, random) = (format!("{} {}", story.ndcg(), three(last.ndcg_mean)), three(last.ndcg_random));
    let best = best(&story.curve);
    let is_single = last.evaluated == 1;
    let (keep, reach, finish) = if is_single { ("keeps", "reaches", "ends") } else { ("keeps", "reach", "end") };
    let under = under(story);
    match best {
        _ if last.ndcg_mean < last.ndcg_random => {
            format!("{under}{nodes} {finish} at {end}, below a random ranking ({random}){}.", attack(story))
        }
        Some(best) if best.ndcg_mean > last.ndcg_mean + KEPT_WITHIN => {
            let peak = format!("{} after {}", three(best.ndcg_mean), time(best.at_ns as f64));
            format!("{under}{nodes} {finish} at {end} (best {peak}; random {random}){}.", attack(story))
        }
        _ if story.n_malicious() > 0 && has_defence(story) => {
            format!("{} {keep} {nodes} at {end} (random {random}){}.", story.run.scenario.defense.name(), attack(story))
        }
        _ => format!("{under}{nodes} {reach} {end} (random {random}){}.", attack(story)),
    }
}

fn without_curve(story: &Story) -> String {
    let nodes = counted(story.n_honest(), "honest node");
    format!("{}{nodes} end at {} {}{}.", under(story), story.ndcg(), three(story.run.row.end_ndcg), attack(story))
}

/// Whether a defence weighs models. `None` takes all alike.
fn has_defence(story: &Story) -> bool {
    story.run.scenario.defense.name() != "None"
}

fn under(story: &Story) -> String {
    if has_defence(story) { format!("Under {} ", story.run.scenario.defense.name()) } else { "Without a defence ".into() }
}

fn attack(story: &Story) -> String {
    let of = counted(story.run.row.n_nodes.max(0) as u64, "node");
    match (story.n_malicious(), story.run.scenario.attack.name()) {
        (0, _) => "; no node is malicious".into(),
        (n, attack) if attack == "no attack" => format!("; {} of {of} are called malicious and do nothing", grouped(n)),
        (n, attack) => format!(" while {} of {of} attack by {attack}", grouped(n)),
    }
}

/// What the figures rest on: the data, the seed, the length of the run, and samples.
pub fn honesty(story: &Story) -> String {
    let (run, mut lines) = (story.run, Vec::new());
    lines.extend(run.scenario.dataset.caution().map(|caution| format!("Data: {caution}.")));
    lines.push(format!("One seed ({}): differences between runs may be chance.", run.seed));
    let length = format!("{} and {} of virtual time", counted(run.row.n_sessions.max(0) as u64, "search"), time(run.row.end_ns as f64));
    let samples: Vec<String> = story.last().map(samples).unwrap_or_default();
    lines.push(format!("The run lasted {length}."));
    if let Kept::Rows { one_in: 2.. } = kept(run, Table::Curve) {
        lines.push("Not every evaluation was recorded: the end is the last one that was.".into());
    }
    lines.extend((!samples.is_empty()).then(|| format!("An evaluation looks at {}.", list(&samples))));
    lines.join(" ")
}

/// What an evaluation looks at, where that is a sample.
fn samples(last: &CurveRow) -> Vec<String> {
    let part = |n: i32, of: i32, noun: &str| (n < of).then(|| some_of(n.max(0) as u64, of.max(0) as u64, noun));
    part(last.evaluated, last.evaluated_of, "honest node").into_iter().chain(part(last.queries, last.queries_of, "query")).collect()
}
