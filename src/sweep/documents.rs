//! How many documents a run searches and is evaluated on, as far as one can tell without reading all of them.

use crate::corpus::Dataset;
use crate::corpus::synthetic::{self, Outline};
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// How much of a file is looked at.
const LOOKED_AT: u64 = 65_536;

/// The size of a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Documents {
    pub features: usize,
    /// Documents of a query.
    pub per_query: f64,
    /// Documents of all test queries.
    pub n_test: f64,
    /// Bytes of all documents in memory.
    pub bytes: f64,
}

impl Documents {
    /// Synthetic data has the size of its outline. Of other data the beginning is looked at; data that is not here, perhaps only on the
    /// cluster, or is packed, counts as one of the largest public sets.
    pub fn of(dataset: &Dataset) -> Self {
        match dataset {
            Dataset::Synthetic { like, train_queries, test_queries, .. } => {
                let Outline { n_features, documents_per_query, .. } = synthetic::outline(*like);
                let n = |queries: u32| f64::from(queries) * documents_per_query as f64;
                Self::new(n_features, documents_per_query as f64, n(*train_queries), n(*test_queries))
            }
            Dataset::Letor { path, .. } => Self::of_text(Path::new(path)).unwrap_or(Self::new(136, 120.0, 2_300_000.0, 750_000.0)),
        }
    }

    fn new(features: usize, per_query: f64, n_train: f64, n_test: f64) -> Self {
        Self { features, per_query, n_test, bytes: (n_train + n_test) * (features as f64 * 4.0 + 1.0) }
    }

    fn of_text(folder: &Path) -> Option<Self> {
        let (train, test) = (folder.join("train.txt"), folder.join("test.txt"));
        let beginning = Beginning::of(&train)?;
        let n = |path: &Path| Some(fs::metadata(path).ok()?.len() as f64 / beginning.line);
        Some(Self::new(beginning.features, beginning.per_query, n(&train)?, n(&test)?))
    }
}

/// The first lines of a LETOR text.
struct Beginning {
    features: usize,
    per_query: f64,
    /// The mean length of a line in bytes.
    line: f64,
}

impl Beginning {
    fn of(path: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(LOOKED_AT).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().collect();
        let mut queries: Vec<&str> = lines.iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
        queries.dedup();
        let number = |word: &str| word.split_once(':').and_then(|(number, _)| number.parse::<usize>().ok());
        let features = lines.iter().flat_map(|line| line.split('#').next()?.split_whitespace().filter_map(number).max()).max()?;
        let n_lines = lines.len() as f64;
        Some(Self { features, per_query: n_lines / queries.len().max(1) as f64, line: bytes.len() as f64 / n_lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Normalize;

    #[test]
    fn the_beginning_of_a_text_tells_its_size() {
        let folder = tempfile::tempdir().expect("a folder");
        let lines: String = (0..3_000).map(|i| format!("{} qid:{} 1:0.25 2:0.5 7:1.0 # doc 99:1\n", i % 3, 1000 + i / 10)).collect();
        fs::write(folder.path().join("train.txt"), &lines).expect("it writes");
        let path = folder.path().display().to_string();
        let of = || Documents::of(&Dataset::Letor { path: path.clone(), normalize: Normalize::AsIs, features: None, grades: None });
        assert_eq!(of().features, 136); // test.txt is missing
        fs::write(folder.path().join("test.txt"), &lines[..lines.len() / 3]).expect("it writes");
        let found = of();
        assert_eq!((found.features, found.per_query.round(), found.n_test.round()), (7, 10.0, 1_000.0));
        assert_eq!((found.bytes / 4_000.0).round(), 29.0);
    }
}
