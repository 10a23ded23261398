//! Many runs as one table, shaped like the paper's: by default a line per kind of user and attack, and a column per defence.
//!
//! [`table`] makes a [`SideBySide`], which is data; [`Format`] says how it is written.

mod cell;
mod csv;
mod dimension;
mod entry;
mod latex;
mod layout;
mod legend;
mod markdown;
mod ranking;
mod text;

use super::Published;
use super::last::Last;
use super::metric::{Metric, Moment};
use crate::error::{Error, Result};
pub use cell::{Cell, Place};
use layout::Layout;
use serde::Serialize;
use std::path::Path;

/// What a table shows, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Fields whose values stand in lines; `None`: users, attack and everything else that differs.
    pub rows: Option<Vec<String>>,
    /// The field whose values stand in columns; `None`: the defence, or the attack if the defence stands in lines.
    pub columns: Option<String>,
    /// The figure.
    pub value: Metric,
    /// When it is taken.
    pub at: Moment,
    /// Which standard deviation stands in brackets.
    pub spread: Spread,
}

/// nDCG over the end of each run by users, attack and defence.
impl Default for Shape {
    fn default() -> Self {
        Self { rows: None, columns: None, value: Metric::Ndcg, at: Moment::Last(Last::default()), spread: Spread::Seeds }
    }
}

/// Which standard deviation a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    /// That of the runs' figures, over their seeds.
    Seeds,
    /// That across the nodes of a run, averaged over runs; nDCG alone has one.
    Nodes,
    /// None.
    None,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Aligned columns for a terminal.
    Text,
    /// A Markdown table.
    Markdown,
    /// A LaTeX table with the rules of booktabs.
    Latex,
    /// Comma-separated values, a line per cell.
    Csv,
}

/// Runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideBySide {
    /// The figure, as the command line names it.
    pub metric: String,
    /// The figure in words, and when it is taken.
    pub meaning: String,
    /// Which standard deviation the cells have.
    pub sd_over: Spread,
    /// The fields of the lines.
    pub rows: Vec<String>,
    /// The field of the columns.
    pub column: String,
    /// The labels of the columns.
    pub columns: Vec<String>,
    /// The lines.
    pub lines: Vec<Line>,
    /// The name of the published figures, if they stand below the lines.
    pub published: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// Its values of the fields of the lines.
    pub labels: Vec<String>,
    /// A cell for each column; `None` where there is no run.
    pub cells: Vec<Option<Cell>>,
    /// A published figure for each column, mean and spread, where there is one.
    pub published: Vec<Option<(f64, f64)>>,
}

/// Runs side by side, with the published figures of others if they are given.
///
/// # Errors
/// A result cannot be read or has no such figure, a field is unknown, or runs of one cell would differ in more than their seeds.
pub fn table(results: &[impl AsRef<Path>], shape: &Shape, published: Option<&Published>) -> Result<SideBySide> {
    check(shape)?;
    let (entries, remarks) = entry::read(results, shape.value, shape.at)?;
    let layout = Layout::of(&entries, shape.rows.as_deref(), shape.columns.as_deref())?;
    let mut lines = cell::lines(&entries, &layout, shape);
    ranking::rank(&mut lines, &layout, shape.value);
    if let Some(published) = published {
        cell::put_beside(&mut lines, &layout, &entries, published, shape)?;
    }
    Ok(SideBySide {
        metric: shape.value.to_string(),
        meaning: legend::meaning(&entries, shape),
        sd_over: shape.spread,
        rows: layout.rows.iter().map(|row| row.field.clone()).collect(),
        column: layout.column.field.clone(),
        columns: layout.column.order.clone(),
        notes: legend::notes(&entries, &lines, &layout, shape, published, remarks),
        published: published.map(|published| published.name.clone()),
        lines,
    })
}

fn check(shape: &Shape) -> Result<()> {
    match (shape.spread, shape.value) {
        (Spread::Nodes, value) if value != Metric::Ndcg => {
            let why = format!("--sd nodes: runs keep no spread across nodes for {value}, only for ndcg");
            Err(Error::input(format!("{why}; choose --sd seeds or --sd none")))
        }
        _ => Ok(()),
    }
}

impl SideBySide {
    /// The table as text.
    pub fn show(&self, format: Format) -> String {
        match format {
            Format::Text => text::show(self),
            Format::Markdown => markdown::show(self),
            Format::Latex => latex::show(self),
            Format::Csv => csv::show(self),
        }
    }

    /// The heads of all columns: the fields of the lines, then the labels of the columns.
    fn heads(&self) -> Vec<String> {
        [&self.rows[..], &self.columns].concat()
    }

    /// Every printed line: labels and cells, each line followed by its published figures, if there are any. `show` writes a cell, `plain` all
    /// other text.
    fn grid(&self, show: impl Fn(&Cell) -> String, plain: impl Fn(&str) -> String) -> Vec<Vec<String>> {
        let ours = |line: &Line| {
            let labels = line.labels.iter().map(|label| plain(label));
            labels.chain(line.cells.iter().map(|cell| cell.as_ref().map_or(String::new(), &show))).collect::<Vec<_>>()
        };
        let theirs = |line: &Line, name: &str| {
            let head = vec![String::new(); line.labels.len().saturating_sub(1)].into_iter().chain([plain(name)]);
            let figure = |figure: &Option<(f64, f64)>| figure.map_or(String::new(), |(mean, sd)| plain(&cell::bracketed(mean, sd)));
            head.chain(line.published.iter().map(figure)).collect::<Vec<_>>()
        };
        self.lines.iter().flat_map(|line| [Some(ours(line)), self.published.as_ref().map(|name| theirs(line, name))]).flatten().collect()
    }
}
