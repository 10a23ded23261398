//! Loads the data set that a scenario names: it reads LETOR text or its cache, or makes synthetic data.

use super::dataset::{Corpus, Dataset, Split};
use super::letor::{self, Options, source};
use super::{UnfinishedCaches, cache, synthetic};
use crate::error::{Error, Result};
use crate::rng::Seed;
use std::path::Path;

impl Corpus {
    /// Loads the data that `dataset` names. It does not depend on a run's seed.
    ///
    /// # Errors
    /// Fails if files are missing or flawed. The message names file, line and remedy.
    pub fn load(dataset: &Dataset) -> Result<Self> {
        Self::load_within(dataset, None, &UnfinishedCaches::default())
    }

    /// Loads the data into at most `memory` bytes, if that number is known. A text that is larger, or unpacks to more, is not read. A
    /// cache that is written beside the text is `unfinished` until it is whole.
    ///
    /// # Errors
    /// Fails as [`Corpus::load`] does, or if the data does not fit.
    pub fn load_within(dataset: &Dataset, memory: Option<u64>, unfinished: &UnfinishedCaches) -> Result<Self> {
        match *dataset {
            Dataset::Letor { ref path, normalize, features, grades } => {
                load_letor(Path::new(path), Options { normalize, features, grades }, memory.unwrap_or(u64::MAX), unfinished)
            }
            Dataset::Synthetic { train_queries: 0, .. } => Err(Error::input("dataset: train_queries is 0; it must be at least 1")),
            Dataset::Synthetic { test_queries: 0, .. } => Err(Error::input("dataset: test_queries is 0; it must be at least 1")),
            Dataset::Synthetic { like, train_queries, test_queries, seed } => {
                Ok(synthetic::generate(like, train_queries, test_queries, Seed(seed)))
            }
        }
    }
}

/// Checks that the files of `dataset` exist, without reading them.
///
/// # Errors
/// Fails if a file is missing. The message tells where it was looked for.
pub fn locate(dataset: &Dataset) -> Result<()> {
    let Dataset::Letor { path, .. } = dataset else { return Ok(()) };
    ["train", "test"].iter().try_for_each(|split| source::locate(Path::new(path), split).map(drop))
}

fn load_letor(folder: &Path, options: Options, memory: u64, unfinished: &UnfinishedCaches) -> Result<Corpus> {
    let Options { features, grades, .. } = options;
    if features == Some(0) {
        return Err(Error::input("dataset: features is 0; it must be at least 1"));
    }
    if grades.is_some_and(|grades| !(2..=255).contains(&grades)) {
        return Err(Error::input("dataset: grades must be between 2 and 255"));
    }
    // Both files are located before either is read, so that a missing test.txt is reported before train.txt has been read.
    let (train, test) = (source::locate(folder, "train")?, source::locate(folder, "test")?);
    let train = load_split(&train, &options, memory, unfinished)?;
    let memory = memory.saturating_sub(train.bytes() as u64);
    let test = load_split(&test, &Options { features: Some(train.n_features() as u32), ..options }, memory, unfinished)?;
    let n_grades = match grades {
        Some(grades) => grades as u8,
        None => fewest_grades(train.grades().iter().chain(test.grades()).copied().max().unwrap_or(0)),
    };
    Ok(Corpus { train, test, n_grades })
}

/// Loads a split from its cache if that is sound, else from the text.
fn load_split(text: &Path, options: &Options, memory: u64, unfinished: &UnfinishedCaches) -> Result<Split> {
    let key = cache::Key::of(text, options);
    if let Some(split) = key.and_then(|key| cache::load(text, &key)) {
        return Ok(split);
    }
    let bytes = source::read(text, memory)?;
    let split = letor::parse_within(source::without_mark(&bytes), text, options, memory.saturating_sub(bytes.len() as u64))?;
    // If the text has changed meanwhile, the split may mix old and new lines: no cache is written.
    if let Some(key) = key.filter(|key| cache::Key::of(text, options) == Some(*key)) {
        cache::store(text, &key, &split, unfinished);
    }
    Ok(split)
}

