//! Accuracy over time of several experiments: a line for each value of the main axis, a small figure for each combination of the others.

use super::super::super::figure::{Axis, Colour, Figure, Lines, Plot, Series, Stroke, Unit};
use super::super::super::names::DEFENSES;
use super::super::axes::{axis, range, series};
use super::super::section::Block;
use super::experiments::{Experiment, Experiments};
use super::seeds::{Band, over_seeds};

/// More lines than this cannot be told apart.
const MOST_LINES: usize = 8;
/// More small figures than this are not looked at.
const MOST_PANELS: usize = 12;

/// The figure, or why there is none.
pub fn curves(experiments: &Experiments, ndcg: &str) -> Option<Block> {
    let is_drawable = |experiment: &&Experiment| experiment.courses.iter().any(|course| course.points.len() > 1);
    let drawable: Vec<&Experiment> = experiments.all.iter().filter(is_drawable).collect();
    if drawable.is_empty() {
        return Some(Block::Remark(
            "No run has two recorded evaluations, so nothing is drawn over time. `record: (curve: All)` keeps them.".into(),
        ));
    }
    let band = Band::of(&drawable);
    let main = experiments.main_axis();
    let mut notes = Vec::new();
    let shown = shown_lines(experiments, main, &mut notes);
    let without: Vec<usize> = main.into_iter().collect();
    let mut rest = experiments.rest(&without);
    if rest.len() > MOST_PANELS {
        notes.push(format!("Only the first {MOST_PANELS} of {} combinations are drawn; the table has all.", rest.len()));
        rest.truncate(MOST_PANELS);
    }
    let y = y_axis(&drawable, ndcg);
    let panel = |rest: &Vec<String>| {
        let mut here: Vec<&&Experiment> = drawable.iter().filter(|experiment| experiment.rest(&without) == *rest).collect();
        if let Some(main) = main {
            here.retain(|experiment| shown.contains(&experiment.values[main]));
            here.sort_by_key(|experiment| shown.iter().position(|value| *value == experiment.values[main])); // stable
        }
        let mut lines: Vec<Series> = here.iter().map(|experiment| line(experiments, experiment, main, band)).collect();
        lines.extend(random(&drawable));
        let x = axis("virtual time", Unit::Time);
        (
            experiments.rest_label(rest, &without),
            Lines { x, second: None, y: y.clone(), series: lines, is_stacked: false, marks: Vec::new() },
        )
    };
    let mut panels: Vec<(String, Lines)> = rest.iter().map(panel).filter(|(_, lines)| lines.series.len() > 1).collect();
    let plot = if panels.len() == 1 { Plot::Lines(panels.remove(0).1) } else { Plot::Panels(panels) };
    notes.extend(differing_moments(&drawable));
    let caption = format!(
        "Mean {ndcg} of honest nodes on test queries, averaged over seeds{}.{} The dashed line is a random ranking.",
        band.words(),
        references(experiments)
    );
    Some(Figure { id: "accuracy-by-experiment".into(), title: title(experiments), caption, plot, notes }.into())
}

/// What the grey lines are, if there are any.
fn references(experiments: &Experiments) -> &'static str {
    let Some(main) = experiments.axis("defense") else { return "" };
    let has = |name: &str| experiments.axes[main].values.len() > 1 && experiments.all.iter().any(|e| e.defense() == name);
    match (has("Oracle"), has("None")) {
        (true, true) => {
            " Grey lines are to compare with: Oracle knows who is malicious, and without a defence every model counts alike (dotted)."
        }
        (true, false) => " The grey line is to compare with: Oracle knows who is malicious.",
        (false, true) => " The grey dotted line is to compare with: without a defence every model counts alike.",
        (false, false) => "",
    }
}

fn title(experiments: &Experiments) -> String {
    let by: Vec<String> = experiments.axes.iter().map(|axis| axis.name.clone()).collect();
    if by.is_empty() { "Accuracy over time".into() } else { format!("Accuracy over time by {}", super::super::words::list(&by)) }
}

/// The values of the main axis that get a line.
fn shown_lines(experiments: &Experiments, main: Option<usize>, notes: &mut Vec<String>) -> Vec<String> {
    let Some(axis) = main.map(|main| &experiments.axes[main]) else { return Vec::new() };
    let n = axis.values.len();
    if n <= MOST_LINES {
        return axis.values.clone();
    }
    notes.push(format!("Of {n} values of {} every {}th is drawn; the table has all.", axis.name, n.div_ceil(MOST_LINES)));
    axis.values.iter().step_by(n.div_ceil(MOST_LINES)).cloned().collect()
}

fn line(experiments: &Experiments, experiment: &Experiment, main: Option<usize>, band: Band) -> Series {
    let name = main.map_or(experiments.label(experiment), |main| experiment.values[main].clone());
    let nth = main.and_then(|main| experiments.axes[main].values.iter().position(|value| *value == experiment.values[main])).unwrap_or(0);
    let (colour, stroke) = looks(experiment, nth, main.is_some_and(|main| experiments.axes[main].name == "defense"));
    let (points, band) = over_seeds(&experiment.courses, band);
    Series { band, ..series(name, colour, stroke, points) }
}

/// A defence has one colour everywhere, and those that are only to compare with are grey.
fn looks(experiment: &Experiment, nth: usize, is_defense: bool) -> (Colour, Stroke) {
    let defense = experiment.defense();
    match (is_defense, defense) {
        (true, "Oracle") => (Colour::Reference, Stroke::Solid),
        (true, "None") => (Colour::Reference, Stroke::Dotted),
        _ => {
            let known = DEFENSES.iter().position(|name| *name == defense).filter(|_| is_defense);
            (Colour::Nth(known.unwrap_or(nth)), Stroke::Solid)
        }
    }
}

/// The random ranking of the first run that has one.
fn random(drawable: &[&Experiment]) -> Option<Series> {
    let course = drawable.iter().flat_map(|experiment| &experiment.courses).find(|course| course.random.is_some())?;
    let end = |experiment: &&Experiment| over_seeds(&experiment.courses, Band::Nothing).0.last().map(|(at, _)| *at);
    let end = drawable.iter().filter_map(end).fold(0.0, f64::max);
    let points = vec![(course.points.first()?.0, course.random), (end, course.random)];
    Some(series("random", Colour::Reference, Stroke::Dashed, points))
}

fn y_axis(drawable: &[&Experiment], ndcg: &str) -> Axis {
    let courses = || drawable.iter().flat_map(|experiment| &experiment.courses);
    let values = courses().flat_map(|course| &course.points).map(|(_, _, ndcg)| *ndcg);
    Axis { range: range(values.chain(courses().filter_map(|course| course.random)).chain([0.0]), 0.1), ..axis(ndcg, Unit::Number) }
}

/// A note if evaluations of one experiment are not at the same moments for all seeds.
fn differing_moments(drawable: &[&Experiment]) -> Option<String> {
    let moments = |course: &super::course::Course| course.points.iter().map(|(at, _, _)| *at).collect::<Vec<_>>();
    let differs = |experiment: &&Experiment| experiment.courses.windows(2).any(|pair| moments(&pair[0]) != moments(&pair[1]));
    drawable
        .iter()
        .any(differs)
        .then(|| "Seeds are evaluated at moments of their own; a point stands at the mean moment of its evaluation.".into())
}
