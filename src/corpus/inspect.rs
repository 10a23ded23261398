//! Describes a data set to a person who is about to use it, and warns of everything in it that will cause trouble.
//!
//! Inspection is tolerant where loading is strict: it accepts any label up to 254 and any finite value, and warns about unusual ones.

use super::letor::{self, Outline, refusal, scan, source};
use crate::error::Result;
use rayon::prelude::*;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// The findings in one text, or in the two texts of a fold. It prints as a report.
#[derive(Debug)]
pub struct Inspection {
    splits: Vec<SplitInspection>,
}

#[derive(Debug)]
pub(super) struct SplitInspection {
    path: PathBuf,
    /// The number of documents of each grade.
    grades: Vec<usize>,
    /// The number of documents of each query, in ascending order.
    lengths: Vec<usize>,
    features: Vec<Seen>,
    n_without_relevant: usize,
}

/// The values seen of one feature; absent values count as 0.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Seen {
    min: f64,
    max: f64,
    n_present: usize,
}

const UNSEEN: Seen = Seen { min: f64::INFINITY, max: f64::NEG_INFINITY, n_present: 0 };

/// Inspects the folder of a fold, or one text.
///
/// # Errors
/// Fails if files are missing or are not LETOR text.
pub fn inspect(path: &Path) -> Result<Inspection> {
    inspect_within(path, None)
}

/// The same within `memory` bytes, if that number is known.
///
/// # Errors
/// Fails as [`inspect`] does, or if a text does not fit.
pub fn inspect_within(path: &Path, memory: Option<u64>) -> Result<Inspection> {
    let texts = if path.is_file() { vec![path.to_owned()] } else { vec![source::locate(path, "train")?, source::locate(path, "test")?] };
    let splits = texts.into_iter().map(|text| inspect_text(text, memory.unwrap_or(u64::MAX))).collect::<Result<_>>()?;
    Ok(Inspection { splits })
}

fn inspect_text(path: PathBuf, memory: u64) -> Result<SplitInspection> {
    let bytes = source::read(&path, memory)?;
    let text = source::without_mark(&bytes);
    let outline = letor::outline(text, 255);
    if outline.lines.is_empty() {
        return Err(refusal(text, &path, outline.flaw.as_ref()));
    }
    let features = features(text, &outline).map_err(|flaw| refusal(text, &path, Some(&flaw)))?;
    if let Some(flaw) = &outline.flaw {
        return Err(refusal(text, &path, Some(flaw)));
    }
    let mut grades = Vec::new();
    for line in &outline.lines {
        grades.resize(grades.len().max(usize::from(line.grade) + 1), 0);
        grades[usize::from(line.grade)] += 1;
    }
    let queries = || outline.starts.windows(2).map(|range| &outline.lines[range[0] as usize..range[1] as usize]);
    let mut lengths: Vec<usize> = queries().map(<[_]>::len).collect();
    lengths.sort_unstable();
    let n_without_relevant = queries().filter(|lines| lines.iter().all(|line| line.grade == 0)).count();
    Ok(SplitInspection { path, grades, lengths, features, n_without_relevant })
}

/// The smallest and the largest value of every feature. They do not depend on the order in which threads find them.
fn features(text: &[u8], outline: &Outline) -> std::result::Result<Vec<Seen>, letor::Flaw> {
    let parts: Vec<std::result::Result<Vec<Seen>, letor::Flaw>> = outline
        .lines
        .par_chunks(4096)
        .map(|lines| {
            let mut seen: Vec<Seen> = Vec::new();
            for line in lines {
                let put = |feature: u32, value: f64| {
                    let at = feature as usize - 1;
                    seen.resize(seen.len().max(at + 1), UNSEEN);
                    seen[at] = seen[at].and(Seen { min: value, max: value, n_present: 1 });
                };
                scan(text, line.body.clone(), f64::MAX, put).map_err(|what| letor::Flaw { line: line.number, what })?;
            }
            Ok(seen)
        })
        .collect();
    let first_flaw = parts.iter().filter_map(|part| part.as_ref().err()).min_by_key(|flaw| flaw.line);
    if let Some(flaw) = first_flaw {
        return Err(flaw.clone());
    }
    let mut all: Vec<Seen> = Vec::new();
    for part in parts.into_iter().flatten() {
        all.resize(all.len().max(part.len()), UNSEEN);
        all.iter_mut().zip(part).for_each(|(all, part)| *all = all.and(part));
    }
    // A feature that a document lacks has the value 0.
    let absent = Seen { min: 0.0, max: 0.0, n_present: 0 };
    Ok(all.into_iter().map(|seen| if seen.n_present < outline.lines.len() { seen.and(absent) } else { seen }).collect())
}

