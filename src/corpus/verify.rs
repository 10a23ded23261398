//! Checks the public data sets that a user has put below a folder against what is known of them.
//!
//! Every text is read as [`inspect_within`] reads it. A finding names the file, what was found, what was expected, and what to do about it.

use super::inspect::{SplitInspection, inspect_within};
use super::letor::source;
use super::public_sets::{Counts, Features, Fold, Known, LOOKALIKES, PUBLIC_SETS, PublicSet};
use crate::units::count;
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

/// What was found in the folder of one set.
#[derive(Debug, Serialize)]
pub struct Verified {
    /// The set.
    pub name: &'static str,
    /// Its texts that could be read.
    pub files: Vec<VerifiedFile>,
    /// Everything that is not as expected.
    pub findings: Vec<Finding>,
}

/// The size of one text.
#[derive(Debug, Serialize)]
pub struct VerifiedFile {
    /// The text.
    pub path: PathBuf,
    /// Its queries.
    pub queries: usize,
    /// Its documents.
    pub documents: usize,
    /// The largest number of a feature.
    pub features: usize,
}

/// Something that is not as expected.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// The file or folder.
    pub path: PathBuf,
    /// How bad it is.
    pub severity: Severity,
    /// What is there.
    pub found: String,
    /// What should be there; `None` if `found` says it.
    pub expected: Option<String>,
    /// What to do about it.
    pub remedy: String,
}

/// What a finding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The set is not the public one.
    Error,
    /// It may be another edition, or nothing at all.
    Warning,
}

/// How far an approximate number of queries may be off, as a share of it.
const QUERIES_OFF: f64 = 0.02;
/// How far the mean length of lists may be off, as a share of it.
const LENGTH_OFF: f64 = 0.15;
/// How far the share of a grade may be off.
const SHARE_OFF: f64 = 0.05;

const AGAIN: &str = "fetch it again";

/// Verifies a set below `root`, with at most `memory` bytes for a text; `None` if its folder is not there.
pub fn verify(set: &PublicSet, root: &Path, memory: Option<u64>) -> Option<Verified> {
    let folder = root.join(set.name);
    if !folder.is_dir() {
        return None;
    }
    let mut verified = Verified { name: set.name, files: Vec::new(), findings: Vec::new() };
    let there: Vec<&Fold> = set.folds.iter().filter(|fold| folder.join(fold.name).is_dir()).collect();
    if there.is_empty() {
        verified.note(&folder, Severity::Error, "no fold", Some(fold_names(set.folds.iter())), "data/README.md shows the layout");
    }
    let missing: Vec<&Fold> = set.folds.iter().filter(|fold| !folder.join(fold.name).is_dir()).collect();
    if !there.is_empty() && !missing.is_empty() {
        let found = format!("{} {} not there", fold_names(missing.iter().copied()), if missing.len() == 1 { "is" } else { "are" });
        verified.note(
            &folder,
            Severity::Warning,
            &found,
            None,
            &format!("what is there can be used: --data {}/{}", set.name, there[0].name),
        );
    }
    let n_test: usize = there.iter().map(|fold| verified.check_fold(set, fold, &folder.join(fold.name), memory)).sum();
    let is_whole = missing.is_empty() && !verified.findings.iter().any(|finding| finding.severity == Severity::Error);
    if let Some(expected) = set.n_queries.filter(|&n| is_whole && n != n_test) {
        let found = format!("{} queries in the test files of all folds together", count(n_test as u64));
        verified.note(&folder, Severity::Error, &found, Some(count(expected as u64)), "some folds are not of this set; fetch them again");
    }
    Some(verified)
}

/// The folders below `root` that are named like no set.
pub fn unknown_folders(root: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    let folders = entries.filter_map(|entry| entry.ok().filter(|entry| entry.path().is_dir()));
    let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| PUBLIC_SETS.iter().all(|set| set.name != name)).collect();
    names.sort();
    names
}

