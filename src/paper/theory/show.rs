//! The theorem next to runs as table and figures: data, neither printed nor drawn here.

use super::{Stretch, THEOREM_NOTE, Theory, TheoryRun, Weights};
use crate::math;
use crate::report::{Axis, Colour, Figure, Lines, Plot, Series, Stroke, Unit};

/// A number of each stretch of a run.
type Of = fn(&Stretch) -> Option<f64>;

/// The columns of the table behind attack and defence, each with what it shows of a whole run.
const COLUMNS: [(&str, Of); 11] = [
    ("â", |part| known(&part.assumed.weights, Weights::mean)),
    ("v", |part| known(&part.assumed.weights, Weights::variance)),
    ("s*", |part| part.assumed.weights.effective_in_degree()),
    ("s*, honest senders", |part| part.honest.weights.effective_in_degree()),
    ("s*, malicious senders", |part| part.malicious.effective_in_degree()),
    ("one merge per node leaves, assumed", |part| part.assumed.constant),
    ("one merge per node leaves, honest nodes", |part| part.honest.constant),
    ("consensus distance, assumed", |part| part.assumed.distance),
    ("consensus distance, honest nodes", |part| part.honest.distance),
    ("consensus distance, measured", measured),
    ("measured by assumed", |part| Some(measured(part)? / part.assumed.distance?)),
];

fn known(weights: &Weights, of: fn(&Weights) -> f64) -> Option<f64> {
    (weights.n > 0).then(|| of(weights))
}

fn measured(part: &Stretch) -> Option<f64> {
    part.measured.map(|measured| measured.relative)
}

/// Runs that differ in their seed alone.
struct Group<'a> {
    attack: &'a str,
    defense: &'a str,
    runs: Vec<&'a TheoryRun>,
}

fn groups(theory: &Theory) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = Vec::new();
    for run in &theory.runs {
        match groups.iter_mut().find(|group| (group.attack, group.defense) == (&run.attack, &run.defense)) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { attack: &run.attack, defense: &run.defense, runs: vec![run] }),
        }
    }
    groups
}

/// A table of whole runs: the header, then a row per attack and defence with means over seeds. Where there are several seeds, standard
/// deviations stand behind the means.
pub fn theory_rows(theory: &Theory) -> Vec<Vec<String>> {
    let before = ["attack", "defence", "seeds", "judgements"].map(String::from);
    let mut rows = vec![before.into_iter().chain(COLUMNS.map(|(name, _)| name.to_string())).collect::<Vec<_>>()];
    rows.extend(groups(theory).iter().map(row));
    rows
}

fn row(group: &Group) -> Vec<String> {
    let n_judgements: u64 = group.runs.iter().map(|run| run.whole.assumed.weights.n).sum();
    let mut cells = vec![group.attack.into(), group.defense.into(), group.runs.len().to_string(), n_judgements.to_string()];
    for (_, of) in COLUMNS {
        let values: Option<Vec<f64>> = group.runs.iter().map(|run| of(&run.whole)).collect();
        cells.push(values.map_or_else(|| "–".into(), |values| cell(&values)));
    }
    cells
}

/// A mean, with the standard deviation if there are several values that differ.
fn cell(values: &[f64]) -> String {
    let (mean, sd) = math::mean_sd(values);
    if values.len() > 1 && sd > 0.0 { format!("{} ± {}", number(mean), number(sd)) } else { number(mean) }
}

/// A number to three digits that count.
fn number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size < 1e-3 => format!("{value:.2e}"),
        size if size < 0.1 => format!("{value:.4}"),
        size if size < 10.0 => format!("{value:.3}"),
        _ => format!("{value:.1}"),
    }
}

/// s* over sessions, and the consensus distance as expected and as measured. Lines are means over seeds, bands reach from the smallest to the
/// largest.
pub fn theory_figures(theory: &Theory) -> Vec<Figure> {
    let groups = groups(theory);
    if groups.is_empty() { Vec::new() } else { vec![in_degree(&groups), distance(&groups)] }
}

