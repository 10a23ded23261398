//! A result folder that is read.

use super::manifest::Manifest;
use crate::error::Result;
use crate::record::{CurveRow, Reader, Row, RunRow};
use serde::de::{DeserializeOwned, IgnoredAny};
use std::path::{Path, PathBuf};

/// The results of one run: its manifest and its tables.
///
/// `S` is what is read of the scenario in the manifest: nothing, all of it, or a struct of the fields that matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Results<S = IgnoredAny> {
    folder: PathBuf,
    /// What the results say about themselves.
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

    /// What the run was and what it came to.
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
