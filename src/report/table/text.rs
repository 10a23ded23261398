//! A table as aligned columns.

use super::SideBySide;
use super::cell::{Cell, Place};

pub fn show(table: &SideBySide) -> String {
    let grid = table.grid(cell, |label| label.to_string());
    let heads = table.heads();
    let width = |nth: usize| grid.iter().map(|line| &line[nth]).chain([&heads[nth]]).map(|text| text.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    let mut lines: Vec<String> = [&heads, &rule].into_iter().chain(&grid).map(|line| aligned(line, &widths)).collect();
    lines.push(String::new());
    lines.extend(table.notes.iter().map(|note| note.replacen("marked: best and second best", "¹ best and ² second best", 1)));
    lines.join("\n") + "\n"
}

fn cell(cell: &Cell) -> String {
    let place = match cell.place {
        Some(Place::Best) => "¹",
        Some(Place::Second) => "²",
        None => "",
    };
    format!("{}{place}{}", cell.text, if cell.is_stand_in { "*" } else { "" })
}

fn aligned(line: &[String], widths: &[usize]) -> String {
    let padded = line.iter().zip(widths).map(|(text, width)| format!("{text}{}", " ".repeat(width - text.chars().count())));
    padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
}
