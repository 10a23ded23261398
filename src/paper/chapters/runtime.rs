//! The paper's running times next to those of this machine.

use super::super::document::{Part, Table};
use super::super::found::OnData;
use super::super::times::{PaperTime, Times};
use crate::units::{count, scaled};

/// The first times that were measured; they do not depend on the data set, because they are taken on synthetic documents of WEB30K's shape.
pub fn runtime(all: &[OnData]) -> Vec<Part> {
    let Some(times) = all.iter().find_map(|data| data.times.as_ref()) else { return Vec::new() };
    let machine = times.processor.as_deref().unwrap_or("unknown processor");
    let text = format!(
        "Time to judge one model by a history of this many sessions, d = 136, on one core of {machine}, synthetic documents of WEB30K's shape. The paper's times were \
         measured by its authors in Python on their machine: compare the ratios of rules, not the times."
    );
    vec![Part::text(text), Part::Table(table(times))]
}

fn table(times: &Times) -> Table {
    let time = |seconds: f64| scaled(seconds * 1e12, &["ps", "ns", "µs", "ms", "s"]);
    let row = |row: &PaperTime| {
        let here = times.seconds(&row.rule, &row.ranker, row.history)?;
        let of_rankguard = |seconds: Option<f64>, own: f64| seconds.map_or("–".into(), |rankguard| format!("{:.1}", own / rankguard));
        Some(vec![
            row.rule.clone(),
            row.ranker.clone(),
            count(row.history),
            time(row.seconds),
            time(here),
            count((row.seconds / here).round() as u64),
            of_rankguard(times.published("RankGuard", &row.ranker, row.history), row.seconds),
            of_rankguard(times.seconds("RankGuard", &row.ranker, row.history), here),
        ])
    };
    let head = ["rule", "ranker", "history", "paper", "here", "paper / here", "rule / RankGuard, paper", "rule / RankGuard, here"];
    Table { head: head.map(String::from).to_vec(), rows: times.paper.iter().filter_map(row).collect(), n_words: 2 }
}
