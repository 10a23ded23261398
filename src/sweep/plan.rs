//! The plan of a sweep: which runs there are, and which task does which.

use super::labels::run_name;
use super::manifest::{self, TaskSize};
use crate::error::{Error, Result};
use crate::scenario::{FieldText, Scenario, Template};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The plan of a sweep, as the manifest of its folder holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// What the sweep is called.
    pub name: String,
    /// What varies, in the order of the sweep file.
    pub axes: Vec<Axis>,
    /// The tasks, in the order of their numbers.
    pub tasks: Vec<Task>,
    /// How large tasks were meant to be, each time some were planned.
    pub sizes: Vec<TaskSize>,
    /// Estimated bytes of memory of the largest run.
    pub memory: f64,
    /// Estimated bytes of disk of all results.
    pub disk: f64,
    /// The scenario whose fields the axes replace.
    pub base: Template,
}

/// What varies: values of one field, or of several fields together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Axis {
    /// The field, or the given name.
    pub name: String,
    /// The values. A plan that is extended gets its new values at the end.
    pub values: Vec<Value>,
}

/// One value on an axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Value {
    /// What the value is called in names and tables.
    pub label: String,
    /// The fields that it replaces.
    pub fields: Vec<FieldText>,
}

/// Runs that one process does one after another.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The letter t and the number in five digits, from t00001.
    pub id: String,
    /// The runs in plan order.
    pub runs: Vec<PlannedRun>,
    /// Estimated CPU seconds.
    pub cost: f64,
}

/// One run of a sweep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedRun {
    /// Its name, unique in the sweep and fit for a folder.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// Every axis with the label of the run's value, in the order of the axes.
    pub labels: Vec<(String, String)>,
    /// The index of the run's value on every axis.
    pub values: Vec<usize>,
}

impl Plan {
    /// Reads the plan of a sweep's folder.
    ///
    /// # Errors
    /// There is no plan, or it is damaged or of another version.
    pub fn read(dir: &Path) -> Result<Plan> {
        manifest::read(dir)?.ok_or_else(|| {
            let problem = format!("{}: holds no planned sweep", dir.display());
            Error::input(format!("{problem}; make one with `rankguard sweep plan FILE --out {}`", dir.display()))
        })
    }

    /// Writes the plan into an existing folder. A reader sees either the plan before or this one, whole.
    ///
    /// # Errors
    /// The disk fails.
    pub fn write(&self, dir: &Path) -> Result<()> {
        manifest::write(dir, self)
    }

    /// The task with this number, from 1.
    ///
    /// # Errors
    /// There is no such task.
    pub fn task(&self, number: u32) -> Result<&Task> {
        let found = (number as usize).checked_sub(1).and_then(|index| self.tasks.get(index));
        found.ok_or_else(|| Error::input(format!("there is no task {number}; the tasks of {} are 1 to {}", self.name, self.tasks.len())))
    }

    /// All runs, task by task.
    pub fn runs(&self) -> impl Iterator<Item = &PlannedRun> {
        self.tasks.iter().flat_map(|task| &task.runs)
    }

    /// The checked scenario of a run.
    ///
    /// # Errors
    /// The scenario makes no sense to this version of the program.
    pub fn scenario(&self, run: &PlannedRun) -> Result<Scenario> {
        self.base.with(&fields(&self.axes, &run.values))?.scenario(&run.name, run.seed)
    }
}

impl Task {
    /// The id of the task with this number.
    pub fn id(number: usize) -> String {
        format!("t{number:05}")
    }
}

impl PlannedRun {
    /// The run with these values on the axes, given by their index.
    pub fn new(axes: &[Axis], values: Vec<usize>, seed: u64) -> Self {
        let label = |(axis, value): (&Axis, &usize)| (axis.name.clone(), axis.values[*value].label.clone());
        let labels: Vec<(String, String)> = axes.iter().zip(&values).map(label).collect();
        Self { name: run_name(&labels, seed), seed, labels, values }
    }
}

/// The fields that a combination of values replaces.
pub(super) fn fields(axes: &[Axis], values: &[usize]) -> Vec<FieldText> {
    axes.iter().zip(values).flat_map(|(axis, value)| axis.values[*value].fields.clone()).collect()
}
