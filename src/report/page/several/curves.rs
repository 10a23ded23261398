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
pub fn curves(experiments: &Experiments, ndcg: &str) -> Block {
    let is_drawable = |experiment: &&Experiment| experiment.courses.iter().any(|course| course.points.len() > 1);
    let drawable: Vec<&Experiment> = experiments.all.iter().filter(is_drawable).collect();
    if drawable.is_empty() {
        let why = "No run has two recorded evaluations, so nothing is drawn over time. `record: (curve: All)` in the scenario keeps them.";
        return Block::Remark(why.into());
    }
    let figure = Curves { experiments, main: experiments.main_axis(), band: Band::of(&drawable), y: y_axis(&drawable, ndcg), drawable };
    figure.draw(ndcg).into()
}

struct Curves<'a> {
    experiments: &'a Experiments<'a>,
    /// Experiments of which at least one run has a curve.
    drawable: Vec<&'a Experiment<'a>>,
    /// The axis whose values are lines.
    main: Option<usize>,
    band: Band,
    y: Axis,
}

impl Curves<'_> {
    fn draw(&self, ndcg: &str) -> Figure {
        let (shown, mut notes) = (self.shown(), Vec::new());
        let n_values = self.main.map_or(0, |main| self.experiments.axes[main].values.len());
        if shown.len() < n_values {
            notes.push(format!("Lines are drawn for {} of {n_values} values; the table has all.", shown.len()));
        }
        let rest = self.experiments.rest(&self.without());
        if rest.len() > MOST_PANELS {
            notes.push(format!("Only the first {MOST_PANELS} of {} combinations are drawn; the table has all.", rest.len()));
        }
        let mut panels: Vec<(String, Lines)> = rest.iter().take(MOST_PANELS).filter_map(|rest| self.panel(rest, &shown)).collect();
        let plot = if panels.len() == 1 { Plot::Lines(panels.remove(0).1) } else { Plot::Panels(panels) };
        notes.extend(differing_moments(&self.drawable));
        let caption = format!(
            "Mean {ndcg} of honest nodes on test queries, averaged over seeds{}.{} The dashed line is a random ranking.",
            self.band.words(),
            references(self.experiments)
        );
        Figure { id: "accuracy-by-experiment".into(), title: title(self.experiments), caption, plot, notes }
    }

    fn without(&self) -> Vec<usize> {
        self.main.into_iter().collect()
    }

    /// The values of the main axis that get a line.
    fn shown(&self) -> Vec<String> {
        let Some(axis) = self.main.map(|main| &self.experiments.axes[main]) else { return Vec::new() };
        axis.values.iter().step_by(axis.values.len().div_ceil(MOST_LINES)).cloned().collect()
    }

    /// A small figure with its title, if it has a line.
    fn panel(&self, rest: &[String], shown: &[String]) -> Option<(String, Lines)> {
        let mut here: Vec<&&Experiment> = self.drawable.iter().filter(|experiment| experiment.rest(&self.without()) == rest).collect();
        if let Some(main) = self.main {
            here.retain(|experiment| shown.contains(&experiment.values[main]));
            here.sort_by_key(|experiment| shown.iter().position(|value| *value == experiment.values[main])); // stable
        }
        let own = here.iter().map(|experiment| line(self.experiments, experiment, self.main, self.band));
        let series: Vec<Series> = own.chain(random(&self.drawable)).collect();
        let lines =
            Lines { x: axis("virtual time", Unit::Time), second: None, y: self.y.clone(), series, is_stacked: false, marks: Vec::new() };
        (!here.is_empty()).then(|| (self.experiments.rest_label(rest, &self.without()), lines))
    }
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
