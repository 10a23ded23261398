//! Makes a plan, or extends one that is there.
//!
//! A plan only grows. Every task stays as it is, whether it is finished or not, and runs that are new are divided into new tasks. New values
//! are put behind those of their axis, and a planned value keeps its label. So a plan and the folders of its runs never contradict each other.

use super::axes::DraftAxis;
use super::balance::balance;
use super::combinations::{combinations, scenarios};
use super::cost::Cost;
use super::differences::{differences, lost_runs};
use super::file::SweepFile;
use super::labels::plain;
use super::manifest::TaskSize;
use super::plan::{Axis, Plan, PlannedRun, Task, Value};
use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

/// The size of tasks if neither the file nor the command line gives one.
const DEFAULT_SIZE: TaskSize = TaskSize::Seconds(600.0);
/// The ids of tasks have five digits.
const MAX_ID: usize = 99_999;

/// Every run is known by its values on the axes and its seed.
type Key = (Vec<usize>, u64);

impl SweepFile {
    /// The plan of this sweep, in `tasks` tasks or else as many as the file asks for.
    ///
    /// # Errors
    /// A combination makes no sense, or two runs would get one name.
    pub fn plan(&self, tasks: Option<u32>) -> Result<Plan> {
        let axes = self.axes.iter().map(|draft| Axis { name: draft.axis.name.clone(), values: Vec::new() }).collect();
        let base = self.base.clone();
        let empty = Plan { name: self.name.clone(), axes, tasks: Vec::new(), sizes: Vec::new(), memory: 0.0, disk: 0.0, base };
        self.grow(empty, self.size(tasks))
    }

    /// A plan with the runs of this sweep that it does not have yet; the plan itself if it has all of them.
    ///
    /// # Errors
    /// As [`SweepFile::plan`], or if the plan is that of another sweep. The message tells the differences.
    pub fn extend(&self, plan: Plan, tasks: Option<u32>) -> Result<Plan> {
        let differences = differences(&plan, self);
        if !differences.is_empty() {
            return Err(another(&differences));
        }
        let (size, before) = (self.size(tasks), plan.clone());
        let after = self.grow(plan, size)?;
        match after.tasks.len() == before.tasks.len() {
            true if !before.sizes.contains(&size) => {
                let were: Vec<String> = before.sizes.iter().map(ToString::to_string).collect();
                Err(another(&[format!("tasks were {} and are {size}", were.join(", then "))]))
            }
            // Values without a run, and other labels for planned ones, change nothing.
            true => Ok(before),
            false => Ok(after),
        }
    }

    fn size(&self, tasks: Option<u32>) -> TaskSize {
        tasks.map(TaskSize::Tasks).or(self.size).unwrap_or(DEFAULT_SIZE)
    }

    fn grow(&self, mut plan: Plan, size: TaskSize) -> Result<Plan> {
        let planned: BTreeSet<Key> = plan.runs().map(|run| (run.values.clone(), run.seed)).collect();
        let places: Vec<Vec<usize>> = plan.axes.iter_mut().zip(&self.axes).map(|(axis, draft)| merge(axis, draft)).collect();
        check_labels(&plan.axes).map_err(|problem| Error::input(format!("{}: {problem}", self.origin)))?;
        let place = |values: Vec<usize>| values.iter().zip(&places).map(|(value, places)| places[*value]).collect();
        let combinations: Vec<Vec<usize>> = combinations(self)?.into_iter().map(place).collect();
        lost_runs(&plan, &combinations, &self.seeds).map_or(Ok(()), |lost| Err(another(&[lost])))?;
        let is_new = |values: &Vec<usize>| self.seeds.iter().any(|seed| !planned.contains(&(values.clone(), *seed)));
        let fresh: Vec<Vec<usize>> = combinations.into_iter().filter(is_new).collect();
        let scenarios = scenarios(&self.origin, &plan.base, &plan.axes, &fresh)?;
        let (mut runs, mut costs) = (Vec::new(), Vec::new());
        for (values, scenario) in fresh.iter().zip(&scenarios) {
            let cost = Cost::of(scenario);
            for seed in self.seeds.iter().filter(|seed| !planned.contains(&(values.clone(), **seed))) {
                runs.push(PlannedRun::new(&plan.axes, values.clone(), *seed));
                costs.push(cost);
            }
        }
        add_tasks(&mut plan, runs, &costs, size)?;
        check_names(&plan).map_err(|problem| Error::input(format!("{}: {problem}", self.origin)))?;
        Ok(plan)
    }
}

/// The error about a sweep that is not the planned one.
fn another(differences: &[String]) -> Error {
    let remedy = "a planned sweep can only grow, by more values, seeds or combinations; choose another --out for another sweep";
    Error::input(format!("another sweep is planned there:\n  {}\n{remedy}", differences.join("\n  ")))
}

/// Adds the values of a file's axis, and returns the place of each on the plan's axis.
fn merge(axis: &mut Axis, draft: &DraftAxis) -> Vec<usize> {
    let mut place = |value: &Value| {
        axis.values.iter().position(|planned| planned.fields == value.fields).unwrap_or_else(|| {
            axis.values.push(value.clone());
            axis.values.len() - 1
        })
    };
    draft.axis.values.iter().map(&mut place).collect()
}

/// Divides new runs into new tasks.
fn add_tasks(plan: &mut Plan, runs: Vec<PlannedRun>, costs: &[Cost], size: TaskSize) -> Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let seconds: Vec<f64> = costs.iter().map(|cost| cost.seconds).collect();
    for indices in balance(&seconds, size) {
        let cost: f64 = indices.iter().map(|run| seconds[*run]).sum();
        let runs = indices.into_iter().map(|run| runs[run].clone()).collect();
        plan.tasks.push(Task { id: Task::id(plan.tasks.len() + 1), runs, cost: rounded(cost) });
    }
    if !plan.sizes.contains(&size) {
        plan.sizes.push(size);
    }
    plan.memory = costs.iter().fold(plan.memory, |most, cost| most.max(cost.memory.ceil()));
    plan.disk = (plan.disk + costs.iter().map(|cost| cost.disk).sum::<f64>()).ceil();
    match plan.tasks.len() > MAX_ID {
        true => Err(Error::input(format!("a sweep has at most {MAX_ID} tasks; plan another sweep in another folder"))),
        false => Ok(()),
    }
}

/// Estimates are not worth more than hundredths of a second.
fn rounded(seconds: f64) -> f64 {
    (seconds * 100.0).ceil() / 100.0
}

/// A value that was planned keeps its label, so a label of a new value may be taken.
fn check_labels(axes: &[Axis]) -> std::result::Result<(), String> {
    for axis in axes {
        let mut seen = BTreeSet::new();
        if let Some(value) = axis.values.iter().find(|value| !seen.insert(plain(&value.label).to_lowercase())) {
            return Err(format!("the label {} of the axis {} is taken by a planned value; give another", value.label, axis.name));
        }
    }
    Ok(())
}

/// Labels of different axes may together give one name.
fn check_names(plan: &Plan) -> std::result::Result<(), String> {
    let mut seen: BTreeMap<String, &PlannedRun> = BTreeMap::new();
    for run in plan.runs() {
        if let Some(other) = seen.insert(run.name.to_lowercase(), run) {
            let labels = |run: &PlannedRun| run.labels.iter().map(|(_, label)| label.as_str()).collect::<Vec<_>>().join(", ");
            return Err(format!("({}) and ({}) would both be called {}; give other labels", labels(other), labels(run), run.name));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
