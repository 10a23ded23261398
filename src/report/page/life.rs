//! The life of a node: how its ranking went, what it searched and received, how it judged that, and when it was away.

use super::super::draw::sparkline;
use super::super::figure::Colour;
use super::html::{escape, folded, paragraph};
use super::nodes::{first_join, kind};
use super::receipts::{Judged, Received};
use super::story::Story;
use super::tables::{Kept, kept};
use super::words::{counted, grouped, percent, three, time};
use crate::error::Result;
use crate::record::{EvaluationRow, NodeRow, Table};
use std::collections::BTreeMap;

/// nDCG over time of some nodes.
type Courses = BTreeMap<i32, Vec<(f64, Option<f64>)>>;

/// The lives of these nodes as HTML.
///
/// # Errors
/// The evaluations cannot be read.
pub fn lives(story: &Story, nodes: &[i32]) -> Result<String> {
    let courses = courses(story, nodes)?;
    let told = story.facts.nodes.iter().filter(|row| courses.contains_key(&row.node));
    let lives: String = told.map(|row| life(story, row, &courses[&row.node])).collect();
    Ok(if lives.is_empty() { String::new() } else { folded(&format!("Lives of {}", counted(courses.len() as u64, "node")), &lives) })
}

/// Reads the evaluations once more, for these nodes alone.
fn courses(story: &Story, nodes: &[i32]) -> Result<Courses> {
    let mut courses: Courses = nodes.iter().map(|node| (*node, Vec::new())).collect();
    let Kept::Rows { .. } = kept(story.run, Table::Evaluations) else { return Ok(courses) };
    let table = story.run.table::<EvaluationRow>()?;
    let (at, of, ndcg) = (table.column::<i64>("at_ns")?, table.column::<i32>("node")?, table.column::<f64>("ndcg")?);
    for ((at, node), ndcg) in at.zip(of).zip(ndcg) {
        let (at, ndcg) = (at?, ndcg?);
        if let Some(course) = courses.get_mut(&node?) {
            course.push((at as f64, Some(ndcg)));
        }
    }
    Ok(courses)
}

fn life(story: &Story, row: &NodeRow, course: &[(f64, Option<f64>)]) -> String {
    let title = format!("Node {} · {} · {}", row.node, kind(row), row.region);
    let line =
        if course.len() > 1 { sparkline(&course.iter().map(|(_, ndcg)| *ndcg).collect::<Vec<_>>(), Colour::Honest) } else { String::new() };
    let words = [ranking(course), Some(searching(story, row)), presence(story, row), received(story, row)];
    let words: String = words.iter().flatten().map(|text| paragraph(text)).collect();
    format!("<details id=\"node-{}\"><summary>{}</summary>\n{line}\n{words}</details>\n", row.node, escape(&title))
}

fn ranking(course: &[(f64, Option<f64>)]) -> Option<String> {
    let values: Vec<(f64, f64)> = course.iter().filter_map(|(at, ndcg)| Some((*at, (*ndcg)?))).collect();
    let (first, last) = (values.first()?, values.last()?);
    let best = values.iter().copied().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    let n = counted(values.len() as u64, "evaluation");
    let course = format!("nDCG from {} to {}, best {} after {}", three(first.1), three(last.1), three(best.1), time(best.0));
    Some(format!("{course} ({n})."))
}

fn searching(story: &Story, row: &NodeRow) -> String {
    let searches = story.facts.n_searches(row.node).map_or("An unknown number of searches".into(), |n| counted(n, "search"));
    let rate = if row.rate == 1.0 { String::new() } else { format!(", {:.2} times as often as the average node", row.rate) };
    format!("{searches}{rate}. First join: {}.", first_join(row))
}

fn presence(story: &Story, row: &NodeRow) -> Option<String> {
    let presence = story.facts.presence.as_ref()?;
    let uptime = presence.nodes.get(usize::try_from(row.node).ok()?)?;
    let online = percent(presence.share(row.node as usize)?);
    Some(match uptime.absences {
        0 => format!("Online for {online} of the run; it never left."),
        n => format!("Online for {online} of the run; {}, the longest {}.", counted(n.into(), "absence"), time(uptime.longest_ns as f64)),
    })
}

fn received(story: &Story, row: &NodeRow) -> Option<String> {
    let receipts = story.facts.receipts.as_ref()?;
    let Received { honest, malicious, largest } = receipts.nodes.get(usize::try_from(row.node).ok()?)?;
    let of = |judged: &Judged, kind: &str| match judged.mean() {
        Some(alpha) => format!("{} from {kind} senders with mean α {}", grouped(judged.n), three(alpha)),
        None => format!("none from {kind} senders"),
    };
    let one_in = if receipts.one_in > 1 { format!(" (one in {} was recorded)", grouped(receipts.one_in.into())) } else { String::new() };
    let most = largest.map_or(String::new(), |(alpha, at)| {
        format!(" The largest α that it gave to a malicious model is {} at {}.", three(alpha), time(at as f64))
    });
    Some(format!("Received models{one_in}: {}, {}.{most}", of(honest, "honest"), of(malicious, "malicious")))
}
