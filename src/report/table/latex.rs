//! A table for LaTeX with booktabs: the best cell bold, the second best underlined, and the notes as comments.

use super::SideBySide;
use super::cell::{Cell, Place};

pub fn show(table: &SideBySide) -> String {
    let heads: Vec<String> = table.heads().iter().map(|head| escaped(head)).collect();
    let columns = "l".repeat(table.rows.len()) + &"r".repeat(table.columns.len());
    let mut lines = vec![
        "% needs \\usepackage{booktabs}".into(),
        format!("\\begin{{tabular}}{{{columns}}}"),
        "\\toprule".into(),
        row(&heads),
        "\\midrule".into(),
    ];
    lines.extend(table.grid(cell, escaped).iter().map(|line| row(line)));
    lines.extend(["\\bottomrule".into(), "\\end{tabular}".into()]);
    lines.extend(
        table
            .notes
            .iter()
            .map(|note| format!("% {}", note.replacen("marked: best and second best", "bold: best, underlined: second best", 1))),
    );
    lines.join("\n") + "\n"
}

fn cell(cell: &Cell) -> String {
    let text = escaped(&cell.text);
    let text = match cell.place {
        Some(Place::Best) => format!("\\textbf{{{text}}}"),
        Some(Place::Second) => format!("\\underline{{{text}}}"),
        None => text,
    };
    format!("{text}{}", if cell.is_stand_in { "$^{*}$" } else { "" })
}

/// A text in which nothing is a command.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for sign in text.chars() {
        match sign {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', sign]),
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '–' => escaped += "--",
            '·' => escaped += "$\\cdot$",
            '±' => escaped += "$\\pm$",
            sign => escaped.push(sign),
        }
    }
    escaped
}

fn row(cells: &[String]) -> String {
    format!("{} \\\\", cells.join(" & "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_is_a_command() {
        for (text, expect) in [
            ("a_b & 5 %", "a\\_b \\& 5 \\%"),
            ("C:\\{x}^2~", "C:\\textbackslash{}\\{x\\}\\textasciicircum{}2\\textasciitilde{}"),
            ("CS · k: $1#", "CS $\\cdot$ k: \\$1\\#"),
        ] {
            assert_eq!(escaped(text), expect);
        }
    }
}