impl Seen {
    fn and(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max), n_present: self.n_present + other.n_present }
    }
}

impl SplitInspection {
    pub(super) fn n_queries(&self) -> usize {
        self.lengths.len()
    }

    pub(super) fn n_features(&self) -> usize {
        self.features.len()
    }

    /// The number of documents of each grade.
    pub(super) fn grades(&self) -> &[usize] {
        &self.grades
    }

    /// The fewest and the most documents of a query.
    pub(super) fn extreme_lengths(&self) -> (usize, usize) {
        (self.length(0.0), self.length(1.0))
    }

    pub(super) fn n_documents(&self) -> usize {
        self.lengths.iter().sum()
    }

    /// The number of documents that a share of the queries does not exceed.
    fn length(&self, share: f64) -> usize {
        self.lengths[((self.lengths.len() - 1) as f64 * share).round() as usize]
    }

    fn range(&self) -> Seen {
        self.features.iter().fold(UNSEEN, |all, &feature| all.and(feature))
    }

    /// 1-based numbers of the features that `choose` takes.
    fn numbers(&self, choose: impl Fn(&Seen) -> bool) -> Vec<usize> {
        self.features.iter().enumerate().filter(|(_, seen)| choose(seen)).map(|(at, _)| at + 1).collect()
    }

    /// Warnings about everything in this split that will cause trouble.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let outside = self.numbers(|seen| seen.min < 0.0 || seen.max > 1.0);
        if !outside.is_empty() {
            warnings.push(format!("features outside [0, 1]: {} ({}); set normalize: PerQuery", outside.len(), ranges(&outside)));
        }
        let huge = self.numbers(|seen| seen.max.max(-seen.min) > f64::from(f32::MAX));
        if !huge.is_empty() {
            warnings
                .push(format!("values of {} do not fit single precision; they can only be read with normalize: PerQuery", ranges(&huge)));
        }
        if self.grades.len() > 5 {
            warnings.push(format!("labels reach {}; pass grades: {} and Custom users", self.grades.len() - 1, self.grades.len()));
        }
        if self.grades.iter().filter(|&&n| n > 0).count() == 1 {
            warnings.push(String::from("every document has the same grade; there is nothing to learn"));
        }
        if self.n_without_relevant > 0 {
            let share = percent(self.n_without_relevant, self.lengths.len());
            warnings.push(format!("queries without a relevant document: {} ({share}); evaluation skips them", self.n_without_relevant));
        }
        let single = self.lengths.iter().filter(|&&n| n == 1).count();
        if single > 0 {
            let share = percent(single, self.lengths.len());
            warnings.push(format!("queries with one document: {single} ({share}); nothing is learned from them"));
        }
        warnings
    }
}

impl fmt::Display for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for split in &self.splits {
            write!(f, "{split}")?;
        }
        self.warnings().iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

impl Inspection {
    /// What was found in each text.
    pub(super) fn files(&self) -> impl Iterator<Item = &SplitInspection> {
        self.splits.iter()
    }

    /// Warnings about what does not fit between the two texts of a fold.
    fn warnings(&self) -> Vec<String> {
        let [train, test] = &self.splits[..] else { return Vec::new() };
        let mut warnings = Vec::new();
        let only = test.numbers(|seen| seen.n_present > 0);
        let only: Vec<usize> = only.into_iter().filter(|n| train.features.get(n - 1).is_none_or(|seen| seen.n_present == 0)).collect();
        if !only.is_empty() {
            let features = format!("{} ({})", only.len(), ranges(&only));
            warnings.push(format!("features that test has and train never has: {features}; no model learns them"));
        }
        if test.features.len() > train.features.len() {
            warnings.push(format!("test has more features than train; pass features: {}", test.features.len()));
        }
        warnings
    }
}

/// As data: the texts with what was found in each, and the warnings about both.
impl Serialize for Inspection {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("files", &self.splits)?;
        map.serialize_entry("warnings", &self.warnings())?;
        map.end()
    }
}

impl Serialize for SplitInspection {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let (lengths, range) = (&self.lengths, self.range());
        let is_there = range.min <= range.max;
        let [min, median, p95, max] = [0.0, 0.5, 0.95, 1.0].map(|p| self.length(p));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        map.serialize_entry("queries", &lengths.len())?;
        map.serialize_entry("documents", &self.n_documents())?;
        map.serialize_entry("lengths", &BTreeMap::from([("min", min), ("median", median), ("p95", p95), ("max", max)]))?;
        map.serialize_entry("documents_by_grade", &self.grades)?;
        map.serialize_entry("features", &self.features.len())?;
        map.serialize_entry("smallest_value", &is_there.then_some(range.min))?;
        map.serialize_entry("largest_value", &is_there.then_some(range.max))?;
        map.serialize_entry("constant_features", &self.numbers(|seen| seen.min == seen.max))?;
        map.serialize_entry("queries_without_relevant", &self.n_without_relevant)?;
        map.serialize_entry("warnings", &self.warnings())?;
        map.end()
    }
}

