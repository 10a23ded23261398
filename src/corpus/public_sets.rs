//! What is known of the public data sets: their folds, and how many queries, documents, features and grades they have.
//!
//! `rankguard data verify` checks a user's files against it, and the tables of data/README.md are made from it.

use crate::units::count;

/// A public data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PublicSet {
    /// Its name, which is that of its folder below `data`.
    pub name: &'static str,
    /// Its folds; the only one of a set that has none is called "".
    pub folds: &'static [Fold],
    /// Whether each fold comes with a `vali.txt`, which the program does not read.
    pub has_vali: bool,
    /// The number of its features.
    pub features: Features,
    /// The number of its grades; the least is 0.
    pub n_grades: usize,
    /// The queries of the test files of all folds together, if it has several.
    pub n_queries: Option<usize>,
    /// Documents per query: about so many.
    pub mean_length: f64,
    /// Documents per query: the fewest and the most.
    pub lengths: Option<Known<(usize, usize)>>,
    /// The share of the documents that has each grade, from 0; about.
    pub shares: &'static [f64],
}

/// The two texts of a fold that the program reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fold {
    /// The name of its folder; "" if the set has no folds.
    pub name: &'static str,
    /// `train.txt`, where users search.
    pub train: Counts,
    /// `test.txt`, on which models are evaluated.
    pub test: Counts,
}

/// The size of one text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// The number of its queries.
    pub queries: Known<usize>,
    /// Exactly so many, where it is known.
    pub documents: Option<usize>,
}

/// How well a number is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Known<T> {
    /// It was measured, or its publisher counted it: anything else is an error.
    Exactly(T),
    /// It is from a public description: something else is worth a warning.
    About(T),
}

/// The features of a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Features {
    /// Every text has the last of them.
    All(usize),
    /// Values that are 0 are left out, so that a text may lack the last of them.
    UpTo(usize),
}

use Known::{About, Exactly};

/// All public sets that the paper's experiments can use.
pub const PUBLIC_SETS: [PublicSet; 7] = [
    PublicSet {
        name: "WEB30K",
        folds: &[
            fold("Fold1", Exactly(18_919), None, Exactly(6_306), None),
            fold("Fold2", About(18_919), None, About(6_306), None),
            fold("Fold3", About(18_919), None, About(6_306), None),
            fold("Fold4", About(18_919), None, About(6_306), None),
            fold("Fold5", About(18_919), None, About(6_306), None),
        ],
        has_vali: true,
        features: Features::All(136),
        n_grades: 5,
        n_queries: Some(31_531),
        mean_length: 120.0,
        lengths: None,
        shares: &[0.52, 0.32, 0.13, 0.02, 0.01],
    },
    PublicSet {
        name: "MQ2007",
        folds: &[
            fold("Fold1", About(1_015), None, About(338), None),
            fold("Fold2", About(1_015), None, About(338), None),
            fold("Fold3", About(1_015), None, About(338), None),
            fold("Fold4", About(1_015), None, About(338), None),
            fold("Fold5", About(1_015), None, About(338), None),
        ],
        has_vali: true,
        features: Features::All(46),
        n_grades: 3,
        n_queries: Some(1_692),
        mean_length: 41.0,
        lengths: Some(About((6, 147))),
        shares: &[0.74, 0.20, 0.06],
    },
    PublicSet {
        name: "Yahoo",
        folds: &[fold("", Exactly(19_944), Some(473_134), Exactly(6_983), Some(165_660))],
        has_vali: false,
        features: Features::UpTo(700),
        n_grades: 5,
        n_queries: None,
        mean_length: 24.0,
        lengths: None,
        shares: &[0.26, 0.36, 0.28, 0.08, 0.02],
    },
    PublicSet {
        name: "Istella",
        folds: &[fold("", Exactly(23_219), Some(7_325_625), Exactly(9_799), Some(3_129_004))],
        has_vali: false,
        features: Features::All(220),
        n_grades: 5,
        n_queries: None,
        mean_length: 317.0,
        lengths: None,
        shares: &[0.89, 0.02, 0.04, 0.03, 0.02],
    },
    PublicSet {
        name: "MQ2008",
        folds: &[
            fold("Fold1", Exactly(471), Some(9_630), Exactly(156), Some(2_874)),
            fold("Fold2", Exactly(471), Some(9_404), Exactly(157), Some(2_933)),
            fold("Fold3", Exactly(470), Some(8_643), Exactly(157), Some(3_635)),
            fold("Fold4", Exactly(470), Some(8_514), Exactly(157), Some(3_062)),
            fold("Fold5", Exactly(470), Some(9_442), Exactly(157), Some(2_707)),
        ],
        has_vali: true,
        features: Features::All(46),
        n_grades: 3,
        n_queries: Some(784),
        mean_length: 19.0,
        lengths: Some(Exactly((5, 121))),
        shares: &[0.81, 0.13, 0.06],
    },
    PublicSet {
        name: "ClueWeb09",
        folds: &[
            fold("Fold1", Exactly(36), Some(15_579), Exactly(13), Some(6_063)),
            fold("Fold2", Exactly(36), Some(15_274), Exactly(12), Some(5_309)),
            fold("Fold3", Exactly(37), Some(15_753), Exactly(12), Some(5_584)),
            fold("Fold4", Exactly(37), Some(16_376), Exactly(12), Some(4_686)),
            fold("Fold5", Exactly(37), Some(16_956), Exactly(12), Some(5_004)),
        ],
        has_vali: true,
        features: Features::All(42),
        n_grades: 5,
        n_queries: Some(61),
        mean_length: 437.0,
        lengths: Some(Exactly((230, 728))),
        shares: &[0.82, 0.12, 0.05, 0.01, 0.01],
    },
    PublicSet {
        name: "MSLR-sample",
        folds: &[fold("Fold1", Exactly(43), Some(5_000), Exactly(43), Some(5_000))],
        has_vali: false,
        features: Features::All(136),
        n_grades: 5,
        n_queries: None,
        mean_length: 116.0,
        lengths: Some(Exactly((18, 308))),
        shares: &[0.56, 0.29, 0.12, 0.02, 0.01],
    },
];

