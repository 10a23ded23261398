//! Engines that start containers and count from 0: Kubernetes and AWS Batch. The folder of the sweep must have the same path in a container.

use super::{Submission, shell_quoted};
use serde_json::json;

/// The words of a container's command. Where the engine's count is not the number of a task, a list translates it.
fn command(submission: &Submission, index: &str) -> Vec<String> {
    let (program, dir) = (submission.program.display().to_string(), submission.dir.display().to_string());
    let run = |task: &str| [&program, "sweep", "run", &dir, "--task", task].map(String::from).into();
    match &submission.tasks[..] {
        [only] => return run(&only.to_string()),
        _ if submission.are_counted() => return run("auto"),
        _ => {}
    }
    let tasks: Vec<String> = submission.tasks.iter().map(ToString::to_string).collect();
    let chosen = format!("set -- {}; shift \"${index}\"; exec {}", tasks.join(" "), submission.run("\"$1\""));
    ["sh".into(), "-c".into(), chosen].into()
}

/// An indexed job. The names of its image and of its volume are the user's.
pub fn kubernetes(submission: &Submission) -> String {
    let Submission { tasks, cpus, megabytes, .. } = submission;
    // YAML takes the texts of JSON.
    let text = |text: &str| json!(text).to_string();
    let command = json!(command(submission, "JOB_COMPLETION_INDEX")).to_string();
    let (dir, start_in) = (text(&submission.dir.display().to_string()), text(&submission.start_in.display().to_string()));
    let (n_tasks, job) = (tasks.len(), text(&dns_name(&submission.job())));
    format!(
        r#"# Send it with: kubectl apply -f job.yaml
# Put your image, your claim of a volume that holds the sweep, and your limit of parallel tasks in place of these.
apiVersion: batch/v1
kind: Job
metadata:
  name: {job}
spec:
  completionMode: Indexed
  completions: {n_tasks}
  parallelism: {}
  backoffLimitPerIndex: 3
  podFailurePolicy:
    rules:
      # Exit code 75 means that the state is saved: the task is begun again. Exit code 2 means that it never can succeed.
      - action: Ignore
        onExitCodes: {{operator: In, values: [75]}}
      - action: FailIndex
        onExitCodes: {{operator: In, values: [2]}}
  template:
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 60
      containers:
        - name: task
          image: rankguard
          workingDir: {start_in}
          command: {command}
          resources:
            requests: {{cpu: {cpus}, memory: {megabytes}M}}
            limits: {{memory: {megabytes}M}}
          volumeMounts:
            - {{name: sweep, mountPath: {dir}}}
      volumes:
        - name: sweep
          persistentVolumeClaim: {{claimName: sweep}}
"#,
        n_tasks.min(100),
    )
}

/// An array job. Its queue and its definition are the user's.
pub fn aws_batch(submission: &Submission) -> String {
    let Submission { tasks, cpus, megabytes, .. } = submission;
    let resources = json!([
        {"type": "VCPU", "value": cpus.to_string()},
        {"type": "MEMORY", "value": megabytes.to_string()},
    ]);
    let overrides = json!({"command": command(submission, "AWS_BATCH_JOB_ARRAY_INDEX"), "resourceRequirements": resources});
    let retry = json!({"attempts": 10, "evaluateOnExit": [
        {"onExitCode": "75", "action": "RETRY"},
        {"onStatusReason": "Host EC2*", "action": "RETRY"},
        {"onReason": "*", "action": "EXIT"},
    ]});
    let quoted = |value: &serde_json::Value| shell_quoted(value.to_string().as_ref());
    // An array has at least two tasks.
    let array = if tasks.len() > 1 { format!(" --array-properties size={}", tasks.len()) } else { String::new() };
    format!(
        r#"#!/bin/sh
# Send it with: QUEUE=my-queue DEFINITION=my-definition sh submit.sh
# The definition names the image and the volume that holds the sweep at {dir}.
set -eu
aws batch submit-job --job-name {job} --job-queue "${{QUEUE:?}}" --job-definition "${{DEFINITION:?}}"{array} \
    --retry-strategy {retry} \
    --container-overrides {overrides}
"#,
        dir = submission.dir.display(),
        job = submission.job().replace('.', "-"),
        retry = quoted(&retry),
        overrides = quoted(&overrides),
    )
}

/// Small letters, digits and `-`, at most 50 of them.
fn dns_name(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).take(50).collect();
    plain.trim_matches('-').to_owned()
}
