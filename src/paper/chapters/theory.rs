//! Mean and variance of α, the effective in-degree, and the spread of models.

use super::super::document::{Part, Table};
use super::super::found::OnData;
use super::super::theory::{theory_figures, theory_rows};
use super::{named, slug};
use crate::report::Figure;

/// All data sets.
pub fn theory(all: &[OnData]) -> Vec<Part> {
    let mut parts = Vec::new();
    for data in all {
        let Some(theory) = &data.theory else { continue };
        let mut rows = theory_rows(theory).into_iter();
        let head = rows.next().unwrap_or_default();
        parts.push(Part::text(format!(
            "**{}**. {} Means over seeds ± standard deviations, over whole runs. **Assumed** is what follows if α does not depend on the models and all nodes are alike and \
             honest; **honest nodes** leaves malicious senders out; **measured** is what the models did. Under None α is ½ whatever comes, so that line is what a defence that does nothing gives.",
            named(data),
            theory.note
        )));
        parts.push(Part::Table(Table { head, rows: rows.collect(), n_words: 2 }));
        parts.extend(theory_figures(theory).into_iter().map(|figure| Part::Figure(Box::new(renamed(figure, data)))));
    }
    parts
}

fn renamed(figure: Figure, data: &OnData) -> Figure {
    let notes = figure.notes.iter().cloned().chain(data.caution.iter().map(|caution| format!("Data: {caution}."))).collect();
    Figure { id: format!("{}-{}", figure.id, slug(&data.label)), title: format!("{}: {}", figure.title, named(data)), notes, ..figure }
}
