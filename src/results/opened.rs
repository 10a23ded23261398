//! A result folder that is read.

use super::manifest::Manifest;
use crate::error::Result;
use crate::record::{CurveRow, Reader, Row, RunRow};
use serde::de::{DeserializeOwned, IgnoredAny};
use std::path::{Path, PathBuf};

/// The results of one run: its manifest and its tables.
///
/// `S` is the type as which the scenario in the manifest is read: the whole scenario, a struct of the fields that matter, or by default
/// nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Results<S = IgnoredAny> {
    folder: PathBuf,
    /// The manifest of the results.
    pub manifest: Manifest<S>,
}

impl Results {
    /// Opens a result folder without its scenario.
    ///
    /// # Errors
    /// The folder holds no manifest that this program can read.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_with(folder)
    }
}

impl<S: DeserializeOwned> Results<S> {
    /// Opens a result folder and reads its scenario as `S`.
    ///
    /// # Errors
    /// The folder holds no manifest that this program can read.
    pub fn open_with(folder: &Path) -> Result<Self> {
        Ok(Self { folder: folder.to_path_buf(), manifest: Manifest::read(folder)? })
    }
}

impl<S> Results<S> {
    /// Where the results are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The table with rows of this type.
    ///
    /// # Errors
    /// The run did not record the table, or a file cannot be read.
    pub fn table<R: Row>(&self) -> Result<Reader<R>> {
        Reader::open(&self.folder)
    }

    /// Every row of a table, in memory.
    ///
    /// # Errors
    /// The run did not record the table, or a file cannot be read or does not fit the table.
    pub fn rows<R: Row>(&self) -> Result<Vec<R>> {
        self.table::<R>()?.rows(..)?.collect()
    }

    /// The recorded evaluations in order; at least one.
    ///
    /// # Errors
    /// As [`Results::rows`], or if no evaluation was recorded.
    pub fn curve(&self) -> Result<Vec<CurveRow>> {
        self.at_least_one()
    }

    /// The row of the run in the table `runs`: its settings and its outcome.
    ///
    /// # Errors
    /// As [`Results::rows`], or if the table `runs` is empty.
    pub fn run(&self) -> Result<RunRow> {
        self.at_least_one().map(|mut rows| rows.swap_remove(0))
    }

    fn at_least_one<R: Row>(&self) -> Result<Vec<R>> {
        let rows = self.rows::<R>()?;
        if rows.is_empty() { Err(R::TABLE.missing(&self.folder)) } else { Ok(rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::tests::{Latency, manifest};
    use super::super::{Begin, Staging};
    use super::*;
    use crate::record::samples::Sample;
    use crate::record::{OutcomeRow, Parameters, ParquetRecorder, Recorder, RunKey, Table};
    use tempfile::{TempDir, tempdir};

    /// A result folder with a curve of `n` evaluations.
    fn result(n: usize) -> (TempDir, PathBuf, Vec<CurveRow>) {
        let parent = tempdir().expect("a folder");
        let folder = parent.path().join("kad");
        let curve: Vec<CurveRow> = (0..n).map(|n| CurveRow { evaluation: n as i32, ..CurveRow::sample(&mut || 7) }).collect();
        let staging = Staging::claim(&folder, &Begin::Over).expect("it is free");
        let run = RunKey { run_id: "r1".into(), seed: 1, parameters: Parameters::default() };
        let mut recorder = ParquetRecorder::create(staging.folder(), &[Table::Curve], &run).expect("it starts");
        recorder.record(curve.clone().into()).and_then(|()| recorder.finish()).expect("it writes");
        manifest().write(&staging).and_then(|()| staging.publish()).expect("it is published");
        (parent, folder, curve)
    }

    #[test]
    fn results_are_their_manifest_and_their_tables() {
        let (_parent, folder, curve) = result(3);
        let results = Results::open(&folder).expect("it opens");
        assert_eq!((results.folder(), results.manifest.run_id.as_str()), (folder.as_path(), "r1"));
        assert_eq!((results.curve(), results.rows()), (Ok(curve.clone()), Ok(curve)));
        let with_scenario = Results::<Vec<Latency>>::open_with(&folder).expect("it opens");
        assert_eq!(with_scenario.manifest, manifest());
    }

    #[test]
    fn missing_results_say_how_to_get_them() {
        let (_parent, folder, _) = result(0);
        let results = Results::open(&folder).expect("it opens");
        for (problem, says) in [
            (results.curve().err(), "kad: holds no curve; run the scenario with record: (curve: All)"),
            (results.run().err(), "kad: holds no runs; run the scenario again"),
            (results.rows::<OutcomeRow>().err(), "kad: holds no outcomes; run the scenario with record: (outcomes: All)"),
            (Results::open(&folder.join("nobody")).err(), "manifest.ron: cannot be read: No such file or directory (os error 2)"),
        ] {
            let problem = problem.expect("it is refused");
            assert!(problem.to_string().ends_with(says) && problem.exit_code() == 2, "{problem}");
        }
    }
}
