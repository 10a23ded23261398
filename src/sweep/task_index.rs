//! The number of the task that a job array wants done, from the variables that its engine sets (`--task auto`).
//!
//! Engines nest: HyperQueue runs inside of SLURM jobs. The inner engine is asked first. If two engines name different tasks, it is unclear
//! which one counts the tasks of this sweep, so nothing is begun.

use crate::error::{Error, Result};

/// A variable, and what must be added to get the number of a task, which begins at 1.
///
/// GNU parallel comes last: its variable counts arguments, and scripts for it name tasks one by one.
const VARIABLES: [(&str, u32); 10] = [
    ("HQ_TASK_ID", 0),
    ("SLURM_ARRAY_TASK_ID", 0),
    ("JOB_COMPLETION_INDEX", 1),
    ("AWS_BATCH_JOB_ARRAY_INDEX", 1),
    ("BATCH_TASK_INDEX", 1),
    ("PBS_ARRAY_INDEX", 0),
    ("PBS_ARRAYID", 0),
    ("SGE_TASK_ID", 0),
    ("LSB_JOBINDEX", 0),
    ("PARALLEL_SEQ", 0),
];

/// A task that an engine wants done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskIndex {
    /// The number of the task, from 1.
    pub number: u32,
    /// The variable that named it.
    pub variable: &'static str,
}

/// The task that the engine around this process wants done; `lookup` gives the value of a variable.
///
/// # Errors
/// No variable names a task, one is not a number, or two disagree.
pub fn task_index(lookup: impl Fn(&str) -> Option<String>) -> Result<TaskIndex> {
    let mut found: Vec<TaskIndex> = Vec::new();
    for (variable, add) in VARIABLES {
        let Some(value) = lookup(variable).filter(|value| is_set(variable, value)) else { continue };
        let number = value.trim().parse::<u32>().ok().and_then(|index| index.checked_add(add)).filter(|number| *number > 0);
        let number = number.ok_or_else(|| {
            Error::input(format!("--task auto: {variable} is `{value}`, which is not the number of a task; pass --task N"))
        })?;
        found.push(TaskIndex { number, variable });
    }
    match &found[..] {
        [] => Err(Error::input("--task auto: no batch engine names a task here; pass --task N, or begin this in a job array")),
        [first, rest @ ..] => match rest.iter().find(|other| other.number != first.number) {
            Some(other) => Err(disagreement(first, other)),
            None => Ok(first.clone()),
        },
    }
}

/// Outside of arrays, SGE says `undefined` and LSF says 0.
fn is_set(variable: &str, value: &str) -> bool {
    match variable {
        "SGE_TASK_ID" => value != "undefined",
        "LSB_JOBINDEX" => value != "0",
        _ => !value.is_empty(),
    }
}

fn disagreement(one: &TaskIndex, other: &TaskIndex) -> Error {
    Error::input(format!(
        "--task auto: {} means task {}, but {} means task {}; pass --task N",
        one.variable, one.number, other.variable, other.number
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variables such as "SGE_TASK_ID=3 HQ_TASK_ID=3".
    fn found(variables: &str) -> Result<TaskIndex> {
        task_index(|name| variables.split_whitespace().find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).map(ToOwned::to_owned))
    }

    #[track_caller]
    fn check(variables: &str, number: u32, variable: &'static str) {
        assert_eq!(found(variables), Ok(TaskIndex { number, variable }));
    }

    #[test]
    fn every_engine_is_understood() {
        for (variable, first) in VARIABLES {
            check(&format!("{variable}=7"), 7 + first, variable);
        }
        check("JOB_COMPLETION_INDEX=0", 1, "JOB_COMPLETION_INDEX");
    }

    #[test]
    fn the_inner_engine_is_asked_first() {
        check("SLURM_ARRAY_TASK_ID=3 HQ_TASK_ID=3", 3, "HQ_TASK_ID");
        check("AWS_BATCH_JOB_ARRAY_INDEX=2 PARALLEL_SEQ=3", 3, "AWS_BATCH_JOB_ARRAY_INDEX");
    }

    #[test]
    fn outside_of_an_array_a_variable_says_nothing() {
        check("SGE_TASK_ID=undefined LSB_JOBINDEX=0 PBS_ARRAYID=4", 4, "PBS_ARRAYID");
        check("SLURM_ARRAY_TASK_ID= PBS_ARRAYID=4", 4, "PBS_ARRAYID");
    }

    #[track_caller]
    fn refuse(variables: &str, expect: &str) {
        let error = found(variables).expect_err(variables);
        assert!(error.to_string().contains(expect) && error.exit_code() == 2, "{error}");
    }

    #[test]
    fn what_is_unclear_is_refused() {
        refuse("", "no batch engine names a task here; pass --task N");
        refuse("SGE_TASK_ID=undefined", "no batch engine");
        refuse("SLURM_ARRAY_TASK_ID=3 PARALLEL_SEQ=1", "SLURM_ARRAY_TASK_ID means task 3, but PARALLEL_SEQ means task 1");
        refuse("JOB_COMPLETION_INDEX=3 SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_ID means task 3, but JOB_COMPLETION_INDEX means task 4");
        refuse("HQ_TASK_ID=two", "HQ_TASK_ID is `two`, which is not the number of a task");
        refuse("PBS_ARRAY_INDEX=0", "PBS_ARRAY_INDEX is `0`");
        refuse("BATCH_TASK_INDEX=4294967295", "BATCH_TASK_INDEX is `4294967295`");
    }
}
