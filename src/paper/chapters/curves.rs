//! Figures over sessions: accuracy without a defence, ADAPT, the weights of honest and malicious models, the neural ranker.

use super::super::claims::RULES;
use super::super::document::Part;
use super::super::found::{Figures, OnData, Outcome, interval};
use super::{named, slug, with};
use crate::report::{Axis, Colour, DEFENSES, Figure, Lines, Plot, Series, Stroke, Unit};
use std::collections::BTreeMap;

/// What stands on the vertical axis.
type Value = fn(&Figures) -> Option<f64>;

fn ndcg(figures: &Figures) -> Option<f64> {
    Some(figures.ndcg)
}

/// Runs of one experiment on one data set, drawn over sessions.
struct Courses<'a> {
    data: &'a OnData,
    experiment: &'a str,
}

impl Courses<'_> {
    /// The mean over seeds with its interval.
    fn line(&self, sweep: &str, wanted: &[(&str, &str)], name: &str, looks: (Colour, Stroke), value: Value) -> Option<Series> {
        let runs: Vec<&Outcome> = self.data.runs(self.experiment, sweep, wanted).collect();
        let mut at: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for point in runs.iter().flat_map(|run| &run.course) {
            at.entry(point.sessions as u64).or_default().extend(value(point));
        }
        // Moments that not all seeds share would make the line jump.
        at.retain(|_, values| values.len() == runs.len());
        let points: Vec<(f64, Option<f64>)> =
            at.iter().map(|(at, values)| (*at as f64, Some(values.iter().sum::<f64>() / values.len() as f64))).collect();
        let band = at.iter().filter_map(|(at, values)| {
            let interval = interval(values)?;
            Some((*at as f64, interval.low, interval.high))
        });
        let (colour, stroke) = looks;
        (points.len() > 1).then(|| Series { name: name.into(), colour, stroke, points, band: band.collect(), is_step: false })
    }

    /// A random ranking, from the first run to the last session.
    fn random(&self, sweep: &str) -> Option<Series> {
        let run = self.data.runs(self.experiment, sweep, &[]).next()?;
        let points = vec![(run.course.first()?.sessions, Some(run.end.random)), (run.sessions, Some(run.end.random))];
        Some(Series { name: "random".into(), colour: Colour::Reference, stroke: Stroke::Dashed, points, band: Vec::new(), is_step: false })
    }

    /// A figure of several panels with the same axes.
    fn figure(&self, id: &str, title: String, caption: &str, y: &str, panels: Vec<(String, Vec<Series>)>) -> Option<Part> {
        let axis = |label: &str, unit| Axis { label: label.into(), unit, range: None, is_logarithmic: false };
        let values = panels.iter().flat_map(|(_, series)| series).flat_map(|series| &series.points).filter_map(|(_, y)| *y);
        let highest = values.fold(0.0, f64::max);
        let y = Axis { range: Some((0.0, (highest * 10.0 + 0.2).ceil() / 10.0)), ..axis(y, Unit::Number) };
        let xs = panels.iter().flat_map(|(_, series)| series).flat_map(|series| &series.points).map(|(x, _)| *x);
        // A little room on the right for the last label.
        let x = Axis { range: Some((0.0, 1.07 * xs.fold(0.0, f64::max))), ..axis("sessions", Unit::Count) };
        let lines = |series| Lines { x: x.clone(), second: None, y: y.clone(), series, is_stacked: false, marks: Vec::new() };
        let mut panels: Vec<(String, Lines)> =
            panels.into_iter().filter(|(_, series)| !series.is_empty()).map(|(title, series)| (title, lines(series))).collect();
        let plot = match panels.len() {
            0 => return None,
            1 => Plot::Lines(panels.remove(0).1),
            _ => Plot::Panels(panels),
        };
        let notes = self.data.caution.iter().map(|caution| format!("Data: {caution}.")).collect();
        let caption = format!("{caption} Means over seeds with 95 % intervals by Student's t.");
        let id = format!("{id}-{}", slug(&self.data.label));
        Some(Part::Figure(Box::new(Figure { id, title: format!("{title}: {}", named(self.data)), caption, plot, notes })))
    }
}

fn courses<'a>(all: &'a [OnData], experiment: &'a str) -> impl Iterator<Item = Courses<'a>> {
    with(all, experiment).map(move |data| Courses { data, experiment })
}

/// The nth further line.
fn nth(nth: usize) -> (Colour, Stroke) {
    (Colour::Nth(nth), Stroke::Solid)
}

/// A defence has one colour everywhere.
fn looks_of(defense: &str) -> (Colour, Stroke) {
    match defense {
        "Oracle" => (Colour::Reference, Stroke::Solid),
        "None" => (Colour::Reference, Stroke::Dotted),
        _ => nth(DEFENSES.iter().position(|name| *name == defense).unwrap_or(DEFENSES.len())),
    }
}

/// None under each attack, a panel for each reading.
pub fn motivation(all: &[OnData]) -> Vec<Part> {
    let figure = |courses: Courses| {
        let panel = |sweep: &&str| {
            let line = |(n, attack): (usize, &str)| courses.line(sweep, &[("attack", attack)], attack, nth(n), ndcg);
            let lines = ["FLIP", "LIE", "IPM"].into_iter().enumerate().filter_map(line);
            (sweep.to_string(), lines.chain(courses.random(sweep)).collect())
        };
        let panels = courses.data.sweeps_of(courses.experiment).iter().map(panel).collect();
        let caption = "Mean nDCG@10 of honest nodes that merge everything they receive with α = ½, by attack and reading of the paper. The paper shows a fall from 0.42 \
                       to 0.09 under FLIP on WEB30K.";
        courses.figure("motivation", "Accuracy without a defence".into(), caption, "nDCG@10", panels)
    };
    courses(all, "motivation").filter_map(figure).collect()
}

