//! The sources of a scenario: its text, and the fields that the command line set. Messages name the place of a value by them.

use super::locate::locate;
use super::source::line_column;
use crate::error::{QUOTED, clip};
use std::collections::BTreeMap;

pub struct Written<'a> {
    text: &'a str,
    /// The name of the text in messages.
    origin: &'a str,
    /// Top-level fields, with the last `--set` that touched each.
    set: BTreeMap<String, String>,
}

impl<'a> Written<'a> {
    pub fn new(text: &'a str, origin: &'a str) -> Self {
        Self { text, origin, set: BTreeMap::new() }
    }

    /// Notes that `--set {replacement}` gave `field`.
    pub fn note_set(&mut self, field: &str, replacement: &str) {
        self.set.insert(field.into(), replacement.into());
    }

    /// The place of a problem, by the field that its message begins with: `file:line:col`, the `--set` that gave the field, or only the
    /// file if the field is not written.
    pub fn place_of(&self, problem: &str) -> String {
        // "latency.sigma is …", "crowds that join have …", "the shares of attack: Mix sum to …"
        let words = problem.split_whitespace().take(4).map(|word| word.trim_end_matches([':', ',', ';']));
        words.into_iter().find_map(|word| self.place_of_field(word)).unwrap_or_else(|| self.origin.to_owned())
    }

    fn place_of_field(&self, path: &str) -> Option<String> {
        let top = path.split(['.', '[']).next().unwrap_or_default();
        match self.set.get(top) {
            Some(replacement) => Some(format!("--set {}", clip(replacement, QUOTED))),
            None => locate(self.text, path).map(|value| {
                let (line, column) = line_column(self.text, value.start);
                format!("{}:{line}:{column}", self.origin)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_where_its_field_was_written() {
        let mut written = Written::new("(\n  latency: LogNormal(median: \"1s\", sigma: -0.3),\n  attack: Mix([]), nodes: 3)", "x.ron");
        written.note_set("crowds", "crowds=[]");
        for (problem, place) in [
            ("latency.sigma is -0.3; it must be at least 0", "x.ron:2:43"),
            ("latency.shape is 0; it must be more", "x.ron:2:12"),
            ("the shares of attack: Mix sum to 1.1", "x.ron:3:11"),
            ("crowds[0].share is 0", "--set crowds=[]"),
            ("crowds that join have 2 of the nodes together", "--set crowds=[]"),
            ("loss is 2; it must be between 0 and 1", "x.ron"),
            ("malicious_aggregate is missing; with an attack it must be Never", "x.ron"),
        ] {
            assert_eq!(written.place_of(problem), place, "{problem}");
        }
    }
}
