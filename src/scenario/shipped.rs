//! The files under `scenarios/` are the project's examples: they parse, and the page about them lists them all.

use super::Scenario;
use std::path::{Path, PathBuf};

const README: &str = include_str!("../../scenarios/README.md");

fn scenario_files() -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")];
    let mut files = vec![];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("scenarios are there") {
            let path = entry.expect("a readable folder").path();
            match path.extension() {
                // Sweeps are no scenarios, and the experiments of the paper are sweeps.
                _ if path.ends_with("scenarios/sweeps") => {}
                _ if path.is_dir() && path.parent().is_some_and(|folder| folder.ends_with("scenarios/paper")) => {}
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "ron" => files.push(path),
                _ => {}
            }
        }
    }
    files
}

#[test]
fn every_shipped_scenario_is_good_and_listed() {
    let files = scenario_files();
    assert!(files.len() >= 2);
    for path in files {
        // Sweeps name the scenario that they vary.
        if !std::fs::read_to_string(&path).expect("it is text").contains("\n    base: ") {
            Scenario::read(&path).unwrap_or_else(|error| panic!("{error}"));
        }
        let name = path.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios")).expect("it is below");
        assert!(README.contains(&format!("({})", name.display())), "{} is not in scenarios/README.md", name.display());
    }
}
