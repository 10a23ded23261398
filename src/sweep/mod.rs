//! Many runs as one: a sweep file names a base scenario and what varies; its plan is a numbered list of tasks for a job array.
//!
//! A task is a list of runs that one process does one after another. The plan alone says which runs a task has, whatever engine starts it
//! and however often. This module neither prints nor starts anything but runs.

mod axes;
mod balance;
mod canonical;
mod collect;
mod combinations;
mod cost;
mod differences;
mod documents;
mod execute;
pub mod file;
mod finish;
mod folder;
mod grow;
mod ids;
mod labels;
mod layout;
mod manifest;
mod one_run;
mod outcome;
mod packed;
mod plan;
mod queue;
mod room;
#[cfg(test)]
mod samples;
mod seeds;
mod shared_documents;
mod skip;
mod source;
mod status;
mod submit;
mod summary;
mod task_index;

pub use canonical::SWEEP_NAME;
pub use collect::{Collected, Verified};
pub use execute::{Execution, execute};
pub use file::SweepFile;
pub use folder::{LOGS_NAME, Planned, TASKS_NAME};
pub use ids::{parse_ids, show_ids};
pub use layout::Folder;
pub use manifest::{MANIFEST_NAME, TaskSize};
pub use outcome::{Executed, Failure, SweepProgress};
pub use packed::{PackedFile, PackedRun, PackedTask};
pub use plan::{Axis, Plan, PlannedRun, Task, Value};
pub use status::{RunCounts, Status, TaskCounts, TaskState, TaskStatus};
pub use submit::{Engine, Submission, absolute, megabytes};
pub use summary::{AxisSummary, PlanSummary, shell_quoted};
pub use task_index::{TaskIndex, task_index};
