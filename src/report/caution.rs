//! Cautions about data: synthetic data must be named beside every figure that rests on it.

use crate::corpus::Dataset;

/// An empty line, and one line for each kind of data that needs a caution. The list is empty if all data is real.
pub fn cautions<'a>(datasets: impl Iterator<Item = &'a Dataset>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in datasets.filter_map(Dataset::caution).map(|caution| format!("Data: {caution}.")) {
        if !lines.contains(&line) {
            lines.extend(lines.is_empty().then(String::new));
            lines.push(line);
        }
    }
    lines
}