/// Convergence of all rules with perfect users, a panel for each reading and attack.
pub fn convergence(data: &OnData, experiment: &str) -> Option<Part> {
    let courses = Courses { data, experiment };
    let mut panels = Vec::new();
    for sweep in data.sweeps_of(experiment) {
        for attack in ["FLIP", "LIE", "IPM"] {
            let line = |defense: &&str| {
                let wanted = [("users", "perfect"), ("defense", defense), ("attack", attack)];
                let wanted = if matches!(*defense, "Oracle" | "Local") { &wanted[..2] } else { &wanted[..] };
                courses.line(sweep, wanted, defense, looks_of(defense), ndcg)
            };
            let series: Vec<Series> = ["Oracle", "Local"].iter().chain(&RULES).filter_map(line).collect();
            panels.push((format!("{attack}, {sweep}"), series));
        }
    }
    let caption = "Mean nDCG@10 of honest nodes with perfect users. Oracle knows who is malicious; no attack touches Oracle and Local.";
    courses.figure(&format!("{experiment}-convergence"), "Convergence by attack and reading".into(), caption, "nDCG@10", panels)
}

/// ADAPT against each defence.
pub fn adapt(all: &[OnData]) -> Vec<Part> {
    let figure = |courses: Courses| {
        let sweep = courses.data.sweeps_of("adapt").first()?.to_string();
        let defenses = courses.data.labels("adapt", &sweep, "defense");
        let line = |(n, defense): (usize, &String)| {
            let looks = if defense.starts_with("RankGuard-Rand") { nth(n) } else { looks_of(defense) };
            courses.line(&sweep, &[("defense", defense)], defense, looks, ndcg)
        };
        let series: Vec<Series> = defenses.iter().enumerate().filter_map(line).chain(courses.random(&sweep)).collect();
        let caption = "Mean nDCG@10 of honest nodes under ADAPT, perfect users. The paper: RankGuard-Rand (20 %) passes 0.40 at 17,500 sessions where RankGuard has 0.28 (WEB30K).";
        courses.figure("adapt", "Accuracy under ADAPT".into(), caption, "nDCG@10", vec![(String::new(), series)])
    };
    courses(all, "adapt").filter_map(figure).collect()
}

/// α by kind of sender: a figure for each reading with a panel for each attack and rule, and one for ADAPT, under which readings do not differ.
pub fn alpha(all: &[OnData]) -> Vec<Part> {
    let panel = |courses: &Courses, sweep: &str, title: String, wanted: &[(&str, &str)]| {
        let honest = courses.line(sweep, wanted, "honest senders", (Colour::Honest, Stroke::Solid), |f| f.alpha_honest);
        let malicious = courses.line(sweep, wanted, "malicious senders", (Colour::Malicious, Stroke::Dashed), |f| f.alpha_malicious);
        (title, honest.into_iter().chain(malicious).collect::<Vec<Series>>())
    };
    let mut parts = Vec::new();
    for courses in courses(all, "alpha") {
        for sweep in courses.data.sweeps_of("alpha") {
            let cases = ["RankGuard", "RankGuard-Rand"].into_iter().flat_map(|rule| ["FLIP", "LIE", "IPM"].map(|attack| (rule, attack)));
            let panels =
                cases.map(|(rule, attack)| panel(&courses, sweep, format!("{attack}, {rule}"), &[("defense", rule), ("attack", attack)]));
            let caption = format!("Mean weight that honest nodes gave to honest and to malicious senders, perfect users, reading {sweep}.");
            parts.extend(courses.figure(&format!("alpha-{sweep}"), format!("α over sessions, {sweep}"), &caption, "α", panels.collect()));
        }
    }
    for courses in courses(all, "adapt") {
        let rules = ["RankGuard", "RankGuard-Rand 20 %"].into_iter();
        let panels = rules.map(|rule| panel(&courses, "sweep", format!("ADAPT, {rule}"), &[("defense", rule)]));
        let caption = "Mean weight that honest nodes gave to honest and to malicious senders under ADAPT, perfect users.";
        parts.extend(courses.figure("alpha-adapt", "α over sessions under ADAPT".into(), caption, "α", panels.collect()));
    }
    parts
}

/// Both rankers with and without RankGuard, a panel for each attack and reading.
pub fn neural(all: &[OnData]) -> Vec<Part> {
    let figure = |courses: Courses| {
        let mut panels = Vec::new();
        for sweep in courses.data.sweeps_of("neural") {
            for attack in ["FLIP", "LIE", "IPM"] {
                let line = |ranker: &str, defense: &str, looks| {
                    let wanted = [("attack", attack), ("ranker", ranker), ("defense", defense)];
                    courses.line(sweep, &wanted, &format!("{ranker}, {defense}"), looks, ndcg)
                };
                let series = [
                    line("linear", "RankGuard", nth(0)),
                    line("neural", "RankGuard", nth(2)),
                    line("linear", "None", (Colour::Reference, Stroke::Dotted)),
                    line("neural", "None", (Colour::Reference, Stroke::Dashed)),
                ];
                panels.push((format!("{attack}, {sweep}"), series.into_iter().flatten().collect()));
            }
        }
        let caption = "Mean nDCG@10 of honest nodes with a linear and a neural ranker (64 hidden units), perfect users.";
        courses.figure("neural", "Linear and neural rankers".into(), caption, "nDCG@10", panels)
    };
    courses(all, "neural").filter_map(figure).collect()
}
