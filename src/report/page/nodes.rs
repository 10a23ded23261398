//! The nodes of a run: a table that can be sorted and filtered, whose rows open the node's life.

use super::choice::{listed, told};
use super::html::{escape, head};
use super::life::lives;
use super::section::{Block, Section};
use super::story::Story;
use super::tables::{Kept, kept, not_shown, sampled};
use super::words::{grouped, percent, three, time};
use crate::error::Result;
use crate::record::{NodeRow, Table};
use std::collections::BTreeSet;

const COLUMNS: [&str; 8] = ["node", "kind", "nDCG", "searches", "online", "exposure", "region", "first join"];

/// The section.
///
/// # Errors
/// The evaluations of single nodes cannot be read.
pub fn nodes(story: &Story) -> Result<Section> {
    let Kept::Rows { one_in } = kept(story.run, Table::Nodes) else {
        return Ok(Section::new("nodes", "Nodes", vec![Block::Remark(not_shown(story.run, Table::Nodes, "a list of the nodes"))]));
    };
    let (listed, told) = (listed(story), told(story));
    let with_life: BTreeSet<i32> = told.nodes.iter().copied().collect();
    let explanation = "nDCG and exposure are those of the last evaluation. Click a heading to sort, write into the field to filter, and click a row for the life of that node.";
    let mut blocks = vec![Block::Html(super::html::paragraph(explanation))];
    let remarks = [listed.words, told.words, sampled(one_in, Table::Nodes)];
    blocks.extend(remarks.into_iter().flatten().map(Block::Remark));
    let shown: BTreeSet<i32> = listed.nodes.into_iter().collect();
    let rows = story.facts.nodes.iter().filter(|row| shown.contains(&row.node));
    let rows: String = rows.map(|row| line(story, row, with_life.contains(&row.node))).collect();
    blocks.push(Block::Html(format!(
        "<div class=\"scroll\"><table class=\"nodes sortable\">\n{}<tbody>\n{rows}</tbody>\n</table></div>\n",
        head(&COLUMNS)
    )));
    blocks.push(Block::Html(lives(story, &told.nodes)?));
    Ok(Section::new("nodes", "Nodes", blocks))
}

fn line(story: &Story, row: &NodeRow, has_life: bool) -> String {
    let (facts, end) = (&story.facts, story.facts.end(row.node));
    let dash = || String::from("–");
    let cells = [
        row.node.to_string(),
        kind(row),
        end.map_or_else(dash, |end| three(end.ndcg)),
        facts.n_searches(row.node).map_or_else(dash, grouped),
        facts.uptime(row.node).map_or_else(dash, percent),
        end.and_then(|end| end.exposure).map_or_else(dash, three),
        row.region.into(),
    ];
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
    let joined = format!("<td data-v=\"{}\">{}</td>", row.first_join_ns.unwrap_or(i64::MAX), escape(&first_join(row)));
    let opens = if has_life { format!(" data-node=\"{}\"", row.node) } else { String::new() };
    format!("<tr{opens}>{cells}{joined}</tr>\n")
}

/// Honest, or malicious with its attack.
pub fn kind(row: &NodeRow) -> String {
    match (row.malicious, row.plays) {
        (true, Some(attack)) => format!("malicious, {attack}"),
        (true, None) => "malicious".into(),
        (false, _) => "honest".into(),
    }
}

pub fn first_join(row: &NodeRow) -> String {
    match row.first_join_ns {
        Some(0) => "at the start".into(),
        Some(ns) => time(ns as f64),
        None => "never".into(),
    }
}
