//! GNU parallel: tasks side by side on one machine, without a queue.

use super::Submission;
use xxhash_rust::xxh3::xxh3_64;

/// A script that begins as many tasks at a time as the cores allow. Begun again, it does what has failed or was not reached.
pub fn script(submission: &Submission) -> String {
    let tasks: Vec<String> = submission.tasks.iter().map(ToString::to_string).collect();
    let tasks = tasks.join(" ");
    let Submission { cpus, .. } = submission;
    let jobs = if *cpus == 1 { "100%".into() } else { format!("$(( ($(nproc) + {cpus} - 1) / {cpus} ))") };
    // The log knows a task by its place in the list, so every list has a log of its own.
    let log = format!("{}/parallel-h{:08x}.log", submission.logs(), xxh3_64(tasks.as_bytes()) as u32);
    let (head, run, collect) = (submission.head("Begin them with: sh submit.sh"), submission.run("{}"), submission.collect());
    format!("{head}parallel --quote --joblog {log} --resume-failed -j {jobs} \\\n    {run} --threads {cpus} ::: {tasks}\n{collect}\n")
}
