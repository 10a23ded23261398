//! Engines whose job arrays are much like one another: HyperQueue, PBS, SGE and LSF.

use super::{Submission, shell_quoted};
use crate::sweep::ids::show_ids;

pub fn hyperqueue(submission: &Submission) -> String {
    let Submission { cpus, tasks, .. } = submission;
    let (head, job, logs) = (submission.head("Send them with: sh submit.sh"), submission.job(), submission.logs());
    format!(
        "{head}# A task that ends with exit code 75 goes on where it stopped when it is sent again.\n\
        hq submit --name {job} --array {} --cpus {cpus} --stdout {logs}/%{{TASK_ID}}.log --stderr {logs}/%{{TASK_ID}}.err \\\n    -- {}\n{}",
        show_ids(tasks),
        submission.run("auto"),
        then(submission),
    )
}

/// PBS takes one range per array, and none of a single task.
pub fn pbs(submission: &Submission) -> String {
    let Submission { cpus, megabytes, .. } = submission;
    let one = |(from, to): &(u32, u32)| match from == to {
        true => format!("submit -v PBS_ARRAY_INDEX={from}\n"),
        false => format!("submit -J {from}-{to}\n"),
    };
    let (head, job, run, then) =
        (submission.head("Send them with: sh submit.sh"), submission.job(), submission.run("auto"), then(submission));
    let sent: String = submission.ranges().iter().map(one).collect();
    let (start_in, logs) = (shell_quoted(&submission.start_in), submission.logs());
    format!(
        r#"{head}submit() {{
    qsub -o {logs}/ "$@" <<'SCRIPT'
#!/bin/bash
#PBS -N {job}
#PBS -r y
#PBS -j oe
#PBS -l select=1:ncpus={cpus}:mem={megabytes}mb
cd {start_in}
{run}
CODE=$?
# Exit code 75 means that the state is saved: the task is queued again.
[ $CODE -ne 75 ] || qrerun "$PBS_JOBID"
exit $CODE
SCRIPT
}}
{sent}{then}"#
    )
}

/// SGE takes one range per array, and begins a task again that ends with exit code 99.
pub fn sge(submission: &Submission) -> String {
    let Submission { cpus, megabytes, .. } = submission;
    let (head, job, run, then) =
        (submission.head("Send them with: sh submit.sh"), submission.job(), submission.run("auto"), then(submission));
    let sent: String = submission.ranges().iter().map(|(from, to)| format!("submit -t {from}-{to}\n")).collect();
    let (logs, per_slot) = (submission.logs(), megabytes.div_ceil(u64::from(*cpus)));
    format!(
        r#"{head}# The parallel environment `smp` and the resource `h_vmem`, which counts per slot, have other names at some sites.
submit() {{
    qsub -o {logs}/ "$@" <<'SCRIPT'
#!/bin/bash
#$ -N {job}
#$ -S /bin/bash
#$ -cwd
#$ -r y
#$ -j y
#$ -pe smp {cpus}
#$ -l h_vmem={per_slot}M
{run}
CODE=$?
# Exit code 75 means that the state is saved: SGE begins the task again.
[ $CODE -ne 75 ] || exit 99
exit $CODE
SCRIPT
}}
{sent}{then}"#
    )
}

pub fn lsf(submission: &Submission) -> String {
    let Submission { cpus, megabytes, tasks, .. } = submission;
    let (head, job, run, then) =
        (submission.head("Send them with: sh submit.sh"), submission.job(), submission.run("auto"), then(submission));
    let (logs, ids) = (submission.logs(), show_ids(tasks));
    format!(
        r#"{head}# Exit code 75 means that the state is saved: LSF queues the task again.
bsub -J '{job}[{ids}]' -r -Q 75 -n {cpus} -R 'span[hosts=1]' -M {megabytes}MB -o {logs}/%J_%I.log <<'SCRIPT'
#!/bin/bash
exec {run}
SCRIPT
{then}"#
    )
}

fn then(submission: &Submission) -> String {
    format!("# When all tasks have ended:\n# {}\n", submission.collect())
}
