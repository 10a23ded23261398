//! Bold, dim and red on a terminal, and nowhere else. `NO_COLOR` switches them off, and `CLICOLOR_FORCE` on.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use std::io::{stderr, stdout};

/// Whether a stream takes styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint(bool);

impl Paint {
    /// That of answers.
    pub fn stdout() -> Self {
        Self(AutoStream::choice(&stdout()) != ColorChoice::Never)
    }

    /// That of messages.
    pub fn stderr() -> Self {
        Self(AutoStream::choice(&stderr()) != ColorChoice::Never)
    }

    /// A heading.
    pub fn bold(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    /// What is read second.
    pub fn dim(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    /// `error: …` or `warning: …`, with a first word that stands out.
    pub fn message(self, text: &str) -> String {
        let colour = |word| if word == "error" { AnsiColor::Red } else { AnsiColor::Yellow };
        match text.split_once(": ").filter(|(word, _)| matches!(*word, "error" | "warning")) {
            Some((word, rest)) => format!("{} {rest}", self.with(colour(word).on_default().bold(), &format!("{word}:"))),
            None => text.into(),
        }
    }

    /// A text whose paragraphs begin with a heading, unless their first line is indented or names the next command.
    pub fn sections(self, text: &str) -> String {
        let mut is_first = true;
        let line = |line: &str| {
            let is_heading = is_first && !line.starts_with(' ') && !line.is_empty() && !line.starts_with("next: ");
            is_first = line.is_empty();
            if is_heading { self.bold(line) + "\n" } else { format!("{line}\n") }
        };
        text.lines().map(line).collect()
    }

    /// A table: its heads stand out, and its notes, after the first empty line, do not.
    pub fn table(self, text: &str) -> String {
        let (table, notes) = text.split_once("\n\n").unwrap_or((text, ""));
        let (heads, rows) = table.split_once('\n').unwrap_or((table, ""));
        let notes: String = notes.lines().map(|note| self.dim(note) + "\n").collect();
        format!("{}\n{rows}\n\n{notes}", self.bold(heads))
    }

    fn with(self, style: Style, text: &str) -> String {
        if self.0 && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Escapes as readable signs: `[1m` for bold, `[0m` for the end.
    #[track_caller]
    fn check(styled: String, expect: &str) {
        assert_eq!(styled.replace('\u{1b}', ""), expect);
    }

    #[test]
    fn headings_stand_out_where_the_stream_takes_styles() {
        let text = "kad · CS\n  nDCG 0.5\n\nworst nodes\n  17\n\n      runs  tasks\n\nnext: rankguard inspect x\n";
        assert_eq!(Paint(false).sections(text), text);
        check(
            Paint(true).sections(text),
            "[1mkad · CS[0m\n  nDCG 0.5\n\n[1mworst nodes[0m\n  17\n\n      runs  tasks\n\nnext: rankguard inspect x\n",
        );
    }

    #[test]
    fn the_notes_of_a_table_stand_back() {
        let text = "a  b\n─  ─\n1  2\n\nnote\n  more\n";
        assert_eq!(Paint(false).table(text), text);
        check(Paint(true).table(text), "[1ma  b[0m\n─  ─\n1  2\n\n[2mnote[0m\n[2m  more[0m\n");
    }

    #[test]
    fn errors_begin_with_a_red_word() {
        check(Paint(true).message("error: x.ron: wrong"), "[1m[31merror:[0m x.ron: wrong");
        check(Paint(true).message("warning: large"), "[1m[33mwarning:[0m large");
        check(Paint(true).message("task 3, as SLURM says"), "task 3, as SLURM says");
        check(Paint(false).message("error: x"), "error: x");
    }
}
