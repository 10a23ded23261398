//! `rankguard sweep submit`: the scripts as golden files, and what they do when an engine runs them.
#![cfg(unix)]

use super::command_line::{Desk, text};
use super::support::golden;
use rankguard::sweep::{Engine, Submission};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn submission(dir: &str, tasks: &[u32]) -> Submission {
    Submission {
        name: "robustness".into(),
        dir: dir.into(),
        start_in: "/home/ada".into(),
        program: "/opt/rankguard".into(),
        tasks: tasks.to_vec(),
        cpus: 2,
        megabytes: 1_700,
    }
}

fn is_shell(engine: Engine) -> bool {
    engine != Engine::Kubernetes
}

#[test]
fn every_engine_has_its_script() {
    for (name, engine) in Engine::ALL {
        let file = format!("submit/{name}.{}", if is_shell(engine) { "sh" } else { "yaml" });
        golden(&file, &engine.script(&submission("/data/sweeps/robustness", &[1, 2, 3, 4])));
    }
}

#[test]
fn what_is_missing_in_a_folder_with_a_difficult_name_is_sent_alone() {
    for (name, engine) in Engine::ALL {
        let file = format!("submit/{name}-missing.{}", if is_shell(engine) { "sh" } else { "yaml" });
        golden(&file, &engine.script(&submission("/my sweeps/it's \"100%\" $HOME", &[2, 3, 7, 1_001, 2_500])));
    }
}

#[test]
fn every_script_is_right_for_the_shell() {
    for (name, engine) in Engine::ALL.into_iter().filter(|(_, engine)| is_shell(*engine)) {
        for tasks in [&[1u32][..], &[1, 2, 3], &[5], &[2, 3, 7, 1_001]] {
            let script = engine.script(&submission("/my sweeps/it's \"100%\" $HOME", tasks));
            let mut shell = Command::new("sh").arg("-n").stdin(Stdio::piped()).spawn().expect("there is a shell");
            shell.stdin.take().expect("it is piped").write_all(script.as_bytes()).expect("it reads");
            assert!(shell.wait().expect("it ends").success(), "{name}:\n{script}");
        }
    }
}

/// A desk with a planned sweep of four tasks in `it's here`, and programs in `bin`.
fn planned() -> Desk {
    let desk = Desk::new();
    desk.write("sweep.ron", "(name: \"s\", base: \"small.ron\", seeds: Range(first: 1, count: 4), tasks: 4)");
    let planned = desk.run(&["sweep", "plan", "sweep.ron", "--out", "it's here"]);
    assert!(planned.status.success(), "{planned:?}");
    desk
}

fn program(desk: &Desk, name: &str, script: &str) {
    let path = desk.path().join("bin").join(name);
    desk.write(&format!("bin/{name}"), format!("#!/bin/bash\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it can be executed");
}

/// Runs a program with `bin` before all other folders of programs.
fn with_bin(desk: &Desk, program: &Path, arguments: &[&str]) -> Output {
    let path = format!("{}:{}", desk.path().join("bin").display(), std::env::var("PATH").unwrap_or_default());
    Command::new(program).args(arguments).env("PATH", path).current_dir(desk.path()).output().expect("it starts")
}

fn rankguard(desk: &Desk, arguments: &[&str]) -> Output {
    with_bin(desk, Path::new(env!("CARGO_BIN_EXE_rankguard")), arguments)
}

#[test]
fn slurm_gets_an_array_and_a_job_behind_it() {
    let desk = planned();
    program(&desk, "sbatch", "{ echo \"$@\"; cat; } >> sent; echo 17");
    let sent = rankguard(&desk, &["sweep", "submit", "slurm", "it's here", "--now"]);
    assert!(sent.status.success() && text(&sent.stdout).contains("sent rankguard-s as job 17"), "{sent:?}");
    let jobs = fs::read_to_string(desk.path().join("sent")).expect("jobs were sent");
    for part in ["#SBATCH --array=1-4\n", "--dependency=afterok:17 --kill-on-invalid-dep=yes", "/it'\\''s here' --task auto &\n"] {
        assert!(jobs.contains(part), "no {part} in\n{jobs}");
    }
    assert!(desk.path().join("it's here/submit.sh").exists());
    program(&desk, "sbatch", "echo no such partition >&2; exit 1");
    let failed = rankguard(&desk, &["sweep", "submit", "slurm", "it's here", "--now"]);
    assert!(failed.status.code() == Some(1) && text(&failed.stderr).contains("no such partition\n"), "{failed:?}");
}

#[test]
fn parallel_gets_every_task_by_its_number() {
    let desk = planned();
    program(&desk, "parallel", "printf '%s\\n' \"$@\" > got; exit 3");
    let sent = rankguard(&desk, &["sweep", "submit", "parallel", "it's here", "--now", "--array", "2-3"]);
    assert!(sent.status.code() == Some(1) && text(&sent.stderr).contains("it's here/submit.sh: ended with exit status: 3"), "{sent:?}");
    let got = fs::read_to_string(desk.path().join("got")).expect("it was called");
    assert!(got.ends_with("/it's here\n--task\n{}\n--jobs\n1\n--threads\n1\n:::\n2\n3\n") && got.contains("-j\n100%\n"), "{got}");
}

#[test]
fn only_what_is_missing_is_sent() {
    let desk = planned();
    let array = |options: &[&str]| {
        let output = rankguard(&desk, &[&["sweep", "submit", "slurm", "it's here"], options].concat());
        let script = text(&output.stdout) + &text(&output.stderr);
        script.lines().find_map(|line| line.strip_prefix("#SBATCH --array=").map(String::from)).unwrap_or(script)
    };
    assert_eq!(array(&[]), "1-4");
    let run = |task: &str| assert!(rankguard(&desk, &["sweep", "run", "it's here", "--quiet", "--task", task]).status.success());
    ["1", "3"].into_iter().for_each(run);
    assert_eq!((array(&[]), array(&["--array", "3,1"])), ("2,4".into(), "1,3".into()));
    assert!(array(&["--array", "5"]).contains("`5`: the tasks are 1 to 4"));
    ["2", "4"].into_iter().for_each(run);
    fs::write(desk.path().join("it's here/tasks/t00002/curve.parquet"), "cut").expect("it is damaged");
    assert_eq!(array(&[]), "2");
    run("2");
    assert_eq!(array(&[]), "nothing to do: all 4 tasks have results or are worked on; next: rankguard sweep collect 'it'\\''s here'\n");
}

#[test]
fn scripts_that_must_be_adapted_are_not_sent() {
    let desk = planned();
    for (name, engine) in Engine::ALL {
        if matches!(engine, Engine::Slurm | Engine::Parallel) {
            continue;
        }
        let refused = rankguard(&desk, &["sweep", "submit", name, "it's here", "--now"]);
        assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("--now sends scripts for slurm and parallel only"));
    }
    assert_eq!(rankguard(&desk, &["sweep", "submit", "slurm", "no/such"]).status.code(), Some(2));
}

