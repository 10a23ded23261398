//! What the runs of a page are: what they differ in, and every run with its figure.

use super::super::super::setting::Run;
use super::super::html::{escape, folded, head, paragraph};
use super::super::section::{Block, Section};
use super::super::words::{counted, grouped, list, three};
use super::course::Course;
use super::experiments::{Axis, Experiment, Experiments};

/// Values of an axis that are listed.
const MOST_VALUES: usize = 20;
/// Runs that are listed.
const MOST_RUNS: usize = 2_000;

/// What differs between the runs.
pub fn differences(experiments: &Experiments) -> Section {
    let rows: String = experiments.axes.iter().map(difference).collect();
    let (fewest, most) = experiments.seeds();
    let seeds = if fewest == most {
        counted(most as u64, "seed")
    } else {
        format!("{} to {}", grouped(fewest as u64), counted(most as u64, "seed"))
    };
    let intro = paragraph(&format!("{} with {seeds} each.", counted(experiments.all.len() as u64, "experiment")));
    let table = format!("<div class=\"scroll\"><table>\n{}<tbody>\n{rows}</tbody>\n</table></div>\n", head(&["field or axis", "values"]));
    let table = if rows.is_empty() { "<p>The runs differ in nothing but their seeds.</p>\n".into() } else { table };
    Section::new("differences", "What differs between the runs", vec![Block::Html(intro + &table)])
}

fn difference(axis: &Axis) -> String {
    let shown = axis.values.iter().take(MOST_VALUES).map(|value| format!("<code>{}</code>", escape(value))).collect::<Vec<_>>().join(" · ");
    let more = axis.values.len().saturating_sub(MOST_VALUES);
    let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
    format!("<tr><th>{}</th><td>{shown}{more}</td></tr>\n", escape(&axis.name))
}

/// Every run, folded away.
pub fn runs(experiments: &Experiments, remarks: &[String]) -> Section {
    let n: usize = experiments.all.iter().map(|experiment| experiment.runs.len()).sum();
    let rows: String = experiments.all.iter().flat_map(|experiment| lines(experiments, experiment)).take(MOST_RUNS).collect();
    let heads = ["run", "experiment", "seed", "nDCG", "fingerprint"];
    let table = format!("<div class=\"scroll\"><table class=\"sortable\">\n{}<tbody>\n{rows}</tbody>\n</table></div>\n", head(&heads));
    let mut blocks = vec![Block::Html(folded(&format!("All {}", counted(n as u64, "run")), &table))];
    if n > MOST_RUNS {
        blocks.push(Block::Remark(format!("The list has the first {} runs; `rankguard figures` prints all.", grouped(MOST_RUNS as u64))));
    }
    blocks.extend(versions(experiments).map(Block::Remark));
    blocks.extend(remarks.iter().map(|remark| Block::Remark(remark.clone())));
    Section::new("runs", "The runs", blocks)
}

fn lines(experiments: &Experiments, experiment: &Experiment) -> Vec<String> {
    let label = experiments.label(experiment);
    let line = |(run, course): (&&Run, &Course)| {
        let cells = [
            run.place.display().to_string(),
            label.clone(),
            run.seed.to_string(),
            course.end.map_or("–".into(), three),
            run.fingerprint.clone(),
        ];
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    experiment.runs.iter().zip(&experiment.courses).map(line).collect()
}

/// The versions of the program that made the runs.
fn versions(experiments: &Experiments) -> Option<String> {
    let mut versions: Vec<String> = experiments.all.iter().flat_map(|experiment| &experiment.runs).map(|run| run.version.clone()).collect();
    versions.sort();
    versions.dedup();
    let words = list(&versions);
    Some(if versions.len() > 1 {
        format!("These are runs of several versions of the program: {words}.")
    } else {
        format!("Made by rankguard {words}.")
    })
}
