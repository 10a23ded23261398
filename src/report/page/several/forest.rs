//! Paired differences against a baseline: a forest plot, and each comparison in a sentence.

use super::super::super::compare::{self, Comparison, Contrast, Question};
use super::super::super::figure::{Figure, Interval, Intervals, Plot, Unit};
use super::super::super::metric::{Metric, Moment};
use super::super::super::setting::Run;
use super::super::axes::axis;
use super::super::html::{escape, folded};
use super::super::section::{Block, Section};
use super::super::words::{counted, list, three};
use super::experiments::Experiments;

/// More lines than this are not read.
const MOST_LINES: usize = 40;

/// What was compared, or why nothing could be.
pub fn comparison(runs: &[Run], experiments: &Experiments, by: &[String], baseline: Option<&str>) -> Result<Comparison, String> {
    let Some(main) = experiments.main_axis() else { return Err("all runs are of one experiment, so there is nothing to compare".into()) };
    let by = if by.is_empty() { vec![experiments.axes[main].name.clone()] } else { by.to_vec() };
    let ask = |baseline: Option<String>| {
        let question =
            Question { by: by.clone(), metrics: vec![Metric::Ndcg], at: Moment::Last(Default::default()), level: 0.95, baseline };
        compare::of(runs, &question).map_err(|problem| problem.to_string())
    };
    match baseline {
        Some(baseline) => ask(Some(baseline.into())),
        // RankGuard is what all this is about; without it the first run is compared with.
        None => ask(Some("RankGuard".into())).or_else(|_| ask(None)),
    }
}

pub fn forest(comparison: &Result<Comparison, String>, ndcg: &str) -> Section {
    let blocks = match comparison {
        Err(problem) => vec![Block::Remark(format!("Not compared by seeds: {problem}."))],
        Ok(comparison) => compared(comparison, ndcg),
    };
    Section::new("comparison", "Differences, seed by seed", blocks)
}

fn compared(comparison: &Comparison, ndcg: &str) -> Vec<Block> {
    let rows: Vec<Interval> = comparison.contrasts.iter().filter_map(row).take(MOST_LINES).collect();
    let mut blocks = Vec::new();
    if let Some(first) = comparison.contrasts.first().filter(|_| !rows.is_empty()) {
        let n = comparison.contrasts.len();
        let notes =
            (n > MOST_LINES).then(|| format!("The first {MOST_LINES} of {n} comparisons are drawn; `rankguard compare` prints all."));
        let figure = Figure {
            id: "paired-differences".into(),
            title: format!("Differences from {}", first.baseline.label),
            caption: format!(
                "Mean {ndcg} {} minus that of {} with the same seed; right of 0 is better. A dot is a seed, the bar a 95 % interval of the mean by Student's t (from \
                 three seeds on). An interval that holds 0 leaves open which side is better. All runs have in common: {}.",
                comparison.at, first.baseline.label, comparison.equal
            ),
            plot: Plot::Intervals(Intervals { x: axis(format!("difference of {ndcg}"), Unit::Number), rows }),
            notes: notes.into_iter().chain(comparison.remarks.iter().map(|remark| sentence_of(remark))).collect(),
        };
        blocks.push(figure.into());
    }
    blocks.push(Block::Html(sentences(comparison)));
    blocks
}

fn row(contrast: &Contrast) -> Option<Interval> {
    let mean = contrast.difference?;
    let interval = contrast.paired.map(|interval| (interval.low, interval.high));
    let half = contrast.paired.map_or(String::new(), |interval| format!(" ± {}", three(interval.half_width())));
    Some(Interval {
        label: label(contrast),
        mean,
        interval,
        dots: contrast.differences().into_iter().map(|(_, difference)| difference).collect(),
        text: format!("{}{half}, n = {}", three(mean), contrast.pairs.len()),
    })
}

/// The compared side, and where it is compared.
pub fn label(contrast: &Contrast) -> String {
    let named =
        |name: &String, value: &String| if value.starts_with(char::is_uppercase) { value.clone() } else { format!("{name} {value}") };
    let place: Vec<String> = contrast.setting.iter().map(|(name, value)| named(name, value)).collect();
    if place.is_empty() { contrast.other.label.clone() } else { format!("{} · {}", contrast.other.label, place.join(" · ")) }
}

/// Each comparison as a sentence, with where it holds.
pub fn sentence(contrast: &Contrast) -> String {
    let place: Vec<String> = contrast.setting.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let place = if place.is_empty() { String::new() } else { format!("With {}: ", list(&place)) };
    // A sentence that finds no difference does not say between whom.
    let sides = if contrast.sentence.contains(&contrast.other.label) {
        String::new()
    } else {
        format!("{} and {}: ", contrast.other.label, contrast.baseline.label)
    };
    sentence_of(&format!("{place}{sides}{}", contrast.sentence))
}

/// With a full stop at its end.
fn sentence_of(text: &str) -> String {
    let mut signs = text.chars();
    let first = signs.next().map(|sign| sign.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", signs.as_str().trim_end_matches('.'))
}

fn sentences(comparison: &Comparison) -> String {
    let items: String =
        comparison.contrasts.iter().take(MOST_LINES).map(|contrast| format!("<li>{}</li>\n", escape(&sentence(contrast)))).collect();
    folded(&format!("{} in words", counted(comparison.contrasts.len() as u64, "comparison")), &format!("<ul>\n{items}</ul>\n"))
}
