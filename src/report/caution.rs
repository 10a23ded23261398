//! What a reader must know about the data behind many figures.

use crate::error::Result;
use crate::record::Manifest;
use crate::scenario::Scenario;
use std::path::Path;

/// One line for each kind of data that needs a caution, below an empty line; nothing where all of it is real.
pub fn cautions(results: &[impl AsRef<Path>]) -> Result<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for folder in results {
        let caution = Manifest::<Scenario>::read(folder.as_ref())?.scenario.dataset.caution();
        if let Some(line) = caution.map(|caution| format!("Data: {caution}.")).filter(|line| !lines.contains(line)) {
            lines.extend(lines.is_empty().then(String::new));
            lines.push(line);
        }
    }
    Ok(lines)
}
