//! SLURM: an array, and a job behind it that collects the tables.

use super::Submission;
use crate::sweep::ids::show_ids;

/// The highest index of an array that sites allow by default, and its number of tasks.
const MAX_INDEX: u32 = 1_000;

/// A script that sends one array for every thousand numbers of tasks, because indices above are refused.
pub fn script(submission: &Submission) -> String {
    let thousands = submission.tasks.chunk_by(|one, next| (one - 1) / MAX_INDEX == (next - 1) / MAX_INDEX);
    let arrays: String = thousands.map(|tasks| array(submission, tasks)).collect();
    let head = submission.head("Send them with: sh submit.sh");
    format!("{head}JOBS=afterok\n{arrays}{}", collect(submission))
}

fn array(submission: &Submission, tasks: &[u32]) -> String {
    let offset = (tasks[0] - 1) / MAX_INDEX * MAX_INDEX;
    let indices: Vec<u32> = tasks.iter().map(|task| task - offset).collect();
    let task = if offset == 0 { "auto".into() } else { format!("$((SLURM_ARRAY_TASK_ID + {offset}))") };
    let Submission { cpus, megabytes, .. } = submission;
    let (job, output, run, indices) = (submission.job(), output(submission, "%A_%a"), submission.run(&task), show_ids(&indices));
    format!(
        r#"JOB=$(sbatch --parsable --output={output} <<'SCRIPT'
#!/bin/bash
#SBATCH --job-name={job}
#SBATCH --array={indices}
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
#SBATCH --open-mode=append
#SBATCH --cpus-per-task={cpus}
#SBATCH --mem={megabytes}M
# SLURM signals this script, which passes the signal on. Exit code 75 means that the state is saved: the task is queued again, unless it was
# cancelled or preempted, which SLURM tells by SIGTERM and handles by itself.
{run} &
PROGRAM=$!
ENDED=
trap 'kill -USR1 $PROGRAM' USR1
trap 'ENDED=yes; kill -TERM $PROGRAM' TERM
wait $PROGRAM
CODE=$?
# A signal ends the waiting, but not the program.
while kill -0 $PROGRAM 2>/dev/null; do
    wait $PROGRAM
    CODE=$?
done
if [ $CODE -eq 75 ] && [ -z "$ENDED" ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}"
fi
exit $CODE
SCRIPT
)
JOBS="$JOBS:${{JOB%%;*}}"
"#
    )
}

fn collect(submission: &Submission) -> String {
    let (job, output, command) = (submission.job(), output(submission, "collect-%j"), submission.collect());
    format!(
        r#"sbatch --parsable --dependency="$JOBS" --kill-on-invalid-dep=yes --job-name={job}-collect --output={output} <<'SCRIPT'
#!/bin/bash
exec {command}
SCRIPT
echo "sent {job} as job ${{JOBS#afterok:}}, and a job that collects its tables"
"#
    )
}

/// The file of what a job prints. SLURM takes `%` for the beginning of a pattern.
fn output(submission: &Submission, name: &str) -> String {
    let logs = submission.logs().replace('%', "%%");
    format!("{logs}/{name}.log")
}
