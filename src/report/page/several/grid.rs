//! Many experiments as one table, shaped like the paper's: a column for each defence, a line for everything else that varies.

use super::super::html::{escape, head, paragraph};
use super::super::section::Block;
use super::super::words::three;
use super::experiments::{Experiment, Experiments};
use super::seeds::interval;

/// More lines than this belong into a file of comma-separated values.
const MOST_LINES: usize = 200;

/// A cell: its mean over seeds and its text.
type Cell = Option<(f64, String)>;

pub fn grid(experiments: &Experiments, ndcg: &str) -> Vec<Block> {
    let Some(main) = experiments.main_axis() else { return Vec::new() };
    let (columns, rest) = (&experiments.axes[main].values, experiments.rest(&[main]));
    let lines: String = rest.iter().take(MOST_LINES).map(|rest| line(experiments, main, rest)).collect();
    let names = experiments.axes.iter().enumerate().filter(|(place, _)| *place != main).map(|(_, axis)| axis.name.as_str());
    let heads: Vec<&str> = names.chain(columns.iter().map(String::as_str)).collect();
    let explanation = format!(
        "{ndcg} of honest nodes over the last 3 % of each run: {}. The best of a line is set bold, the second best is underlined; Oracle, which knows who \
         is malicious, does not compete.",
        what(experiments.seeds())
    );
    let table = format!("<div class=\"scroll\"><table class=\"paper\">\n{}<tbody>\n{lines}</tbody>\n</table></div>\n", head(&heads));
    let mut blocks = vec![Block::Html(paragraph(&explanation)), Block::Html(table)];
    if rest.len() > MOST_LINES {
        blocks.push(Block::Remark(format!("The first {MOST_LINES} of {} lines are shown; `rankguard figures` prints all.", rest.len())));
    }
    blocks
}

/// What a cell holds.
fn what((fewest, most): (usize, usize)) -> String {
    match (fewest, most) {
        (1, 1) => "one seed, so differences may be chance (n = 1)".into(),
        (n, m) if n == m => format!("mean over seeds ± half of its 95 % interval by Student's t (n = {n} in every cell)"),
        _ => "mean over seeds ± half of its 95 % interval by Student's t, with the number of seeds n".into(),
    }
}

fn line(experiments: &Experiments, main: usize, rest: &[String]) -> String {
    let here: Vec<&Experiment> = experiments.all.iter().filter(|experiment| experiment.rest(&[main]) == rest).collect();
    let of = |value: &String| here.iter().find(|experiment| experiment.values[main] == *value).copied();
    let columns: Vec<Option<&Experiment>> = experiments.axes[main].values.iter().map(of).collect();
    let (fewest, most) = experiments.seeds();
    let cells: Vec<Cell> = columns.iter().map(|experiment| experiment.and_then(|experiment| cell(experiment, fewest != most))).collect();
    let competes = |experiment: &Option<&Experiment>| {
        experiment.is_some_and(|e| e.runs.first().is_some_and(|run| run.scenario.defense.name() != "Oracle"))
    };
    let marks = marks(&cells, &columns.iter().map(competes).collect::<Vec<_>>());
    let labels: String = rest.iter().map(|label| format!("<th>{}</th>", escape(label))).collect();
    let texts = cells.iter().zip(marks).map(|(cell, mark)| {
        let text = cell.as_ref().map_or("–".into(), |(_, text)| escape(text));
        format!("<td{mark}>{text}</td>")
    });
    format!("<tr>{labels}{}</tr>\n", texts.collect::<String>())
}

/// The mean over seeds with its interval, and the number of seeds where it is not the same everywhere.
fn cell(experiment: &Experiment, says_n: bool) -> Cell {
    let ends = experiment.ends();
    let mean = experiment.mean()?;
    let spread = interval(&ends).map_or(String::new(), |(_, half)| format!(" ± {}", three(half)));
    let n = if says_n { format!(" (n = {})", ends.len()) } else { String::new() };
    Some((mean, format!("{}{spread}{n}", three(mean))))
}

/// The class of each cell. Equal figures share their place.
fn marks(cells: &[Cell], competes: &[bool]) -> Vec<&'static str> {
    let shown = |mean: f64| (mean * 1000.0).round() as i64;
    let values: Vec<Option<i64>> =
        cells.iter().zip(competes).map(|(cell, competes)| cell.as_ref().filter(|_| *competes).map(|(mean, _)| shown(*mean))).collect();
    let best = values.iter().flatten().max().copied();
    let second = values.iter().flatten().filter(|value| Some(**value) != best).max().copied();
    let mark = |value: &Option<i64>| match value {
        Some(_) if values.iter().flatten().count() < 2 => "",
        Some(_) if *value == best => " class=\"best\"",
        Some(_) if *value == second => " class=\"second\"",
        _ => "",
    };
    values.iter().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(cells: &[Option<f64>], competes: &[bool], expect: &str) {
        let cells: Vec<Cell> = cells.iter().map(|mean| mean.map(|mean| (mean, String::new()))).collect();
        let short = |mark: &str| {
            if mark.contains("best") {
                'b'
            } else if mark.contains("second") {
                's'
            } else {
                '.'
            }
        };
        assert_eq!(marks(&cells, competes).into_iter().map(short).collect::<String>(), expect);
    }

    #[test]
    fn the_best_and_the_second_best_are_marked() {
        check(&[Some(0.9), Some(0.5), Some(0.6), None, Some(0.1)], &[false, true, true, true, true], ".sb..");
        check(&[Some(0.5), Some(0.5001), Some(0.4)], &[true; 3], "bbs");
        check(&[Some(0.5)], &[true], ".");
        check(&[], &[], "");
    }
}
