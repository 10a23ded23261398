//! What a reader must know about the data behind many figures.

use crate::corpus::Dataset;

/// One line for each kind of data that needs a caution, below an empty line; nothing where all of it is real.
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