impl Verified {
    /// Whether the set is not the public one.
    pub fn is_wrong(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    fn note(&mut self, path: &Path, severity: Severity, found: &str, expected: Option<String>, remedy: &str) {
        self.findings.push(Finding { path: path.into(), severity, found: found.into(), expected, remedy: remedy.into() });
    }

    /// Checks the texts of a fold, and returns the number of its test queries.
    fn check_fold(&mut self, set: &PublicSet, fold: &Fold, folder: &Path, memory: Option<u64>) -> usize {
        if set.has_vali && source::locate(folder, "vali").is_err() {
            self.note(folder, Severity::Warning, "vali.txt is not there", None, "the program does not read it");
        }
        [("train", fold.train), ("test", fold.test)].map(|(split, counts)| self.check_split(set, folder, split, counts, memory))[1]
    }

    /// Checks one text, and returns the number of its queries.
    fn check_split(&mut self, set: &PublicSet, folder: &Path, split: &str, counts: Counts, memory: Option<u64>) -> usize {
        let Ok(path) = source::locate(folder, split) else {
            let found = format!("{split}.txt is not there, nor {split}.txt.gz");
            self.note(folder, Severity::Error, &found, None, "data/README.md shows the layout");
            return 0;
        };
        let inspection = match inspect_within(&path, memory) {
            Ok(inspection) => inspection,
            Err(problem) => {
                self.note(&path, Severity::Error, &without_path(&problem.to_string(), &path), None, AGAIN);
                return 0;
            }
        };
        for text in inspection.files() {
            let (queries, documents, features) = (text.n_queries(), text.n_documents(), text.n_features());
            self.files.push(VerifiedFile { path: path.clone(), queries, documents, features });
            self.check_counts(set, &path, counts, text);
            self.check_content(set, &path, counts, text);
        }
        inspection.files().map(SplitInspection::n_queries).sum()
    }

    /// Checks queries, documents and features.
    fn check_counts(&mut self, set: &PublicSet, path: &Path, counts: Counts, text: &SplitInspection) {
        let (queries, documents, features) = (text.n_queries(), text.n_documents(), text.n_features());
        let n = set.features.number();
        let is_right = features == n || features < n && matches!(set.features, Features::UpTo(_));
        if !is_right {
            let found = format!("features up to {features}");
            self.note(path, Severity::Error, &found, Some(n.to_string()), &format!("this is another set than {}; {AGAIN}", set.name));
        }
        let off = |expected: usize| (queries as f64 / expected as f64 - 1.0).abs();
        let severity = match counts.queries {
            Known::Exactly(expected) => (queries != expected).then_some(Severity::Error),
            Known::About(expected) if off(expected) > 0.2 => Some(Severity::Error),
            Known::About(expected) => (off(expected) > QUERIES_OFF).then_some(Severity::Warning),
        };
        if let Some(severity) = severity {
            let about = if matches!(counts.queries, Known::About(_)) { "about " } else { "" };
            let expected = counts.queries.value();
            let remedy = format!("{}; {AGAIN}", guess(set, queries, expected, features));
            self.note(
                path,
                severity,
                &format!("{} queries", count(queries as u64)),
                Some(format!("{about}{}", count(expected as u64))),
                &remedy,
            );
        } else if let Some(expected) = counts.documents.filter(|&expected| expected != documents) {
            let found = format!("{} documents", count(documents as u64));
            self.note(path, Severity::Error, &found, Some(count(expected as u64)), &format!("the file was changed or cut; {AGAIN}"));
        }
    }

    /// Checks grades, their shares and the lengths of lists.
    fn check_content(&mut self, set: &PublicSet, path: &Path, counts: Counts, text: &SplitInspection) {
        let (grades, documents) = (text.grades(), text.n_documents());
        if grades.len() > set.n_grades {
            let found = format!("grades up to {}", grades.len() - 1);
            self.note(
                path,
                Severity::Error,
                &found,
                Some(format!("{}", set.n_grades - 1)),
                &format!("this is another set than {}; {AGAIN}", set.name),
            );
        }
        let shares: Vec<f64> = (0..set.n_grades).map(|at| grades.get(at).map_or(0.0, |&n| n as f64 / documents as f64)).collect();
        if shares.iter().zip(set.shares).any(|(found, expected)| (found - expected).abs() > SHARE_OFF) {
            let found = format!("grades have shares of {}", spelled(&shares));
            self.note(
                path,
                Severity::Warning,
                &found,
                Some(format!("about {}", spelled(set.shares))),
                "is it the set that its folder names?",
            );
        }
        let mean = documents as f64 / text.n_queries() as f64;
        if counts.documents.is_none() && (mean / set.mean_length - 1.0).abs() > LENGTH_OFF {
            let found = format!("{mean:.1} documents per query");
            self.note(path, Severity::Warning, &found, Some(format!("about {}", set.mean_length)), "is it the set that its folder names?");
        }
        let (low, high) = text.extreme_lengths();
        if let Some(known) = set.lengths
            && (low < known.value().0 || high > known.value().1)
        {
            let severity = if matches!(known, Known::Exactly(_)) { Severity::Error } else { Severity::Warning };
            let (fewest, most) = known.value();
            let expected = Some(format!("{fewest} to {most}"));
            self.note(
                path,
                severity,
                &format!("queries with {low} to {high} documents"),
                expected,
                &format!("the file was changed; {AGAIN}"),
            );
        }
    }
}

/// A message about a file without the file's name, which a finding has already.
fn without_path(problem: &str, path: &Path) -> String {
    match problem.strip_prefix(&path.display().to_string()).and_then(|rest| rest.strip_prefix(':')) {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => format!("line {rest}"),
        Some(rest) => rest.trim_start().into(),
        None => problem.into(),
    }
}

/// What a text with another number of queries may be.
fn guess(set: &PublicSet, queries: usize, expected: usize, features: usize) -> String {
    let lookalikes = LOOKALIKES.iter().map(|&(name, n, queries)| (name.to_string(), n, queries));
    let folds = PUBLIC_SETS.iter().flat_map(|set| set.folds.iter().map(move |fold| (set, fold)));
    let known = folds.map(|(set, fold)| {
        let name = if fold.name.is_empty() { set.name.into() } else { format!("{}/{}", set.name, fold.name) };
        (name, set.features.number(), [fold.train.queries.value(), fold.test.queries.value()])
    });
    let found = lookalikes.chain(known).filter(|(_, n, _)| *n == features).find_map(|(name, _, [train, test])| {
        [(train, "train.txt"), (test, "test.txt")].iter().find(|(n, _)| *n == queries).map(|(_, split)| format!("{split} of {name}"))
    });
    let is_less = queries < expected;
    match found {
        Some(other) if is_less => format!("this looks like {other} or a cut file"),
        Some(other) => format!("this looks like {other}"),
        None if features != set.features.number() => format!("this is not {}", set.name),
        None if is_less => "this looks like a cut file".into(),
        None => "this looks like several files in one".into(),
    }
}

fn fold_names<'a>(folds: impl Iterator<Item = &'a Fold>) -> String {
    folds.map(|fold| fold.name).collect::<Vec<_>>().join(", ")
}

fn spelled(shares: &[f64]) -> String {
    shares.iter().map(|share| format!("{share:.2}")).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, severity, found, expected, remedy } = self;
        let warning = if *severity == Severity::Warning { "warning: " } else { "" };
        match expected {
            Some(expected) => write!(f, "{warning}{}: {found} instead of {expected}: {remedy}", path.display()),
            None => write!(f, "{warning}{}: {found}; {remedy}", path.display()),
        }
    }
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match (self.is_wrong(), self.findings.is_empty()) {
            (true, _) => "is wrong",
            (false, false) => "is right as far as it can be told, with warnings",
            (false, true) => "is right",
        };
        writeln!(f, "{} {verdict}", self.name)?;
        for VerifiedFile { path, queries, documents, features } in &self.files {
            let (queries, documents) = (count(*queries as u64), count(*documents as u64));
            writeln!(f, "  {}: {queries} queries, {documents} documents, {features} features", path.display())?;
        }
        self.findings.iter().try_for_each(|finding| writeln!(f, "  {finding}"))
    }
}

#[cfg(test)]
mod tests;
