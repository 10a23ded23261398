//! What the network did: who was online, what became of messages, and how old what models know is.

use super::super::figure::{Axis, Bar, Bars, Colour, Figure, Lines, Plot, Stroke, Unit};
use super::axes::{axis, has_values, over_time, series};
use super::section::{Block, Section};
use super::story::Story;
use super::tables::{Kept, has_all, kept, not_shown};
use super::words::{bytes, counted, grouped, percent, time};
use crate::error::Result;
use crate::record::{CurveRow, HistogramRow, OutcomeRow, Table};

/// The section.
///
/// # Errors
/// A table cannot be read.
pub fn network(story: &Story) -> Result<Section> {
    let mut blocks: Vec<Block> = Vec::new();
    blocks.extend(online(story).map(Block::from));
    blocks.extend(changes(story));
    blocks.extend(messages_over_time(story).map(Block::from));
    blocks.extend(outcomes(story)?);
    blocks.extend(delays(story)?);
    blocks.extend(age(story).map(Block::from));
    Ok(Section::new("network", "What the network did", blocks))
}

/// Nodes online over time: from joins and leaves if all were recorded, else at evaluations.
fn online(story: &Story) -> Option<Figure> {
    let n_nodes = story.run.row.n_nodes.max(0);
    let points = match &story.facts.presence {
        Some(presence) => presence.parts.iter().map(|part| (part.until_ns as f64, Some(f64::from(part.online)))).collect(),
        None if story.has_time() => story.over_time(|point| Some(f64::from(point.online_nodes))),
        None => return None,
    };
    let share = story.facts.mean_uptime();
    let lines = vec![
        super::super::figure::Series { is_step: true, ..series("online", Colour::Nth(0), Stroke::Solid, points.clone()) },
        series("all nodes", Colour::Reference, Stroke::Dashed, points.iter().map(|(at, _)| (*at, Some(f64::from(n_nodes)))).collect()),
    ];
    let y = Axis { range: Some((0.0, f64::from(n_nodes.max(1)))), ..axis("nodes", Unit::Count) };
    Some(Figure {
        id: "nodes-online".into(),
        title: share.map_or("Nodes online".into(), |share| format!("On average {} of the nodes are online", percent(share))),
        caption: format!("Nodes online, malicious ones included, of {} in all.", grouped(n_nodes as u64)),
        plot: Plot::Lines(over_time(&story.clock, y, lines)),
        notes: Vec::new(),
    })
}

fn changes(story: &Story) -> Option<Block> {
    let Some(presence) = &story.facts.presence else {
        return Some(Block::Remark(not_shown(story.run, Table::Presence, "joins and leaves, and the time that nodes were online")));
    };
    let (joins, leaves): (u64, u64) =
        presence.parts.iter().fold((0, 0), |(j, l), part| (j + u64::from(part.joins), l + u64::from(part.leaves)));
    if joins + leaves == 0 {
        return Some(Block::Remark("Nobody joined or left while the run went on.".into()));
    }
    let points = |of: fn(&super::presence::Part) -> u32| {
        presence.parts.iter().map(|part| (part.until_ns as f64, Some(f64::from(of(part))))).collect()
    };
    let lines = vec![
        series("joins", Colour::Nth(0), Stroke::Solid, points(|part| part.joins)),
        series("leaves", Colour::Nth(1), Stroke::Dotted, points(|part| part.leaves)),
    ];
    let part = presence.parts.first().map_or(0, |part| part.until_ns);
    Some(
        Figure {
            id: "joins-and-leaves".into(),
            title: format!("{} and {}", counted(joins, "join"), counted(leaves, "leave")),
            caption: format!("Joins and leaves in parts of {} each.", time(part as f64)),
            plot: Plot::Lines(over_time(&story.clock, axis("nodes", Unit::Count), lines)),
            notes: Vec::new(),
        }
        .into(),
    )
}

/// Messages since the previous evaluation by outcome, stacked.
fn messages_over_time(story: &Story) -> Option<Figure> {
    let last = story.last().filter(|last| story.has_time() && last.sent > 0)?;
    let since = |of: fn(&CurveRow) -> i64| -> Vec<(f64, Option<f64>)> {
        let pairs = story.curve.windows(2);
        pairs.map(|pair| (pair[1].at_ns as f64, Some((of(&pair[1]) - of(&pair[0])).max(0) as f64))).collect()
    };
    let lines = vec![
        series("delivered", Colour::Nth(0), Stroke::Solid, since(|point| point.delivered)),
        series("lost", Colour::Reference, Stroke::Dotted, since(|point| point.lost)),
    ];
    let plot = Plot::Lines(Lines { is_stacked: true, ..over_time(&story.clock, axis("messages", Unit::Count), lines) });
    let sent = last.sent as f64 * story.run.row.message_bytes as f64;
    Some(Figure {
        id: "messages-over-time".into(),
        title: format!("{} of {} arrive", percent(last.delivered as f64 / last.sent as f64), counted(last.sent as u64, "message")),
        caption: format!(
            "Messages delivered and lost since the previous evaluation, stacked. A message has {}, so nodes sent {} in all.",
            bytes(story.run.row.message_bytes as f64),
            bytes(sent)
        ),
        plot,
        notes: Vec::new(),
    })
}