/// Sets that are mistaken for one of the above: name, features, and the queries of train and test.
pub(super) const LOOKALIKES: [(&str, usize, [usize; 2]); 1] = [("WEB10K", 136, [6_000, 2_000])];

const fn fold(
    name: &'static str,
    train: Known<usize>,
    train_documents: Option<usize>,
    test: Known<usize>,
    test_documents: Option<usize>,
) -> Fold {
    let train = Counts { queries: train, documents: train_documents };
    Fold { name, train, test: Counts { queries: test, documents: test_documents } }
}

impl PublicSet {
    /// The set of this name, in capitals or not.
    pub fn named(name: &str) -> Option<&'static PublicSet> {
        PUBLIC_SETS.iter().find(|set| set.name.eq_ignore_ascii_case(name))
    }

    /// The queries of train and test in its first fold.
    pub fn first_fold(&self) -> [usize; 2] {
        [self.folds[0].train.queries.value(), self.folds[0].test.queries.value()]
    }
}

impl<T: Copy> Known<T> {
    /// The number.
    pub fn value(self) -> T {
        let (Exactly(value) | About(value)) = self;
        value
    }
}

impl Features {
    /// Their number.
    pub fn number(self) -> usize {
        let (Features::All(n) | Features::UpTo(n)) = self;
        n
    }
}

/// The tables of data/README.md.
pub fn public_sets_page() -> String {
    let mut text = String::from(
        "| set | features | grades | queries in all | documents per query | share of each grade |\n|---|---|---|---|---|---|\n",
    );
    for set in &PUBLIC_SETS {
        let features = if let Features::UpTo(n) = set.features { format!("up to {n}") } else { set.features.number().to_string() };
        let queries = set.n_queries.map_or("–".into(), |n| count(n as u64));
        let lengths =
            set.lengths.map_or(String::new(), |lengths| format!(", {}", shown(lengths, |(low, high)| format!("{low} to {high}"))));
        let shares: Vec<String> = set.shares.iter().map(|share| format!("{share:.2}")).collect();
        text += &format!(
            "| {} | {features} | 0–{} | {queries} | ~{}{lengths} | ~{} |\n",
            set.name,
            set.n_grades - 1,
            set.mean_length,
            shares.join(" ")
        );
    }
    text += "\n| fold | train: queries | documents | test: queries | documents |\n|---|---|---|---|---|\n";
    for (set, fold) in PUBLIC_SETS.iter().flat_map(|set| set.folds.iter().map(move |fold| (set, fold))) {
        let name = if fold.name.is_empty() { set.name.into() } else { format!("{}/{}", set.name, fold.name) };
        let counts = |Counts { queries, documents }: Counts| {
            format!("{} | {}", shown(queries, |n| count(n as u64)), documents.map_or("–".into(), |n| count(n as u64)))
        };
        text += &format!("| {name} | {} | {} |\n", counts(fold.train), counts(fold.test));
    }
    text
}

fn shown<T: Copy>(known: Known<T>, show: impl Fn(T) -> String) -> String {
    let mark = if matches!(known, About(_)) { "~" } else { "" };
    format!("{mark}{}", show(known.value()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn the_page_on_data_has_these_tables() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/README.md");
        let written = std::fs::read_to_string(&path).expect("it is there");
        let (begin, end) = ("<!-- public sets: begin -->\n", "<!-- public sets: end -->");
        let (before, rest) = written.split_once(begin).expect("the tables begin");
        let (tables, after) = rest.split_once(end).expect("the tables end");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            return std::fs::write(&path, [before, begin, &public_sets_page(), end, after].concat()).expect("it can be written");
        }
        assert!(tables == public_sets_page(), "data/README.md is out of date; write it with UPDATE_GOLDEN=1");
    }

    #[test]
    fn what_is_known_of_a_set_fits_together() {
        for set in &PUBLIC_SETS {
            let total: usize = set.folds.iter().map(|fold| fold.test.queries.value()).sum();
            if let Some(n) = set.n_queries {
                assert!(total.abs_diff(n) <= 2, "{}: {total} and {n}", set.name);
            }
            assert!((set.shares.iter().sum::<f64>() - 1.0).abs() < 0.015 && set.shares.len() == set.n_grades, "{}", set.name);
            for counts in set.folds.iter().flat_map(|fold| [fold.train, fold.test]) {
                let Some(documents) = counts.documents else { continue };
                let mean = documents as f64 / counts.queries.value() as f64;
                assert!((mean / set.mean_length - 1.0).abs() < 0.25, "{}: {mean}", set.name);
            }
        }
    }
}