/// The script that SLURM would run as a task of the array, with `program` in place of ours.
fn task_script(desk: &Desk, ours: &str) -> String {
    program(desk, "ours", ours);
    let submission = Submission { program: desk.path().join("bin/ours"), ..submission("/x y", &[1]) };
    let script = Engine::Slurm.script(&submission);
    let (_, task) = script.split_once("<<'SCRIPT'\n").expect("it begins");
    let (task, _) = task.split_once("\nSCRIPT\n").expect("it ends");
    // Once the script and the program are ready for it, the test's signal is sent.
    let send = "until [ -e ready ]; do sleep 0.02; done\n[ -z \"$SEND\" ] || kill -$SEND $$ &\n";
    let (before, waiting) = task.split_once("wait $PROGRAM\n").expect("it waits");
    format!("{before}{send}wait $PROGRAM\n{waiting}")
}

/// A task whose program answers signals with exit code 75, or ends by itself with `code`: its exit code, and whether it is queued again.
#[track_caller]
fn task(send: &str, code: i32, expect: (i32, &str)) {
    let desk = Desk::new();
    program(&desk, "scontrol", "echo \"$@\" >> asked");
    let ours = "trap 'sleep 0.1; exit 75' USR1 TERM\necho \"$@\" > called\ntouch ready\n[ -z \"$SEND\" ] || while :; do sleep 0.02; done\nexit $CODE_OF_TEST";
    desk.write("task.sh", task_script(&desk, ours));
    let settings = [format!("SEND={send}"), format!("CODE_OF_TEST={code}"), "SLURM_ARRAY_JOB_ID=17".into(), "SLURM_ARRAY_TASK_ID=3".into()];
    let arguments: Vec<&str> = settings.iter().map(String::as_str).chain(["bash", "task.sh"]).collect();
    let ended = with_bin(&desk, Path::new("env"), &arguments);
    let asked = fs::read_to_string(desk.path().join("asked")).unwrap_or_default();
    assert_eq!((ended.status.code(), asked.trim()), (Some(expect.0), expect.1), "{ended:?}");
    assert_eq!(fs::read_to_string(desk.path().join("called")).expect("it was called"), "sweep run /x y --task auto\n");
}

#[test]
fn a_task_near_its_time_limit_is_queued_again() {
    task("USR1", 0, (75, "requeue 17_3"));
}

#[test]
fn a_task_that_slurm_ends_is_left_to_slurm() {
    task("TERM", 0, (75, ""));
}

#[test]
fn a_task_that_ends_by_itself_has_its_own_exit_code() {
    task("", 0, (0, ""));
    task("", 2, (2, ""));
    task("", 75, (75, "requeue 17_3"));
}