fn outcomes(story: &Story) -> Result<Vec<Block>> {
    if !has_all(story.run, Table::Outcomes) {
        return Ok(vec![Block::Remark(not_shown(story.run, Table::Outcomes, "why messages were lost"))]);
    }
    let mut rows = story.run.table::<OutcomeRow>()?.all()?;
    rows.retain(|row| row.messages > 0);
    rows.sort_by_key(|row| std::cmp::Reverse(row.messages)); // stable
    let total: i64 = rows.iter().map(|row| row.messages).sum();
    let Some(first) = rows.first() else { return Ok(vec![Block::Remark("No message was sent.".into())]) };
    let colour = |row: &OutcomeRow| if row.outcome == "delivered" { Colour::Nth(0) } else { Colour::Reference };
    let bars = rows.iter().map(|row| Bar { label: row.outcome.into(), value: row.messages as f64, colour: colour(row) }).collect();
    Ok(vec![
        Figure {
            id: "messages-by-outcome".into(),
            title: format!("Most frequent end of a message: {} ({})", first.outcome, percent(first.messages as f64 / total as f64)),
            caption: format!("What became of all {}, second ones made by the network included.", counted(total as u64, "message")),
            plot: Plot::Bars(Bars { x: "outcome".into(), y: axis("messages", Unit::Count), bars }),
            notes: Vec::new(),
        }
        .into(),
    ])
}

/// Quantiles of delays, and of transfers if there are any, as the share of messages that took at most so long.
fn delays(story: &Story) -> Result<Vec<Block>> {
    let Kept::Rows { .. } = kept(story.run, Table::Histograms) else {
        return Ok(vec![Block::Remark(not_shown(story.run, Table::Histograms, "how long messages took"))]);
    };
    let rows = story.run.table::<HistogramRow>()?.all()?;
    let of = |quantity: &str| rows.iter().filter(|row| row.quantity == quantity).collect::<Vec<_>>();
    let [delay, transfer] = ["delay", "transfer"].map(of);
    let Some((low, high)) = delay.first().zip(delay.last()) else { return Ok(Vec::new()) };
    if low.value_ns == high.value_ns {
        return Ok(vec![Block::Remark(format!("Every delivered message took {}.", time(low.value_ns as f64)))]);
    }
    let mut lines = vec![series("delay", Colour::Nth(3), Stroke::Solid, shares(&delay))];
    lines.extend((!transfer.is_empty()).then(|| series("transfer", Colour::Nth(1), Stroke::Dotted, shares(&transfer))));
    let x = Axis { is_logarithmic: true, ..axis("time", Unit::Time) };
    let y = Axis { range: Some((0.0, 1.0)), ..axis("share of messages", Unit::Share) };
    let plot = Plot::Lines(Lines { x, second: None, y, series: lines, is_stacked: false, marks: Vec::new() });
    let quantile = |share: f64| delay.iter().find(|row| row.quantile >= share).map(|row| time(row.value_ns as f64)).unwrap_or_default();
    let count = counted(low.count.max(0) as u64, "delivered message");
    Ok(vec![
        Figure {
            id: "delays".into(),
            title: format!("Half of the messages take at most {}, one in a hundred more than {}", quantile(0.5), quantile(0.99)),
            caption: format!("The share of {count} that took at most so long from sending to delivery. The time axis is logarithmic."),
            plot,
            notes: Vec::new(),
        }
        .into(),
    ])
}

/// Quantiles as points of a distribution, in the order of time.
fn shares(rows: &[&HistogramRow]) -> Vec<(f64, Option<f64>)> {
    rows.iter().map(|row| (row.value_ns as f64, Some(row.quantile))).collect()
}

fn age(story: &Story) -> Option<Figure> {
    let points = story.over_time(|point| point.age_ns.map(|ns| ns as f64));
    let last = story.last().filter(|_| story.has_time())?.age_ns;
    has_values(&points).then(|| Figure {
        id: "age-over-time".into(),
        title: last.map_or("Age of what models know".into(), |ns| format!("At the end what models know is {} old on average", time(ns as f64))),
        caption: "Mean age of what the evaluated models have learned, weighed by the length of the learning steps, whoever made them. A model that learned \
                  nothing new would age along the dashed line."
            .into(),
        plot: Plot::Lines(over_time(
            &story.clock,
            axis("age", Unit::Time),
            vec![
                series("mean age", Colour::Honest, Stroke::Solid, points),
                series("learned at the start", Colour::Reference, Stroke::Dashed, story.over_time(|point| Some(point.at_ns as f64))),
            ],
        )),
        notes: Vec::new(),
    })
}
