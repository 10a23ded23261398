//! Heat maps of a sweep: the two axes with most values against each other, one map for each combination of the others.

use super::super::super::figure::{Axis, Figure, HeatMap, Plot, Unit};
use super::super::axes::{axis, range};
use super::experiments::{Experiment, Experiments};

/// More maps than this are not looked at.
const MOST_MAPS: usize = 6;

pub fn heat_maps(experiments: &Experiments, ndcg: &str) -> Vec<Figure> {
    let Some([rows, columns]) = two_axes(experiments) else { return Vec::new() };
    let rest = experiments.rest(&[rows, columns]);
    let range = range(experiments.all.iter().filter_map(Experiment::mean), 0.01);
    let value = Axis { range, ..axis(format!("{ndcg} at the end"), Unit::Number) };
    let map = |(nth, rest_of): (usize, &Vec<String>)| {
        let where_ = if rest_of.is_empty() { String::new() } else { format!(": {}", experiments.rest_label(rest_of, &[rows, columns])) };
        let notes = (nth == 0 && rest.len() > MOST_MAPS)
            .then(|| format!("Only the first {MOST_MAPS} of {} combinations of the other axes have a map.", rest.len()));
        let names = [rows, columns].map(|place| experiments.axes[place].name.clone());
        Figure {
            id: format!("heat-map-{}", nth + 1),
            title: format!("Accuracy by {} and {}{where_}", names[0], names[1]),
            caption: format!("{ndcg} of honest nodes over the last 3 % of each run, averaged over seeds. Empty cells have no run."),
            plot: Plot::HeatMap(heat_map(experiments, [rows, columns], rest_of, value.clone())),
            notes: notes.into_iter().collect(),
        }
    };
    rest.iter().take(MOST_MAPS).enumerate().map(map).collect()
}

/// The two axes with most values, the one with more of them as columns.
fn two_axes(experiments: &Experiments) -> Option<[usize; 2]> {
    let mut places: Vec<usize> = (0..experiments.axes.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(experiments.axes[*place].values.len())); // stable
    match places[..] {
        [columns, rows, ..] => Some([rows, columns]),
        _ => None,
    }
}

fn heat_map(experiments: &Experiments, [rows, columns]: [usize; 2], rest: &[String], value: Axis) -> HeatMap {
    let at = |row: &String, column: &String| {
        let is_here = |experiment: &&Experiment| {
            experiment.values[rows] == *row && experiment.values[columns] == *column && experiment.rest(&[rows, columns]) == rest
        };
        experiments.all.iter().find(is_here).and_then(Experiment::mean)
    };
    let [of_rows, of_columns] = [rows, columns].map(|place| &experiments.axes[place]);
    HeatMap {
        cells: of_rows.values.iter().map(|row| of_columns.values.iter().map(|column| at(row, column)).collect()).collect(),
        columns: (of_columns.name.clone(), of_columns.values.clone()),
        rows: (of_rows.name.clone(), of_rows.values.clone()),
        value,
    }
}
