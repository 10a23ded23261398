//! Where the page comes from: versions, hashes, and the command that makes a run again.

use super::super::setting::Run;
use super::html::definitions;
use super::section::{Block, Section};

/// The origin of one run.
pub fn origin(run: &Run) -> Section {
    let place = run.place.display().to_string();
    let mut entries = vec![
        ("results", format!("`{place}`")),
        ("run", format!("`{}`, a hash of its scenario and its data", run.run_id)),
        ("fingerprint", format!("`{}`, a hash of everything that happened; the same run again has the same", run.fingerprint)),
        ("program", format!("rankguard {}", run.version)),
        ("data", format!("`{}`, a hash of the documents", run.inputs.data_hash)),
    ];
    entries.extend(run.inputs.files.iter().map(|(path, hash)| ("file", format!("`{path}`, content `{hash}`"))));
    entries.push(("again", again(run)));
    Section::new(
        "origin",
        "Where this comes from",
        vec![Block::Html(definitions(entries.iter().map(|(term, text)| (*term, text.clone()))))],
    )
}

/// How the run is made again: from its own description, or from the scenario on this page.
fn again(run: &Run) -> String {
    let manifest = run.place.join("manifest.ron");
    match manifest.is_file() {
        true => format!("`rankguard run {} --out out/again` makes this run again", quoted(&manifest.display().to_string())),
        false => "`rankguard run again.ron` makes this run again, where `again.ron` holds the scenario above".into(),
    }
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let is_plain = path.chars().all(|c| c.is_alphanumeric() || "/._-=".contains(c));
    if is_plain { path.into() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_path_as_it_is() {
        assert_eq!(["out/kad-2", "a b", "it's"].map(quoted), ["out/kad-2", "'a b'", "'it'\\''s'"]);
    }
}
