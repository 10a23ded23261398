//! The strip below the headline: six figures, each with its course over the run. A figure that the run does not have is left out.

use super::super::draw::sparkline;
use super::super::figure::Colour;
use super::html::escape;
use super::story::Story;
use super::tables::has_all;
use super::words::{counted, grouped, n_of, percent, three};
use crate::error::Result;
use crate::record::{CurveRow, OutcomeRow, Table};

/// One figure of the strip.
struct Stat {
    label: String,
    value: String,
    detail: String,
    lines: Vec<(Colour, Vec<Option<f64>>)>,
}

/// The strip as HTML.
///
/// # Errors
/// The outcomes of messages cannot be read.
pub fn strip(story: &Story) -> Result<String> {
    let stats = [ndcg(story), alpha(story), auc(story), exposure(story), delivered(story)?, online(story)];
    let stats: String = stats.iter().flatten().map(Stat::html).collect();
    Ok(if stats.is_empty() { String::new() } else { format!("<div class=\"strip\">\n{stats}</div>\n") })
}

impl Stat {
    fn html(&self) -> String {
        let lines: String = self.lines.iter().map(|(colour, points)| sparkline(points, *colour)).collect();
        let [label, value, detail] = [&self.label, &self.value, &self.detail].map(|text| escape(text));
        format!(
            "<div class=\"stat\"><span class=\"label\">{label}</span><span class=\"value\">{value}</span>{lines}<small>{detail}</small></div>\n"
        )
    }
}

fn ndcg(story: &Story) -> Option<Stat> {
    let last = story.last()?;
    let spread = format!("sd over nodes {} · worst 5\u{202f}% {}", three(last.ndcg_sd), three(last.ndcg_worst5));
    Some(Stat {
        label: format!("{} at the end", story.ndcg()),
        value: three(last.ndcg_mean),
        detail: format!("{spread} · {}", n_of(last.evaluated.max(0) as u64)),
        lines: vec![(Colour::Honest, course(story, |point| Some(point.ndcg_mean)))],
    })
}

fn alpha(story: &Story) -> Option<Stat> {
    let last = story.last()?;
    let malicious = last.alpha_malicious.map(|alpha| (three(alpha), " and malicious"));
    let (honest, of) = (three(last.alpha_honest?), format!("to honest{} senders", malicious.as_ref().map_or("", |(_, words)| words)));
    let mut lines = vec![(Colour::Honest, course(story, |point| point.alpha_honest))];
    lines.extend(last.alpha_malicious.map(|_| (Colour::Malicious, course(story, |point| point.alpha_malicious))));
    Some(Stat {
        label: "α in the last interval".into(),
        value: malicious.map_or(honest.clone(), |(alpha, _)| format!("{honest} · {alpha}")),
        detail: of,
        lines,
    })
}

fn auc(story: &Story) -> Option<Stat> {
    Some(Stat {
        label: "AUC of α".into(),
        value: three(story.last()?.auc?),
        detail: "honest against malicious senders in the last interval; 0.5 tells nothing, 1 everything".into(),
        lines: vec![(Colour::Nth(2), course(story, |point| point.auc))],
    })
}

fn exposure(story: &Story) -> Option<Stat> {
    let last = story.last().filter(|_| story.n_malicious() > 0)?;
    Some(Stat {
        label: "Exposure at the end".into(),
        value: three(last.exposure?),
        detail: format!("of honest models, put in by malicious nodes · pull {}", last.pull.map_or("–".into(), three)),
        lines: vec![(Colour::Malicious, course(story, |point| point.exposure))],
    })
}

fn delivered(story: &Story) -> Result<Option<Stat>> {
    let Some(last) = story.last().filter(|last| last.sent > 0) else { return Ok(None) };
    let share = |point: &CurveRow| (point.sent > 0).then(|| point.delivered as f64 / point.sent as f64);
    Ok(Some(Stat {
        label: "Messages delivered".into(),
        value: percent(last.delivered as f64 / last.sent as f64),
        detail: format!(
            "of {}{}",
            grouped(last.sent as u64),
            main_loss(story)?.map_or(String::new(), |loss| format!(" · most lost: {loss}"))
        ),
        lines: vec![(Colour::Nth(0), course(story, share))],
    }))
}

/// A column of the curve, evaluation by evaluation.
fn course(story: &Story, value: impl Fn(&CurveRow) -> Option<f64>) -> Vec<Option<f64>> {
    story.curve.iter().map(value).collect()
}

/// The most frequent reason of loss, with its number.
pub fn main_loss(story: &Story) -> Result<Option<String>> {
    if !has_all(story.run, Table::Outcomes) {
        return Ok(None);
    }
    let mut losses = story.run.table::<OutcomeRow>()?.all()?;
    losses.retain(|row| !matches!(row.outcome, "delivered" | "undelivered") && row.messages > 0);
    Ok(losses.iter().max_by_key(|row| row.messages).map(|row| format!("{} {}", row.outcome, grouped(row.messages as u64))))
}

/// The share of time that nodes were online: exactly from joins and leaves, or else averaged over evaluations.
fn online(story: &Story) -> Option<Stat> {
    let n_nodes = f64::from(story.run.row.n_nodes.max(1));
    let means: Vec<f64> = story.curve.iter().map(|point| f64::from(point.online_nodes) / n_nodes).collect();
    let (share, detail) = match story.facts.mean_uptime() {
        Some(share) => (share, "averaged over nodes".into()),
        None if means.is_empty() => return None,
        None => (crate::math::mean_sd(&means).0, format!("averaged over {}", counted(means.len() as u64, "evaluation"))),
    };
    let lines = vec![(Colour::Nth(0), course(story, |point| Some(f64::from(point.online_nodes))))];
    Some(Stat { label: "Share of time online".into(), value: percent(share), detail, lines })
}
