//! The best and the second best cells.
//!
//! Cells compete that differ in the defence: those of a line if defences are its columns, those of a column whose lines are the same but for
//! the defence if defences are lines, and those of a line if the table names no defence.

use super::super::metric::Metric;
use super::Line;
use super::cell::{Cell, Place};
use super::layout::Layout;

/// The rule that knows who is malicious. It is something to compare with, and no competitor.
pub const REFERENCE: &str = "Oracle";

/// Gives places to the best cells, if a larger or a smaller figure is the better one.
pub fn rank(lines: &mut [Line], layout: &Layout, metric: Metric) {
    let Some(larger) = metric.larger_is_better() else { return };
    for contest in contests(lines, layout) {
        let cells: Vec<Option<&Cell>> = contest.iter().map(|(line, column)| lines[*line].cells[*column].as_ref()).collect();
        for ((line, column), place) in contest.iter().zip(places(&cells, metric, larger)) {
            if let Some(cell) = &mut lines[*line].cells[*column] {
                cell.place = place;
            }
        }
    }
}

impl Layout {
    /// The field of the lines that is the defence, if lines compete and not columns.
    pub fn competing_lines(&self) -> Option<usize> {
        self.row("defense").filter(|_| !self.column.field.starts_with("defense"))
    }
}

/// Cells that compete with each other, by their line and column.
fn contests(lines: &[Line], layout: &Layout) -> Vec<Vec<(usize, usize)>> {
    let columns = 0..layout.column.order.len();
    let Some(defense) = layout.competing_lines() else {
        return (0..lines.len()).map(|line| columns.clone().map(|column| (line, column)).collect()).collect();
    };
    let key =
        |line: &Line| line.labels.iter().enumerate().filter(|(nth, _)| *nth != defense).map(|(_, label)| label.clone()).collect::<Vec<_>>();
    let mut keys: Vec<Vec<String>> = lines.iter().map(key).collect();
    keys.sort();
    keys.dedup();
    let of = |wanted: &Vec<String>, column: usize| {
        lines.iter().enumerate().filter(|(_, line)| key(line) == *wanted).map(|(nth, _)| (nth, column)).collect::<Vec<_>>()
    };
    keys.iter().flat_map(|wanted| columns.clone().map(|column| of(wanted, column)).collect::<Vec<_>>()).collect()
}

/// The place of each cell. Cells whose means are printed alike share a place; if all are, nobody has one. A cell some of whose runs lack the
/// figure does not compete, because the others may have been the harder ones.
fn places(cells: &[Option<&Cell>], metric: Metric, larger: bool) -> Vec<Option<Place>> {
    let competing = |cell: &&Cell| cell.defense != REFERENCE && cell.n == cell.runs;
    let mut printed: Vec<(f64, String)> =
        cells.iter().flatten().copied().filter(competing).filter_map(|cell| cell.mean).map(|mean| (mean, metric.show(mean))).collect();
    printed.sort_by(|(a, _), (b, _)| if larger { b.total_cmp(a) } else { a.total_cmp(b) });
    printed.dedup_by(|(_, a), (_, b)| a == b);
    let place = |cell: &Cell| {
        let text = metric.show(cell.mean?);
        match printed.iter().position(|(_, other)| *other == text)? {
            _ if printed.len() < 2 => None,
            0 => Some(Place::Best),
            1 => Some(Place::Second),
            _ => None,
        }
    };
    cells.iter().map(|cell| cell.filter(competing).and_then(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places of a line: `0.5` is a mean, `O:0.9` that of Oracle, `?0.9` one that some runs lack, `-` no run; expected as 1, 2 and dots.
    #[track_caller]
    fn check(metric: Metric, line: &str, expect: &str) {
        let cell = |word: &str| {
            let (defense, word) = word.strip_prefix("O:").map_or(("CS", word), |word| (REFERENCE, word));
            let (n, word) = word.strip_prefix('?').map_or((3, word), |word| (2, word));
            word.parse().ok().map(|mean| Cell {
                text: String::new(),
                mean: Some(mean),
                sd: None,
                n,
                runs: 3,
                place: None,
                is_stand_in: false,
                defense: defense.into(),
                has_attack: true,
            })
        };
        let cells: Vec<Option<Cell>> = line.split_whitespace().map(cell).collect();
        let cells: Vec<Option<&Cell>> = cells.iter().map(Option::as_ref).collect();
        let sign = |place: Option<Place>| match place {
            Some(Place::Best) => '1',
            Some(Place::Second) => '2',
            None => '.',
        };
        let larger = metric.larger_is_better().expect("it ranks");
        assert_eq!(places(&cells, metric, larger).into_iter().map(sign).collect::<String>(), expect, "{line}");
    }

    #[test]
    fn the_best_two_have_places_and_the_oracle_none() {
        check(Metric::Ndcg, "0.5 0.7 0.6", ".12");
        check(Metric::Ndcg, "O:0.9 0.7 0.6 0.5", ".12.");
        check(Metric::Exposure, "0.5 0.7 0.6", "1.2");
        check(Metric::Ndcg, "0.5 - 0.6", "2.1");
    }

    #[test]
    fn what_is_printed_alike_shares_a_place() {
        check(Metric::Ndcg, "0.7001 0.7004 0.6", "112");
        check(Metric::Ndcg, "0.8 0.7001 0.7004", "122");
        check(Metric::Ndcg, "0.7001 0.7002 0.7003", "...");
        check(Metric::Ndcg, "0.7 O:0.8 -", "...");
    }

    #[test]
    fn a_mean_over_some_runs_does_not_compete() {
        check(Metric::TimeTo(0.5), "?60 120 240", ".12");
    }
}
