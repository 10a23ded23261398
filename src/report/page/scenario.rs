//! The scenario of a run as text. Of several runs the fields that differ are marked.

use super::super::setting::Run;
use super::html::escape;
use super::section::{Block, Section};
use std::collections::BTreeSet;

/// The scenario of one run, or of the first of several with what differs marked.
pub fn scenario(runs: &[&Run]) -> Section {
    let Some(first) = runs.first() else { return Section::new("scenario", "Scenario", Vec::new()) };
    let differing = differing(runs);
    let text: String = first.row.scenario.lines().map(|line| marked(line, &differing)).collect();
    let explanation = match runs.len() {
        1 => "The scenario with every default filled in. Saved as a file, it is the same experiment.".to_string(),
        _ => format!("The scenario of {}. Marked lines differ between the runs.", first.place.display()),
    };
    let text = format!("<pre class=\"scenario\">{text}</pre>\n");
    let blocks = vec![Block::Html(super::html::paragraph(&explanation)), Block::Html(text)];
    Section::new("scenario", "The scenario", blocks)
}

fn marked(line: &str, differing: &BTreeSet<String>) -> String {
    let line_text = escape(line);
    match field(line) {
        Some((name, _)) if differing.contains(name) => format!("<mark>{line_text}</mark>\n"),
        _ => format!("{line_text}\n"),
    }
}

/// Names of the fields whose values are not the same in all runs.
pub fn differing(runs: &[&Run]) -> BTreeSet<String> {
    let fields = |run: &Run| -> Vec<(String, String)> {
        run.row.scenario.lines().filter_map(field).map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    let Some(first) = runs.first().map(|run| fields(run)) else { return BTreeSet::new() };
    let mut names = BTreeSet::new();
    for run in &runs[1..] {
        let own = fields(run);
        let other = |one: &[(String, String)], two: &[(String, String)]| {
            one.iter().filter(|field| !two.contains(field)).map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        names.extend(other(&first, &own).into_iter().chain(other(&own, &first)));
    }
    // The name says nothing about what happens.
    names.remove("name");
    names
}

/// The name and the value of a field that stands on a line of its own.
pub fn field(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("    ")?.strip_suffix(',')?.split_once(": ")
}
