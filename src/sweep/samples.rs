//! Small plans for tests.

use super::manifest::TaskSize;
use super::plan::{Axis, Plan, PlannedRun, Task, Value};
use crate::scenario::Template;
use crate::scenario::parse::tests::GOOD;

/// A plan with one axis: each value with its label, and each task with so many runs of one value, with seeds from 1.
pub fn plan(field: &str, values: &[(&str, &str)], runs_per_task: u64) -> Plan {
    let value = |(label, text): &(&str, &str)| Value { label: label.to_string(), fields: vec![(field.into(), text.to_string())] };
    let axes = vec![Axis { name: field.into(), values: values.iter().map(value).collect() }];
    let run = |value: usize, seed: u64| PlannedRun::new(&axes, vec![value], seed);
    let runs = |value: usize| (1..=runs_per_task).map(|seed| run(value, seed)).collect();
    let tasks = (0..values.len()).map(|value| Task { id: Task::id(value + 1), runs: runs(value), cost: 1.0 }).collect();
    let base = Template::parse(GOOD, "good.ron").expect("it is good");
    Plan { name: "sample".into(), axes, tasks, sizes: vec![TaskSize::Tasks(1)], memory: 0.0, disk: 0.0, base }
}