/// The smallest number of grades that holds the highest label, among 2, 3 and 5: the named users know only these.
fn fewest_grades(highest: u8) -> u8 {
    match highest {
        0 | 1 => 2,
        2 => 3,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Normalize;
    use flate2::{Compression, write::GzEncoder};
    use std::fs;
    use std::io::Write;

    const TRAIN: &[u8] = b"0 qid:1 1:1 2:5\n1 qid:1 1:3 2:5\n2 qid:2 1:7\n";
    const TEST: &[u8] = b"1 qid:9 1:1\n0 qid:9 1:2\n";

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
    }

    /// Loads `fold` of a folder with these files and shows features and grades, or the message without the folder's name.
    fn load(files: &[(&str, &[u8])], fold: &str, normalize: Normalize, features: Option<u32>, grades: Option<u32>) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("inside")).and_then(|()| fs::write(path, bytes)).expect("a file");
        }
        let path = folder.path().join(fold).display().to_string();
        let load = || Corpus::load(&Dataset::Letor { path: path.clone(), normalize, features, grades });
        let show = |corpus: Result<Corpus>| match corpus {
            Ok(c) => format!(
                "{:?} {:?} {:?} {}",
                c.train.features().as_slice().unwrap(),
                c.train.grades(),
                c.test.features().as_slice().unwrap(),
                c.n_grades
            ),
            Err(e) => e.to_string().replace(&folder.path().display().to_string(), "DIR"),
        };
        let first = show(load());
        assert_eq!(first, show(load()), "the cache changes nothing");
        first
    }

    #[track_caller]
    fn check(files: &[(&str, &[u8])], normalize: Normalize, expect: &str) {
        assert_eq!(load(files, "", normalize, None, None), expect);
    }

    #[track_caller]
    fn refuse(files: &[(&str, &[u8])], fold: &str, expect: &str) {
        assert_eq!(load(files, fold, Normalize::AsIs, None, None), expect);
    }

    #[test]
    fn plain_and_packed_texts_are_the_same() {
        let expect = "[1.0, 5.0, 3.0, 5.0, 7.0, 0.0] [0, 1, 2] [1.0, 0.0, 2.0, 0.0] 3";
        check(&[("train.txt", TRAIN), ("test.txt", TEST)], Normalize::AsIs, expect);
        check(&[("train.txt.gz", &gzip(TRAIN)), ("test.txt.gz", &gzip(TEST))], Normalize::AsIs, expect);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_label() {
        let marked = |text: &[u8]| [b"\xef\xbb\xbf", text].concat();
        let expect = "[1.0, 5.0, 3.0, 5.0, 7.0, 0.0] [0, 1, 2] [1.0, 0.0, 2.0, 0.0] 3";
        check(&[("train.txt", &marked(TRAIN)), ("test.txt.gz", &gzip(&marked(TEST)))], Normalize::AsIs, expect);
        refuse(
            &[("train.txt", &marked(b"0 qid:1 1:1\nx qid:1 1:1\n")), ("test.txt", TEST)],
            "",
            "DIR/train.txt:2: label `x` is not a whole number from 0 up",
        );
    }

    #[test]
    fn a_huge_word_is_not_quoted_whole() {
        let huge = "z".repeat(1_000_000);
        for line in [format!("{huge} qid:1 1:1\n"), format!("0 {huge} 1:1\n"), format!("0 qid:1 {huge}\n"), format!("0 qid:1 1:9{huge}\n")]
        {
            let shown = load(&[("train.txt", line.as_bytes()), ("test.txt", TEST)], "", Normalize::AsIs, None, None);
            assert!(
                shown.len() < 300 && shown.starts_with("DIR/train.txt:1: ") && shown.contains("zz…zz"),
                "{}",
                &shown[..shown.len().min(300)]
            );
        }
    }

    #[test]
    fn each_query_is_normalised_on_its_own() {
        check(
            &[("train.txt", TRAIN), ("test.txt", TEST)],
            Normalize::PerQuery,
            "[0.0, 0.0, 1.0, 0.0, 0.0, 0.0] [0, 1, 2] [0.0, 0.0, 1.0, 0.0] 3",
        );
    }

    #[test]
    fn grades_are_the_fewest_that_hold_both_splits() {
        for (test, n_grades) in [(&b"1 qid:1 1:1\n"[..], "2"), (b"2 qid:1 1:1\n", "3"), (b"3 qid:1 1:1\n", "5"), (b"4 qid:1 1:1\n", "5")] {
            let shown = load(&[("train.txt", b"0 qid:1 1:1\n"), ("test.txt", test)], "", Normalize::AsIs, None, None);
            assert!(shown.ends_with(n_grades), "{shown}");
        }
        let files: &[(&str, &[u8])] = &[("train.txt", b"6 qid:1 1:1\n"), ("test.txt", TEST)];
        assert_eq!(load(files, "", Normalize::AsIs, Some(1), Some(7)), "[1.0] [6] [1.0, 2.0] 7");
        refuse(files, "", "DIR/train.txt:1: label 6 exceeds the highest grade, 4; pass grades: 7 if that is meant");
    }

    #[test]
    fn wrong_folders_say_what_was_perhaps_meant() {
        let files: &[(&str, &[u8])] = &[("Fold1/train.txt", TRAIN), ("Fold2/train.txt", TRAIN), ("readme", b"")];
        refuse(files, "", "DIR/: has no train.txt or train.txt.gz; did you mean DIR/Fold1?");
        refuse(files, "readme", "DIR/readme: is a file; name the folder that holds train.txt and test.txt");
        refuse(files, "Fold7", "DIR/Fold7: no such folder; data/README.md says where the public sets come from");
        refuse(files, "Fold1", "DIR/Fold1: has no test.txt or test.txt.gz; data/README.md shows the layout");
    }

    #[test]
    fn test_may_have_fewer_features_but_not_more() {
        let more: &[(&str, &[u8])] = &[("train.txt", TRAIN), ("test.txt", b"1 qid:1 1:1\n0 qid:1 3:1\n")];
        refuse(more, "", "DIR/test.txt:2: feature 3 exceeds the 2 seen before; pass features: 3 if that is meant");
        assert_eq!(
            load(more, "", Normalize::AsIs, Some(3), None),
            "[1.0, 5.0, 0.0, 3.0, 5.0, 0.0, 7.0, 0.0, 0.0] [0, 1, 2] [1.0, 0.0, 0.0, 0.0, 0.0, 1.0] 3"
        );
    }

    #[test]
    fn a_damaged_archive_is_named() {
        let packed = gzip(TRAIN);
        for damaged in [&packed[..packed.len() - 6], b"0 qid:1 1:1\n"] {
            let shown = load(&[("train.txt.gz", damaged), ("test.txt", TEST)], "", Normalize::AsIs, None, None);
            assert!(shown.starts_with("DIR/train.txt.gz: is not a sound gzip file ("), "{shown}");
        }
    }

    #[test]
    fn what_does_not_fit_into_memory_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let bomb = gzip(&[TRAIN, &vec![b'\n'; 20_000_000]].concat());
        fs::write(folder.path().join("train.txt.gz"), &bomb).and_then(|()| fs::write(folder.path().join("test.txt"), TEST)).expect("files");
        let path = folder.path().display().to_string();
        let dataset = Dataset::Letor { path, normalize: Normalize::AsIs, features: None, grades: None };
        let load = |memory| Corpus::load_within(&dataset, Some(memory), &UnfinishedCaches::default());
        let error = load(1_000_000).expect_err("20 MB are more than 1 MB").to_string();
        assert!(
            error.contains("train.txt.gz: does not fit into the memory there is: at most 1.00 MB are read, and it unpacks to more"),
            "{error}"
        );
        assert!(load(50_000_000).is_ok());
    }

    #[test]
    fn synthetic_data_needs_queries() {
        let none = Dataset::Synthetic { like: crate::corpus::Shape::Mq2007, train_queries: 0, test_queries: 1, seed: 1 };
        assert!(Corpus::load(&none).is_err());
    }
}
