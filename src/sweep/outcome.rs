//! How far the execution of a sweep is, and what came of it.

use serde::Serialize;

/// How far the execution of a sweep is, in runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SweepProgress {
    /// All runs that are to be done.
    pub of: usize,
    /// Runs that were done before, as far as they were met.
    pub before: usize,
    /// Runs that were done now.
    pub done: usize,
    /// Runs that failed now.
    pub failed: usize,
    /// Runs of tasks that other processes hold.
    pub elsewhere: usize,
    /// Runs that go on.
    pub running: usize,
    /// What has been done of those that go on, in runs.
    pub under_way: f64,
}

/// The outcome of an execution.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Executed {
    /// The last progress.
    pub progress: SweepProgress,
    /// The runs that failed.
    pub failures: Vec<Failure>,
    /// Ids of tasks that other processes hold.
    pub held: Vec<String>,
    /// What was wrong with the files of tasks that were done again.
    pub damaged: Vec<String>,
    /// Whether it was interrupted.
    pub is_interrupted: bool,
}

/// A run that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The id of its task.
    pub task: String,
    /// Its name; empty if its task could not be packed.
    pub run: String,
    /// Why.
    pub message: String,
}
