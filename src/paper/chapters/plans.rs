//! How to make the report again, and which folders it was made from.

use super::super::document::{Chapter, Part, Table};
use super::super::experiments::Experiment;
use super::super::found::OnData;
use std::path::{Path, PathBuf};

/// The commands, and the folders that can be looked at more closely.
pub fn chapter(root: &Path, all: &[OnData]) -> Chapter {
    let within = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let row = |data: &OnData, (experiment, name, folder): &(&Experiment, String, PathBuf)| {
        let runs = data.runs(experiment.name, name, &[]).count();
        vec![within(folder), experiment.shows.to_string(), runs.to_string()]
    };
    let rows: Vec<Vec<String>> = all.iter().flat_map(|data| data.sweeps.iter().map(|sweep| row(data, sweep))).collect();
    let how = "`rankguard paper list` names all experiments with their cost, `rankguard paper run NAME --data SET` does one and skips what is done, and `rankguard paper report` \
               writes this document, with `--markdown FILE` as text. Every sweep below is a folder that `rankguard report`, `table` and `compare` take.";
    let folders = Part::Table(Table { head: ["folder", "what it shows", "runs"].map(String::from).to_vec(), rows, n_words: 2 });
    Chapter::new("again", "How to make this again", vec![Part::text(how), Part::Folded("all folders".into(), vec![folders])])
}