fn in_degree(groups: &[Group]) -> Figure {
    let mut panels = Vec::new();
    let sides: [(&str, Of); 3] = [
        ("all senders", |part| part.assumed.weights.effective_in_degree()),
        ("honest senders", |part| part.honest.weights.effective_in_degree()),
        ("malicious senders", |part| part.malicious.effective_in_degree()),
    ];
    for (nth, group) in groups.iter().enumerate().filter(|(nth, group)| groups[..*nth].iter().all(|other| other.attack != group.attack)) {
        let of_attack: Vec<&Group> = groups[nth..].iter().filter(|other| other.attack == group.attack).collect();
        let is_attacked = group.runs.iter().any(|run| run.is_attacked);
        for (side, of) in sides.iter().take(if is_attacked { 3 } else { 1 }) {
            let stroke = |nth: usize| [Stroke::Solid, Stroke::Dashed, Stroke::Dotted, Stroke::Thin][nth % 4];
            let series = of_attack.iter().enumerate().map(|(nth, group)| series(group, group.defense, *of, Colour::Nth(nth), stroke(nth)));
            let y = Axis { label: "s*".into(), unit: Unit::Number, range: Some((0.0, 1.05)), is_logarithmic: false };
            panels.push((format!("{}, {side}", group.attack), lines(y, series.collect())));
        }
    }
    Figure {
        id: "effective-in-degree".into(),
        title: "The effective in-degree s* over sessions".into(),
        caption: "How many models a node averages with its own at each merge, in effect: 1 if every α is ½, 0 if nothing is merged or models are \
                  taken over whole. The theorem has one s* for all judgements; it does not ask who sent a model."
            .into(),
        plot: Plot::Panels(panels),
        notes: vec![THEOREM_NOTE.into()],
    }
}

fn distance(groups: &[Group]) -> Figure {
    let panel = |group: &Group| {
        let columns: [(&str, Of, Colour, Stroke); 3] = [
            ("measured", measured, Colour::Honest, Stroke::Solid),
            ("expected: all alike", |part| part.assumed.distance, Colour::Reference, Stroke::Dashed),
            ("expected: honest nodes", |part| part.honest.distance, Colour::Reference, Stroke::Dotted),
        ];
        let y = Axis { label: "consensus distance".into(), unit: Unit::Number, range: None, is_logarithmic: true };
        let series = columns.map(|(name, of, colour, stroke)| series(group, name, of, colour, stroke));
        (format!("{}, {}", group.attack, group.defense), lines(y, series.into()))
    };
    Figure {
        id: "consensus-distance".into(),
        title: "How far honest models are from each other, expected and measured".into(),
        caption: "The mean squared distance of honest models from their mean, relative to the squared norm of that mean. Expected under the \
                  theorem's assumptions (all nodes honest and alike, α independent of the models), and for honest nodes among themselves."
            .into(),
        plot: Plot::Panels(groups.iter().map(panel).collect()),
        notes: vec![
            THEOREM_NOTE.into(),
            "Learning is taken to drive models apart as much as it does on average under None without an attack, which therefore agrees with \
             itself by construction."
                .into(),
        ],
    }
}

fn lines(y: Axis, series: Vec<Series>) -> Lines {
    let x = Axis { label: "sessions".into(), unit: Unit::Count, range: None, is_logarithmic: false };
    Lines { x, second: None, y, series, is_stacked: false, marks: Vec::new() }
}

/// One line: at the end of each interval the mean over the runs of a group.
fn series(group: &Group, name: &str, of: Of, colour: Colour, stroke: Stroke) -> Series {
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for (nth, part) in group.runs[0].intervals.iter().enumerate() {
        let (at, values) = (part.to as f64, group.runs.iter().map(|run| run.intervals.get(nth).and_then(of)).collect::<Option<Vec<f64>>>());
        points.push((at, values.as_ref().map(|values| math::mean_sd(values).0)));
        if let Some(values) = values.filter(|values| values.len() > 1) {
            let (low, high) =
                values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)));
            band.push((at, low, high));
        }
    }
    Series { name: name.into(), colour, stroke, points, band, is_step: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_the_digits_that_count() {
        for (value, expect) in [(0.0, "0"), (1.0, "1.000"), (0.05281, "0.0528"), (0.0001591, "1.59e-4"), (107.84, "107.8")] {
            assert_eq!(number(value), expect);
        }
        assert_eq!(cell(&[0.5, 0.5]), "0.500");
        assert_eq!(cell(&[0.5, 0.7]), "0.600 ± 0.141");
    }
}
