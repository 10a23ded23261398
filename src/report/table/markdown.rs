//! A table as Markdown: the best cell bold, the second best in italics.

use super::SideBySide;
use super::cell::{Cell, Place};

pub fn show(table: &SideBySide) -> String {
    let heads: Vec<String> = table.heads().iter().map(|head| escaped(head)).collect();
    let mut lines = vec![row(&heads), format!("|{}", "---|".repeat(heads.len()))];
    lines.extend(table.grid(cell, escaped).iter().map(|line| row(line)));
    lines.push(String::new());
    lines.extend(table.notes.iter().map(|note| note.replacen("marked: best and second best", "**best** and _second best_", 1)));
    lines.join("\n") + "\n"
}

fn cell(cell: &Cell) -> String {
    let text = match cell.place {
        Some(Place::Best) => format!("**{}**", cell.text),
        Some(Place::Second) => format!("_{}_", cell.text),
        None => cell.text.clone(),
    };
    format!("{text}{}", if cell.is_stand_in { "*" } else { "" })
}

/// A border inside a cell would end it.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

fn row(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}
