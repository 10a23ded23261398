//! Which run stands in which line and column.
//!
//! **Invariant:** the runs of a cell differ in nothing but their seeds. Any other difference is named by a line or a column, or is refused.

use super::dimension::{Dimension, labels};
use super::entry::Entry;
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The dimensions of a table.
pub struct Layout {
    pub rows: Vec<Dimension>,
    pub column: Dimension,
}

/// The line and the column of a cell, by their labels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: Vec<String>,
    pub column: String,
}

/// Fields that have a line or a column of their own unless the user chooses others.
const USUAL: [&str; 3] = ["users", "attack", "defense"];

impl Layout {
    /// The layout that the user chose. Without `rows`, every field that differs gets its place.
    ///
    /// # Errors
    /// A field is unknown or stands in lines and columns, or the runs of a cell differ in a field that has no place.
    pub fn of(entries: &[Entry], rows: Option<&[String]>, column: Option<&str>) -> Result<Self> {
        let usual_column = if rows.is_some_and(|rows| rows.iter().any(|row| row == "defense")) { "attack" } else { "defense" };
        let column = column.unwrap_or(usual_column);
        let layout = match rows {
            Some(rows) => Self::chosen(entries, rows, column)?,
            None => Self::complete(entries, column)?,
        };
        layout.check(entries)?;
        Ok(layout)
    }

    fn chosen(entries: &[Entry], rows: &[String], column: &str) -> Result<Self> {
        let all = [rows, &[column.to_string()]].concat();
        if let Some(twice) = all.iter().enumerate().find(|(nth, field)| all[..*nth].contains(field)).map(|(_, field)| field) {
            return Err(Error::input(format!("`{twice}` is given twice; a field has its place in lines or in columns, once")));
        }
        let rows = rows.iter().map(|row| Dimension::of(row, &all, entries)).collect::<Result<_>>()?;
        Ok(Self { rows, column: Dimension::of(column, &all, entries)? })
    }

    /// The usual lines, and a further one for every field that differs. A field whose value follows from the column belongs to the label of
    /// the column, and adds no line.
    fn complete(entries: &[Entry], column: &str) -> Result<Self> {
        let beside = [column.to_string()];
        let mut by_column = Dimension::of(column, &beside, entries)?;
        let (mut lines, mut named) = (Vec::new(), Vec::new());
        for field in differing(entries, column) {
            let values = labels(&field, &beside, entries);
            match values.iter().all(|value| *value == values[0]) {
                true => {}
                false if follows(&values, &by_column.labels) => named.push((field, values)),
                false => lines.push(field),
            }
        }
        lines.extend(USUAL.iter().filter(|field| **field != column).map(|field| field.to_string()));
        for (field, values) in named {
            by_column.name(&field, &values);
        }
        let rows = lines.iter().map(|row| Dimension::of(row, &beside, entries)).collect::<Result<_>>()?;
        Ok(Self { rows, column: by_column })
    }

    pub fn position(&self, nth: usize) -> Position {
        Position { line: self.rows.iter().map(|row| row.labels[nth].clone()).collect(), column: self.column.labels[nth].clone() }
    }

    /// All lines that hold a run, in order.
    pub fn lines(&self, n_entries: usize) -> Vec<Vec<String>> {
        let mut lines: Vec<Vec<String>> = (0..n_entries).map(|nth| self.position(nth).line).collect();
        lines.sort_by_key(|line| line.iter().zip(&self.rows).map(|(label, row)| row.rank(label)).collect::<Vec<_>>());
        lines.dedup();
        lines
    }

    /// The place of a field in the lines.
    pub fn row(&self, field: &str) -> Option<usize> {
        self.rows.iter().position(|row| row.field == field)
    }

    fn check(&self, entries: &[Entry]) -> Result<()> {
        let mut cells: BTreeMap<Position, &Entry> = BTreeMap::new();
        for (nth, entry) in entries.iter().enumerate() {
            let first = cells.entry(self.position(nth)).or_insert(entry);
            if first.fields != entry.fields {
                return Err(self.refuse(first, entry));
            }
        }
        Ok(())
    }

    /// Names what two runs of one cell differ in.
    fn refuse(&self, one: &Entry, other: &Entry) -> Error {
        let names: BTreeSet<&str> = one.fields.iter().chain(&other.fields).map(|(name, _)| name.as_str()).collect();
        let of = |entry: &Entry, name: &str| entry.written(name).unwrap_or_else(|| "nothing".into());
        let differing: Vec<&str> = names.into_iter().filter(|name| of(one, name) != of(other, name)).collect();
        let shown: Vec<String> =
            differing.iter().take(3).map(|name| format!("{name} ({} and {})", of(one, name), of(other, name))).collect();
        let rows: Vec<&str> = self.rows.iter().map(|row| row.field.as_str()).chain(differing.iter().take(1).copied()).collect();
        Error::input(format!(
            "{} and {} would share a cell, but differ in {}; name it by a line, such as --rows {}, or leave one of them out",
            one.place,
            other.place,
            shown.join(", "),
            rows.join(",")
        ))
    }
}

impl Dimension {
    /// Adds the value of a further field to the labels of those that do not have the most frequent value.
    fn name(&mut self, field: &str, values: &[String]) {
        let usual = usual(values);
        let longer = |label: &str, value: &String| {
            if Some(value) == usual.as_ref() { label.to_string() } else { format!("{label} · {field}: {value}") }
        };
        let named: BTreeMap<String, String> =
            self.labels.iter().zip(values).map(|(label, value)| (label.clone(), longer(label, value))).collect();
        for label in self.labels.iter_mut().chain(&mut self.order) {
            *label = named[label].clone();
        }
    }
}

/// Fields beside users, attack, defence and the column that are not the same in all runs.
fn differing(entries: &[Entry], column: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, _) in entries.iter().flat_map(|entry| &entry.fields) {
        let is_placed = USUAL.contains(&name.as_str()) || name == column;
        if !names.contains(name) && !is_placed {
            names.push(name.clone());
        }
    }
    names.retain(|name| entries.iter().any(|entry| entry.written(name) != entries[0].written(name)));
    names
}

/// Whether the value follows from the label.
fn follows(values: &[String], labels: &[String]) -> bool {
    let pairs: BTreeSet<(&String, &String)> = labels.iter().zip(values).collect();
    pairs.iter().map(|(label, _)| *label).collect::<BTreeSet<_>>().len() == pairs.len()
}

/// The most frequent value, unless several are.
fn usual(values: &[String]) -> Option<String> {
    let times = |value: &String| values.iter().filter(|other| *other == value).count();
    let most = values.iter().map(times).max()?;
    let winners: BTreeSet<&String> = values.iter().filter(|value| times(value) == most).collect();
    winners.iter().next().filter(|_| winners.len() == 1).map(|value| value.to_string())
}
