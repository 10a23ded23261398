//! GNU parallel: tasks side by side on one machine, without a queue.

use super::Submission;

/// A script that begins as many tasks at a time as the cores allow. Begun again, it does what is not finished. Every process sees all cores,
/// so it is told its share of them.
pub fn script(submission: &Submission) -> String {
    let tasks: Vec<String> = submission.tasks.iter().map(ToString::to_string).collect();
    let tasks = tasks.join(" ");
    let Submission { cpus, .. } = submission;
    let jobs = if *cpus == 1 { "100%".into() } else { format!("$(( ($(nproc) + {cpus} - 1) / {cpus} ))") };
    // What is done is the program's to know: a log to resume by would pass over tasks whose results were damaged since.
    let log = format!("{}/parallel.log", submission.logs());
    let (head, run, collect) = (submission.head("Begin them with: sh submit.sh"), submission.run("{}"), submission.collect());
    format!("{head}parallel --quote --joblog {log} -j {jobs} \\\n    {run} --jobs {cpus} --threads 1 ::: {tasks}\n{collect}\n")
}
