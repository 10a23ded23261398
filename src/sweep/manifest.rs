//! The manifest of a sweep's folder. Values and labels are written once, and a run names them by their index, so that ten thousand runs take
//! a few hundred kilobytes.

use super::plan::{Axis, Plan, PlannedRun, Task};
use crate::error::{Error, Result};
use crate::fields::options;
use crate::files;
use crate::results::write_whole;
use crate::scenario::Template;
use ron::ser::PrettyConfig;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

/// The plan's file in the folder of a sweep.
pub const MANIFEST_NAME: &str = "manifest.ron";

/// The version of the manifest's form.
const FORMAT: u32 = 1;
/// A manifest of a hundred thousand runs takes a few megabytes.
const LARGEST: u64 = 1_000_000_000;

/// How large tasks are meant to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum TaskSize {
    /// So many CPU seconds each.
    Seconds(f64),
    /// So many tasks in all.
    Tasks(u32),
}

impl fmt::Display for TaskSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TaskSize::Seconds(seconds) => write!(f, "of {seconds} CPU seconds"),
            TaskSize::Tasks(tasks) => write!(f, "{tasks} in all"),
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    sweep_format: u32,
    name: String,
    sizes: Vec<TaskSize>,
    memory: f64,
    disk: f64,
    base: Template,
    axes: Vec<Axis>,
    tasks: Vec<StoredTask>,
}

#[derive(Serialize, Deserialize)]
struct StoredTask {
    id: String,
    cost: f64,
    /// The index of a value on every axis, and the seed.
    runs: Vec<(Vec<usize>, u64)>,
}

/// The plan in a folder; `None` if there is no manifest.
pub fn read(dir: &Path) -> Result<Option<Plan>> {
    let path = dir.join(MANIFEST_NAME);
    let text = match files::read(&path, LARGEST) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Error::cannot_read(&path, &e)),
    };
    if text.lines().any(|line| line.trim_start().starts_with("run_id:")) {
        let dir = dir.display();
        return Err(Error::input(format!("{dir}: holds the results of a run and no sweep; look at them with `rankguard inspect {dir}`")));
    }
    parse(&text).map(Some).map_err(|problem| Error::input(format!("{}{problem}; plan the sweep anew in another folder", path.display())))
}

fn parse(text: &str) -> std::result::Result<Plan, String> {
    if !text.contains("sweep_format:") {
        return Err(": is not the plan of a sweep".into());
    }
    let stored: Stored = options().from_str(text).map_err(|e| format!(":{}:{}: {}", e.span.start.line, e.span.start.col, e.code))?;
    match stored.sweep_format {
        FORMAT if stored.fits() => Ok(stored.plan()),
        FORMAT => Err(": names values or tasks that it does not have".into()),
        other => Err(format!(": has the form {other}, and this program reads {FORMAT}")),
    }
}

/// Writes a plan into its folder. A reader sees either the plan before or this one, whole.
pub fn write(dir: &Path, plan: &Plan) -> Result<()> {
    write_whole(&dir.join(MANIFEST_NAME), &text(plan))
}

/// The manifest with one line per field, value and task.
pub fn text(plan: &Plan) -> String {
    let layout = PrettyConfig::new().depth_limit(2).new_line("\n");
    options().to_string_pretty(&Stored::of(plan), layout).expect("a plan is plain data") + "\n"
}

impl Stored {
    fn of(plan: &Plan) -> Self {
        let run = |run: &PlannedRun| (run.values.clone(), run.seed);
        let task = |task: &Task| StoredTask { id: task.id.clone(), cost: task.cost, runs: task.runs.iter().map(run).collect() };
        Self {
            sweep_format: FORMAT,
            name: plan.name.clone(),
            sizes: plan.sizes.clone(),
            memory: plan.memory,
            disk: plan.disk,
            base: plan.base.clone(),
            axes: plan.axes.clone(),
            tasks: plan.tasks.iter().map(task).collect(),
        }
    }

    /// Whether tasks are numbered in order, and every run has a value on every axis.
    fn fits(&self) -> bool {
        let has_values = |values: &[usize]| {
            values.len() == self.axes.len() && values.iter().zip(&self.axes).all(|(value, axis)| *value < axis.values.len())
        };
        let numbered = self.tasks.iter().zip(1..).all(|(task, number)| task.id == Task::id(number));
        numbered && self.tasks.iter().flat_map(|task| &task.runs).all(|(values, _)| has_values(values))
    }

    fn plan(self) -> Plan {
        let axes = self.axes;
        let task = |task: StoredTask| Task {
            id: task.id,
            cost: task.cost,
            runs: task.runs.into_iter().map(|(values, seed)| PlannedRun::new(&axes, values, seed)).collect(),
        };
        let tasks = self.tasks.into_iter().map(task).collect();
        Plan { name: self.name, tasks, axes, sizes: self.sizes, memory: self.memory, disk: self.disk, base: self.base }
    }
}
