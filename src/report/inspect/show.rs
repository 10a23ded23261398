//! A close look at a run as text.

use super::causes::{Cause, FIGURES};
use super::loudest::Loudest;
use super::nodes::NodeFigures;
use super::{Inspection, WorstNode};
use crate::units::{Duration, VirtualTime, count, counted};

impl Inspection {
    /// Everything that was found, for people.
    pub fn text(&self) -> String {
        let Self { name, defense, attack, seed, evaluation, n_evaluated, median, best_ndcg, .. } = self;
        let nodes = counted(*n_evaluated as u64, "honest node");
        let worst = self.worst.first().map_or(0.0, |worst| worst.figures.ndcg);
        let mut lines = vec![
            format!("{name} · {defense} · {attack} · seed {seed}"),
            format!("{nodes} at evaluation {evaluation}, the last: nDCG {worst:.3} to {best_ndcg:.3}, median {:.3}", median.ndcg),
            String::new(),
            "worst nodes".into(),
        ];
        lines.extend(self.table());
        lines.extend([String::new(), "what sets them apart".into()]);
        lines.extend(self.worst.iter().flat_map(WorstNode::lines));
        lines.extend(self.ordinary());
        lines.extend([String::new(), "largest weight of a malicious model".into()]);
        lines.extend(self.loudest.as_ref().map_or_else(|| vec!["  no honest node weighed one".into()], Loudest::lines));
        if !self.notes.is_empty() {
            lines.extend([String::new(), "not known".into()]);
            lines.extend(self.notes.iter().map(|note| format!("  {note}")));
        }
        lines.join("\n") + "\n"
    }

    /// The nodes that nothing sets apart.
    fn ordinary(&self) -> Option<String> {
        let nodes: Vec<String> =
            self.worst.iter().filter(|worst| worst.causes.is_empty()).map(|worst| worst.figures.node.to_string()).collect();
        let noun = if nodes.len() == 1 { "node" } else { "nodes" };
        let nothing = "nothing that was recorded stands out and goes with low nDCG among all nodes";
        (!nodes.is_empty()).then(|| format!("  {noun} {}: {nothing}", nodes.join(", ")))
    }

    /// The figures of the worst nodes, and the median of all.
    fn table(&self) -> Vec<String> {
        let head: Vec<String> = ["node", "nDCG"].into_iter().chain(FIGURES.iter().map(|figure| figure.name)).map(String::from).collect();
        let cells = |name: String, node: &NodeFigures| {
            let figures = FIGURES.iter().map(|figure| (figure.of)(node).map_or("–".into(), |value| show(figure.name, value)));
            [name, format!("{:.3}", node.ndcg)].into_iter().chain(figures).collect::<Vec<_>>()
        };
        let mut rows = vec![head];
        rows.extend(self.worst.iter().map(|worst| cells(worst.figures.node.to_string(), &worst.figures)));
        rows.push(cells("median".into(), &self.median));
        let width = |nth: usize| rows.iter().map(|row| row[nth].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
        let pad = |text: &String, width: &usize| format!("{}{text}", " ".repeat(width - text.chars().count()));
        rows.iter()
            .map(|row| format!("  {}", row.iter().zip(&widths).map(|(text, width)| pad(text, width)).collect::<Vec<_>>().join("  ")))
            .collect()
    }
}

/// A figure for people.
fn show(figure: &str, value: f64) -> String {
    match figure {
        "uptime" => format!("{:.0} %", 100.0 * value),
        "searches" | "honest models" | "malicious models" => count(value.round() as u64),
        "first join" => Duration::from_secs((value / 1e9).round() as u64).to_string(),
        _ => format!("{value:.3}"),
    }
}

impl WorstNode {
    fn lines(&self) -> Vec<String> {
        self.causes.iter().map(|cause| format!("  node {}: {}", self.figures.node, cause.words())).collect()
    }
}

impl Cause {
    fn words(&self) -> String {
        let Self { figure, value, median, rank, of, correlation } = self;
        let side = if *correlation < 0.0 { "largest" } else { "smallest" };
        let more = if *correlation < 0.0 { "more" } else { "less" };
        let place = if *rank == 1 { format!("the {side}") } else { format!("among the {rank} {side}") };
        format!(
            "{figure} {} is {place} of {of} (median {}); over all nodes {more} of it goes with lower nDCG (rank correlation {correlation:.2})",
            show(figure, *value),
            show(figure, *median)
        )
    }
}

impl Loudest {
    fn lines(&self) -> Vec<String> {
        let t = self.t.map_or(String::new(), |t| format!(" (t = {t:.2})"));
        let plays = self.plays.map_or(String::new(), |plays| format!(" ({plays})"));
        let at = VirtualTime(self.at_ns as u64);
        let others = match self.n_alike {
            1 => String::new(),
            n => format!("; {} got as much as this one", count(n - 1)),
        };
        let weighed = format!("{} of {} got α ≥ 0.01{others}", count(self.n_weighed), counted(self.n_models, "malicious model"));
        let effect = match self.effect {
            None => "its effect is unknown: there is no evaluation of its receiver before and after it".to_string(),
            Some(effect) => format!(
                "node {}'s nDCG: {:.3} at the evaluation before, {:.3} at the one after ({:+.3}; all nodes {:+.3} on average, and other models came in between)",
                self.receiver,
                effect.before,
                effect.after,
                effect.after - effect.before,
                effect.change_of_all
            ),
        };
        vec![
            format!("  α = {:.3}{t} at {at}: from node {}{plays} to node {}", self.alpha, self.sender, self.receiver),
            format!("  {weighed}"),
            format!("  {effect}"),
        ]
    }
}
