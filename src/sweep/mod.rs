//! Many runs as one: a sweep file names a base scenario and what varies; its plan is a numbered list of tasks for a job array.
//!
//! A task is a list of runs that one process does one after another. The plan alone says which runs a task has, whatever engine starts it
//! and however often. This module neither prints nor starts anything but runs.

mod axes;
mod balance;
mod canonical;
mod combinations;
mod cost;
mod differences;
mod documents;
pub mod file;
mod folder;
mod grow;
mod ids;
mod labels;
mod manifest;
mod plan;
mod seeds;
mod skip;
mod source;
mod submit;
mod summary;
mod task_index;

pub use canonical::SWEEP_NAME;
pub use file::SweepFile;
pub use folder::{LOGS_NAME, Planned, TASKS_NAME};
pub use ids::{parse_ids, show_ids};
pub use manifest::{MANIFEST_NAME, TaskSize};
pub use plan::{Axis, Plan, PlannedRun, Task, Value};
pub use submit::{Engine, Submission, absolute, megabytes};
pub use summary::{AxisSummary, PlanSummary, shell_quoted};
pub use task_index::{TaskIndex, task_index};