impl fmt::Display for SplitInspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, lengths) = (self.n_documents(), &self.lengths);
        let grades: Vec<String> = self.grades.iter().enumerate().map(|(grade, &count)| format!("{grade}: {}", percent(count, n))).collect();
        let constant = self.numbers(|seen| seen.min == seen.max);
        let range = self.range();
        writeln!(f, "{}", self.path.display())?;
        writeln!(f, "  queries    {}", lengths.len())?;
        writeln!(f, "  documents  {n}")?;
        writeln!(
            f,
            "  lengths    min {}, median {}, mean {:.1}, p95 {}, max {}",
            lengths[0],
            self.length(0.5),
            n as f64 / lengths.len() as f64,
            self.length(0.95),
            self.length(1.0)
        )?;
        writeln!(f, "  grades     {}", grades.join(", "))?;
        write!(f, "  features   {}", self.features.len())?;
        match range.min <= range.max {
            true => writeln!(f, ", values from {} to {}", range.min, range.max)?,
            false => writeln!(f)?,
        }
        if !constant.is_empty() {
            writeln!(f, "  constant   {} ({})", constant.len(), ranges(&constant))?;
        }
        self.warnings().iter().try_for_each(|warning| writeln!(f, "  warning: {warning}"))
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}

/// Numbers as ranges, such as `1, 3–7, 9`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let shown: Vec<String> = runs
        .map(|run| match run {
            [.., last] if run.len() > 1 => format!("{}–{last}", run[0]),
            _ => run[0].to_string(),
        })
        .collect();
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The printed inspection of a fold, without the folder's name.
    fn show(train: &str, test: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("train.txt"), train).and_then(|()| fs::write(folder.path().join("test.txt"), test)).expect("texts");
        let shown = inspect(folder.path()).map_or_else(|e| e.to_string(), |inspection| inspection.to_string());
        shown.replace(&folder.path().display().to_string(), "DIR")
    }

    const SOUND: &str = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0\n";

    #[track_caller]
    fn warns(train: &str, test: &str, warning: &str) {
        let shown = show(train, test);
        assert!(shown.contains(warning), "{shown}");
    }

    #[test]
    fn a_sound_fold_is_described_without_warnings() {
        let split = |name| {
            format!(
                "DIR/{name}.txt\n  queries    1\n  documents  2\n  lengths    min 2, median 2, mean 2.0, p95 2, max 2\n  grades     0: 50.0 %, 1: 50.0 %\n  \
                 features   2, values from 0 to 1\n"
            )
        };
        assert_eq!(show(SOUND, SOUND), split("train") + &split("test"));
    }

    #[test]
    fn what_will_hurt_is_said() {
        warns("1 qid:1 1:7 2:0.5\n0 qid:1 3:-1", SOUND, "features outside [0, 1]: 2 (1, 3); set normalize: PerQuery");
        warns("1 qid:1 1:1e300\n0 qid:1 1:0", SOUND, "values of 1 do not fit single precision");
        warns("1 qid:1 1:1\n1 qid:1 1:0", SOUND, "every document has the same grade");
        warns("0 qid:1 1:1\n0 qid:1 1:0\n1 qid:2 1:1\n0 qid:2 1:0", SOUND, "queries without a relevant document: 1 (50.0 %)");
        warns("1 qid:1 1:1\n0 qid:2 1:0\n", SOUND, "queries with one document: 2 (100.0 %)");
        warns(SOUND, "1 qid:1 1:1 3:1 4:1 6:1\n", "features that test has and train never has: 3 (3–4, 6)");
        warns(SOUND, "1 qid:1 1:1 3:1\n", "pass features: 3");
        warns("7 qid:1 1:1\n", SOUND, "labels reach 7; pass grades: 8");
        warns("1 qid:1 1:0.5 2:1 4:1\n0 qid:1 1:0.5 4:1\n", SOUND, "constant   3 (1, 3–4)");
    }

    #[test]
    fn flaws_are_still_errors() {
        assert_eq!(show("1 qid:1 1:x\n", SOUND), "DIR/train.txt:1: `1:x` is not <feature>:<value>, such as 12:0.5");
        assert_eq!(show("", SOUND), "DIR/train.txt: is empty; it should hold LETOR text");
    }

    #[test]
    fn one_text_can_be_looked_at_alone() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), SOUND).expect("a text");
        assert!(inspect(file.path()).is_ok_and(|inspection| inspection.to_string().contains("queries    1")));
    }
}
