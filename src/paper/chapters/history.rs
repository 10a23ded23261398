//! The weight of a minimally poisoned model by the number of sessions that judge it.

use super::super::document::{Part, Table};
use super::super::found::OnData;
use super::{named, slug};
use crate::report::{Axis, Colour, Figure, Lines, Plot, Series, Stroke, Unit, three};

/// Lengths of the history in the table.
const SHOWN: [f64; 7] = [2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 100.0];

/// All data sets.
pub fn history(all: &[OnData]) -> Vec<Part> {
    let there = all.iter().filter(|data| !data.needed.is_empty());
    there.flat_map(|data| [Part::Figure(Box::new(figure(data))), Part::text(introduction(data)), Part::Table(table(data))]).collect()
}

fn introduction(data: &OnData) -> String {
    let seeds = data.needed.iter().map(|row| row.seeds).max().unwrap_or(0);
    format!("**{}**. Mean α ± standard deviation over {seeds} seeds, by the number of sessions that judge.", named(data))
}

fn forms(data: &OnData) -> Vec<&str> {
    let mut forms: Vec<&str> = Vec::new();
    for row in &data.needed {
        if !forms.contains(&row.form.as_str()) {
            forms.push(&row.form);
        }
    }
    forms
}

fn table(data: &OnData) -> Table {
    let row = |form: &&str| {
        let at = |sessions: &f64| data.needed.iter().find(|row| row.form == *form && row.sessions == *sessions);
        let cells =
            SHOWN.iter().map(|sessions| at(sessions).map_or("–".into(), |row| format!("{} ± {}", three(row.mean), three(row.sd))));
        [form.to_string()].into_iter().chain(cells).collect()
    };
    let head = ["IPM".to_string()].into_iter().chain(SHOWN.iter().map(|sessions| format!("{sessions:.0}"))).collect();
    Table { head, rows: forms(data).iter().map(row).collect(), n_words: 1 }
}

fn figure(data: &OnData) -> Figure {
    let line = |(nth, form): (usize, &&str)| {
        let points = data.needed.iter().filter(|row| row.form == **form).map(|row| (row.sessions, Some(row.mean))).collect();
        let stroke = if form.starts_with("step") { Stroke::Solid } else { Stroke::Dashed };
        Series { name: form.to_string(), colour: Colour::Nth(nth), stroke, points, band: Vec::new(), is_step: false }
    };
    let series = forms(data).iter().enumerate().map(line).collect();
    let x = Axis { label: "sessions that judge".into(), unit: Unit::Count, range: None, is_logarithmic: true };
    let y = Axis { label: "α".into(), unit: Unit::Number, range: Some((0.0, 1.0)), is_logarithmic: false };
    Figure {
        id: format!("sessions-needed-{}", slug(&data.label)),
        title: format!("The weight of a poisoned model: {}", named(data)),
        caption: "Mean α over seeds of a model that IPM makes for a node which learned alone, judged by the last sessions of its history. The paper: about 0 after 40 sessions \
                  for ε = 1, after 10 for ε = 10."
            .into(),
        plot: Plot::Lines(Lines { x, second: None, y, series, is_stacked: false, marks: Vec::new() }),
        notes: data.caution.iter().map(|caution| format!("Data: {caution}.")).collect(),
    }
}
