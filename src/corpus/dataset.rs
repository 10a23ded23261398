//! A data set in memory, and how a scenario names one.

use crate::fields::declare;
use ndarray::{Array2, ArrayView2, s};

declare! {
    /// Where the documents come from: some to search in, others to evaluate on.
    #[derive(Clone, PartialEq)]
    pub enum Dataset {
        /// LETOR/SVMlight text: a folder with `train.txt` and `test.txt`, plain or `.gz`, such as `MQ2008/Fold1`.
        Letor {
            /// The folder that holds train.txt and test.txt.
            #[limits(naming("the folder that holds train.txt and test.txt"))]
            #[example("data/MQ2008/Fold1")]
            path: String,
            /// Whether features are brought to [0, 1].
            #[example(PerQuery)]
            normalize: Normalize,
            /// The number of features; by default the highest number seen in train.txt.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[limits(at_least(1.0).or("left out it is the highest number seen"))]
            #[example(46)]
            features: Option<u32>,
            /// The number of relevance grades; labels are 0 … grades − 1. By default 2, 3 or 5, the smallest that holds the labels seen.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[limits(between(2.0, 24.0).or("it may be left out"))]
            #[example(5)]
            grades: Option<u32>,
        },
        /// Made by the program, shaped like a public set, with constants chosen so that learning together helps and honest rankers can be
        /// recognised: no figure from it can be compared with the real set's.
        Synthetic {
            /// The public set whose shape the data takes.
            #[example(Web30k)]
            like: Shape,
            /// How many queries users search for.
            #[limits(between(1.0, 1e6))]
            #[example(2000)]
            train_queries: u32,
            /// How many queries models are evaluated on.
            #[limits(between(1.0, 1e6))]
            #[example(300)]
            test_queries: u32,
            /// Which synthetic documents and grades are made. The scenario's own `seed` (and `--seed`) does not touch them, so that runs with
            /// other seeds differ in users, clicks and network alone.
            #[serde(default = "first_world")]
            #[example(1)]
            seed: u64,
        },
    }
}

fn first_world() -> u64 {
    1
}

declare! {
    /// Whether features are brought to [0, 1].
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Normalize {
        /// As they stand in the file (MQ2007 and MQ2008 come normalised).
        AsIs,
        /// Min–max within each query; a feature that is constant within a query becomes 0 there.
        PerQuery,
    }
}

declare! {
    /// The public sets whose dimensions, grades, label shares and list lengths synthetic data takes.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Shape {
        /// 136 features, 5 grades, about 120 documents per query.
        Web30k,
        /// 46 features, 3 grades, about 41 documents per query.
        Mq2007,
        /// 700 features, 5 grades, about 24 documents per query.
        Yahoo,
        /// 220 features, 5 grades, about 317 documents per query.
        Istella,
    }
}

impl Dataset {
    /// The caution that must stand next to every figure from this data, if it needs one.
    pub fn caution(&self) -> Option<String> {
        match self {
            Dataset::Letor { .. } => None,
            Dataset::Synthetic { like, .. } => Some(format!(
                "synthetic, shaped like {} (made so that learning together helps and honest rankers are recognisable; not comparable with the real set)",
                like.name()
            )),
        }
    }
}

impl Shape {
    /// The name that its publisher gives the set.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Web30k => "WEB30K",
            Shape::Mq2007 => "MQ2007",
            Shape::Yahoo => "Yahoo",
            Shape::Istella => "Istella",
        }
    }
}

/// The documents of a run: users search one part of them, and models are evaluated on the other.
#[derive(Debug)]
pub struct Corpus {
    /// The queries that users search for.
    pub train: Split,
    /// The queries that models are evaluated on.
    pub test: Split,
    /// The number of relevance grades; labels are 0 … n_grades − 1 in both splits.
    pub n_grades: u8,
}

/// Queries with their candidate documents, all in one matrix.
#[derive(Debug, PartialEq)]
pub struct Split {
    /// The features, one row per document.
    features: Array2<f32>,
    /// The grade of each document.
    grades: Vec<u8>,
    /// Query q's documents are rows `starts[q]..starts[q + 1]`.
    starts: Vec<u32>,
}

/// The documents of one query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The features, one row per document.
    pub features: ArrayView2<'a, f32>,
    /// The relevance grade of each document.
    pub grades: &'a [u8],
}

impl Split {
    /// A split of features, grades and the first row of each query.
    ///
    /// # Panics
    /// Panics if the parts do not fit together.
    pub fn new(features: Array2<f32>, grades: Vec<u8>, starts: Vec<u32>) -> Self {
        Self::checked(features, grades, starts).expect("one grade per row, and starts that rise from 0 to their number")
    }

    /// The same for parts that come from a file: `None` if they do not fit together.
    pub fn checked(features: Array2<f32>, grades: Vec<u8>, starts: Vec<u32>) -> Option<Self> {
        let sound = features.is_standard_layout()
            && features.nrows() == grades.len()
            && starts.first() == Some(&0)
            && starts.last().map(|&n| n as usize) == Some(grades.len())
            && starts.is_sorted();
        sound.then_some(Self { features, grades, starts })
    }

    /// The number of queries.
    pub fn n_queries(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of documents of all queries.
    pub fn n_documents(&self) -> usize {
        self.grades.len()
    }

    /// The number of features of a document.
    pub fn n_features(&self) -> usize {
        self.features.ncols()
    }

    /// The documents of query `q`.
    pub fn query(&self, q: usize) -> Query<'_> {
        let rows = self.starts[q] as usize..self.starts[q + 1] as usize;
        Query { features: self.features.slice(s![rows.clone(), ..]), grades: &self.grades[rows] }
    }

    /// All queries in order.
    pub fn queries(&self) -> impl Iterator<Item = Query<'_>> {
        (0..self.n_queries()).map(|q| self.query(q))
    }

    /// The features of all documents, one row per document.
    pub fn features(&self) -> ArrayView2<'_, f32> {
        self.features.view()
    }

    /// The grades of all documents.
    pub fn grades(&self) -> &[u8] {
        &self.grades
    }

    /// The first row of each query, and the number of documents at the end.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The bytes that the split takes in memory.
    pub fn bytes(&self) -> usize {
        self.features.len() * 4 + self.grades.len() + self.starts.len() * 4
    }
}

impl<'a> Query<'a> {
    /// The number of documents.
    pub fn n_documents(&self) -> usize {
        self.grades.len()
    }

    /// The features of all documents, row after row.
    pub fn rows(&self) -> &'a [f32] {
        self.features.to_slice().expect("a split is in standard layout")
    }

    /// The features of one document.
    pub fn row(&self, document: usize) -> &'a [f32] {
        let d = self.features.ncols();
        &self.rows()[document * d..(document + 1) * d]
    }
}
