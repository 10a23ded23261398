//! The data sets of the paper: where a user puts them, and what stands in for one that is not there.

use crate::corpus::PublicSet;
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// A public data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DataSet {
    /// Its name, which is that of its folder below `data`.
    pub name: &'static str,
    /// The fold that is used unless another is named; empty if the set has none.
    fold: &'static str,
    normalize: &'static str,
    /// The shape of the synthetic data that stands in for it, with its training and test queries; `None` if nothing does.
    like: Option<(&'static str, u32, u32)>,
}

/// The sets of the paper, and those that can take the place of one.
pub const DATA_SETS: [DataSet; 7] = [
    DataSet { name: "WEB30K", fold: "Fold1", normalize: "PerQuery", like: Some(("Web30k", 2_000, 300)) },
    DataSet { name: "MQ2007", fold: "Fold1", normalize: "AsIs", like: Some(("Mq2007", 1_000, 300)) },
    DataSet { name: "Yahoo", fold: "", normalize: "PerQuery", like: Some(("Yahoo", 2_000, 300)) },
    DataSet { name: "Istella", fold: "", normalize: "PerQuery", like: Some(("Istella", 1_000, 150)) },
    DataSet { name: "MQ2008", fold: "Fold1", normalize: "AsIs", like: None },
    DataSet { name: "ClueWeb09", fold: "Fold1", normalize: "PerQuery", like: None },
    DataSet { name: "MSLR-sample", fold: "Fold1", normalize: "PerQuery", like: None },
];

/// How much synthetic data stands in for a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// A quarter of the usual training queries and a fifth of the test queries, for quick runs.
    Small,
    /// Enough to learn from, and to evaluate models often.
    Usual,
    /// As many queries as the set has.
    Full,
}

/// The data that an experiment runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// Names the folder of results: `MQ2008-Fold1`, `WEB30K-stand-in`, or `WEB30K-stand-in-full`.
    pub label: String,
    /// The data set as a scenario writes it.
    pub spelled: String,
    /// Whether synthetic data stands in for the set.
    pub is_stand_in: bool,
}

impl DataSet {
    /// The set of this name, in capitals or not.
    pub fn named(name: &str) -> Option<DataSet> {
        DATA_SETS.into_iter().find(|set| set.name.eq_ignore_ascii_case(name))
    }

    /// Where the set is below `root`, if it is there.
    pub fn folder(self, root: &Path, fold: Option<&str>) -> Option<PathBuf> {
        let folder = match fold.unwrap_or(self.fold) {
            "" => root.join(self.name),
            fold => root.join(self.name).join(fold),
        };
        let has = |name: &str| folder.join(name).is_file() || folder.join(format!("{name}.gz")).is_file();
        (has("train.txt") && has("test.txt")).then_some(folder)
    }

    /// The set itself if it is below `root`, else what stands in for it, in this size.
    ///
    /// # Errors
    /// The set is not there, and nothing stands in for it or for a fold that was named.
    pub fn choose(self, root: &Path, fold: Option<&str>, size: Size) -> Result<Data> {
        match self.folder(root, fold) {
            Some(folder) => Ok(self.at(&folder, fold.unwrap_or(self.fold))),
            None if self.like.is_some() && fold.is_none() => Ok(self.stand_in(size)),
            None => {
                let folder = root.join(self.name).join(fold.unwrap_or(self.fold));
                Err(Error::input(format!(
                    "{}: holds no train.txt and test.txt; data/README.md says where they come from",
                    folder.display()
                )))
            }
        }
    }

    fn at(self, folder: &Path, fold: &str) -> Data {
        let label = if fold.is_empty() { self.name.to_string() } else { format!("{}-{fold}", self.name) };
        let path = folder.display().to_string();
        Data { label, spelled: format!("Letor(path: {path:?}, normalize: {})", self.normalize), is_stand_in: false }
    }

    /// Synthetic data of its shape.
    pub fn stand_in(self, size: Size) -> Data {
        let (like, train, test) = self.like.unwrap_or(("Mq2007", 1_000, 300));
        let usual = [train as usize, test as usize];
        let ([train, test], label) = match size {
            Size::Small => ([usual[0] / 4, usual[1] / 5], "stand-in"),
            Size::Usual => (usual, "stand-in"),
            Size::Full => (PublicSet::named(self.name).map_or(usual, PublicSet::first_fold), "stand-in-full"),
        };
        let spelled = format!("Synthetic(like: {like}, train_queries: {train}, test_queries: {test})");
        Data { label: format!("{}-{label}", self.name), spelled, is_stand_in: true }
    }
}

/// What follows the name of a set whose stand-in is to be as large as the set itself.
const FULL: &str = ":full";

/// The data that `NAME`, `NAME/FOLD` or `NAME:full` means; the last has a stand-in as large as the set.
///
/// # Errors
/// There is no such set, or it is not below `root`.
pub fn data(name: &str, root: &Path) -> Result<Data> {
    find(name, root, if name.ends_with(FULL) { Size::Full } else { Size::Usual })
}

/// The same with a small stand-in, whatever its name asks for.
///
/// # Errors
/// Fails as [`data`] does.
pub fn quick_data(name: &str, root: &Path) -> Result<Data> {
    find(name, root, Size::Small)
}

fn find(name: &str, root: &Path, size: Size) -> Result<Data> {
    let set = name.strip_suffix(FULL).unwrap_or(name);
    let (set, fold) = set.split_once('/').map_or((set, None), |(set, fold)| (set, Some(fold)));
    let known = || DATA_SETS.map(|set| set.name).join(", ");
    let set = DataSet::named(set).ok_or_else(|| Error::input(format!("--data {name}: is none of {}", known())))?;
    set.choose(root, fold, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_set_that_is_there_is_taken_and_another_has_a_stand_in() {
        let root = tempfile::tempdir().expect("a folder");
        let fold = root.path().join("MQ2008/Fold2");
        fs::create_dir_all(&fold).expect("a folder");
        for name in ["train.txt.gz", "test.txt"] {
            fs::write(fold.join(name), "").expect("a file");
        }
        let there = data("mq2008/Fold2", root.path()).expect("it is there");
        assert_eq!((there.label.as_str(), there.is_stand_in), ("MQ2008-Fold2", false));
        assert_eq!(there.spelled, format!("Letor(path: {:?}, normalize: AsIs)", fold.display().to_string()));
        let stand_in = data("WEB30K", root.path()).expect("something stands in");
        assert_eq!((stand_in.label.as_str(), stand_in.is_stand_in), ("WEB30K-stand-in", true));
        let full = data("WEB30K:full", root.path()).expect("something stands in");
        assert_eq!(full.label, "WEB30K-stand-in-full");
        assert_eq!(full.spelled, "Synthetic(like: Web30k, train_queries: 18919, test_queries: 6306)");
        let small = quick_data("WEB30K:full", root.path()).expect("something stands in");
        assert_eq!(small.spelled, "Synthetic(like: Web30k, train_queries: 500, test_queries: 60)");
        for (name, says) in
            [("MQ2008", "MQ2008/Fold1: holds no train.txt"), ("WEB30K/Fold3", "Fold3: holds no"), ("Bing", "is none of WEB30K")]
        {
            let problem = data(name, root.path()).expect_err("it is not there").to_string();
            assert!(problem.contains(says), "{problem}");
        }
    }

    #[test]
    fn every_set_and_its_fold_are_known_to_be_verified() {
        for set in DATA_SETS {
            let known = PublicSet::named(set.name).expect("its facts are known");
            assert!(known.name == set.name && known.folds[0].name == set.fold, "{}", set.name);
        }
    }
}
