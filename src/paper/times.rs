//! The times that judging takes, as `rankguard paper run runtime` stores them.

use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The content of `runtime.json` as far as it is shown.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Times {
    /// The processor, if it is known.
    pub processor: Option<String>,
    rows: Vec<Time>,
    /// The paper's times.
    pub paper: Vec<PaperTime>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct Time {
    what: String,
    size: BTreeMap<String, u64>,
    seconds: f64,
}

/// A published time to judge one model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PaperTime {
    /// The rule.
    pub rule: String,
    /// The ranker.
    pub ranker: String,
    /// The sessions of the history.
    pub history: u64,
    /// The mean time.
    pub seconds: f64,
}

impl Times {
    /// Reads them, if they were measured.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path) -> Result<Option<Self>> {
        if !path.is_file() {
            return Ok(None);
        }
        let text = fs::read_to_string(path).map_err(|e| Error::cannot_read(path, &e))?;
        let wrong = |e| Error::input(format!("{}: {e}; remove the file and repeat the experiment", path.display()));
        serde_json::from_str(&text).map(Some).map_err(wrong)
    }

    /// The time that judging one model takes here.
    pub fn seconds(&self, rule: &str, ranker: &str, history: u64) -> Option<f64> {
        let (what, wanted) = (format!("{rule} {ranker}"), [("d", 136), ("history", history), ("waiting", 1)]);
        let fits = |row: &&Time| row.what == what && wanted.iter().all(|(name, value)| row.size.get(*name) == Some(value));
        self.rows.iter().find(fits).map(|row| row.seconds)
    }

    /// The time that the paper gives.
    pub fn published(&self, rule: &str, ranker: &str, history: u64) -> Option<f64> {
        let fits = |row: &&PaperTime| row.rule == rule && row.ranker == ranker && row.history == history;
        self.paper.iter().find(fits).map(|row| row.seconds)
    }
}
