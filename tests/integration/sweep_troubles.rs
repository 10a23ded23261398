//! Sweeps in trouble: what fails, is damaged, killed or done by two at once is found, told and done again.

use crate::sweeps::{DEFENSES, Desk, MISSING, SYNTHETIC, plan, rows, said};
use rankguard::results::LockedFolder;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};

#[test]
fn a_run_that_fails_is_told_and_the_others_go_on() {
    let desk = Desk::new();
    let plan = plan(&[("dataset", &[MISSING, SYNTHETIC])], 1..3, 4);
    desk.write("s", &plan);
    let words = ["2 runs failed", "t00001 Letor-seed-1: ", "nowhere", "repeat them with: rankguard sweep run s"];
    desk.call("sweep run s", 1, &words);
    let message = fs::read_to_string(desk.path("s/work/t00001/Letor-seed-1.failed")).expect("it is noted");
    assert!(message.contains("nowhere") && !message.contains("panicked"), "{message}");
    desk.call("sweep status s", 0, &["2 of 4 runs and 0 of 1 tasks are done", "unfinished tasks: 1"]);
    assert_eq!(desk.call("sweep status s --missing", 0, &[]).trim(), "1");
    let json: serde_json::Value = serde_json::from_str(&desk.call("sweep status s --json", 0, &[])).expect("it is JSON");
    assert_eq!((&json["runs"]["failed"], &json["by_task"][0]["state"]), (&2.into(), &"failed".into()));
    desk.call("sweep collect s", 1, &["1 task not finished: 1; do the rest with: rankguard sweep run s", "nothing was written"]);
    assert!(!desk.path("s/tables").exists());

    desk.supply_data();
    desk.call("sweep run s", 0, &["2 runs done", "2 were done before"]);
    assert_eq!(desk.call("sweep status s --missing", 0, &[]).trim(), "");
}

#[test]
fn results_of_a_run_that_are_damaged_are_made_again() {
    let desk = Desk::new();
    let plan = plan(&[("dataset", &[MISSING, SYNTHETIC])], 1..5, 8);
    for dir in ["sound", "hurt"] {
        desk.write(dir, &plan);
        desk.call(&format!("sweep run {dir}"), 1, &["4 runs failed"]);
    }
    desk.cut("hurt/work/t00001/Synthetic-seed-1/curve/part-00000.parquet");
    desk.cut("hurt/work/t00001/Synthetic-seed-2/manifest.ron");
    fs::remove_file(desk.path("hurt/work/t00001/Synthetic-seed-3/outcomes/part-00000.parquet")).expect("it is removed");
    desk.supply_data();
    desk.call("sweep run sound", 0, &["4 runs done", "4 were done before"]);
    desk.call("sweep run hurt", 0, &["7 runs done", "1 were done before"]);
    assert_eq!(desk.bytes("sound/tasks"), desk.bytes("hurt/tasks"));
}

#[test]
fn the_first_failure_ends_everything_if_that_is_wanted() {
    let desk = Desk::new();
    desk.write("s", &plan(&[("dataset", &[MISSING, SYNTHETIC])], 1..3, 1));
    desk.call("sweep run s --jobs 1 --fail-fast", 1, &["1 run failed", "t00001 Letor-seed-1: "]);
    desk.call("sweep status s", 0, &["0 of 4 runs", "unfinished tasks: 1-4"]);
}

#[test]
fn a_run_that_does_not_fit_into_memory_fails_alone() {
    let desk = Desk::new();
    desk.write("s", &plan(&[("nodes", &["2000000000", "8"])], 1..2, 1));
    desk.call("sweep run s", 1, &["1 run failed", "t00001 2000000000-seed-1", "of memory are needed"]);
    desk.call("sweep status s --missing", 0, &["1"]);
}

#[test]
fn a_collected_sweep_has_one_data_set_per_table_and_damage_is_found() {
    let desk = Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    desk.call("sweep run s --quiet", 0, &[]);
    let words = ["4 runs of 2 tasks in s/tables", "curve                     12 rows", "duckdb -c ", "s/tables/curve/*/*.parquet"];
    desk.call("sweep collect s", 0, &words);
    let collected = desk.bytes("s/tables");
    let parts = ["t00001", "t00002"].map(|task| desk.path("s/tables/curve").join(format!("task={task}")).join("part-00000.parquet"));
    assert_eq!(rows(&parts).num_rows(), 12);
    desk.call("sweep collect s", 0, &[]);
    assert_eq!(collected, desk.bytes("s/tables"));

    fs::remove_dir_all(desk.path("s/tables")).expect("it is removed");
    for (damage, says) in [
        (&(|| desk.cut("s/tasks/t00002/curve.parquet")) as &dyn Fn(), "curve.parquet: is damaged: it has"),
        (&|| fs::write(desk.path("s/tasks/t00002/runs.parquet"), "").expect("it writes"), "runs.parquet: is damaged: it has 0 bytes"),
        (&|| fs::remove_file(desk.path("s/tasks/t00002/curve.parquet")).expect("it is removed"), "curve.parquet: cannot be read"),
        (&|| desk.cut("s/tasks/t00002/runs.ron"), "runs.ron:"),
        (&|| replace(&desk.path("s/tasks/t00002/runs.ron"), "seed: 1", "seed: 8"), "holds other runs than planned"),
        (&|| replace(&desk.path("s/tasks/t00002/runs.ron"), "run_id: \"r", "run_id: \"s"), "is not the run that is planned"),
    ] {
        damage();
        let redo = "do it again with: rankguard sweep run s --task 2";
        desk.call("sweep collect s", 1, &["task 2: s/tasks/t00002", says, redo, "nothing was written"]);
        assert!(!desk.path("s/tables").exists());
        desk.call("sweep run s --task 2", 0, &["2 runs done", "done again, because s/tasks/t00002"]);
        desk.call("sweep collect s", 0, &[]);
        assert_eq!(collected, desk.bytes("s/tables"));
        fs::remove_dir_all(desk.path("s/tables")).expect("it is removed");
    }
}

fn replace(path: &Path, part: &str, by: &str) {
    let text = fs::read_to_string(path).expect("it reads");
    assert!(text.contains(part), "{text}");
    fs::write(path, text.replacen(part, by, 1)).expect("it writes");
}

#[test]
fn runs_that_read_other_documents_do_not_belong_together() {
    let desk = Desk::new();
    desk.supply_data();
    desk.write("s", &plan(&[("dataset", &[MISSING])], 1..3, 1));
    desk.call("sweep run s --task 1", 0, &[]);
    fs::write(desk.path("nowhere/train.txt"), "1 qid:1 1:0.5 2:0.25\n0 qid:1 1:0.25 2:0.5\n").expect("it writes");
    desk.call("sweep run s --task 2", 0, &[]);
    let says = "s/tasks/t00002: Letor-seed-2 read other documents than Letor-seed-1, though both name the same data set";
    desk.call("sweep collect s", 1, &[says, "nothing was written"]);
    fs::remove_dir_all(desk.path("s/tasks/t00001")).expect("it is removed");
    desk.call("sweep run s", 0, &["1 run done"]);
    desk.call("sweep collect s", 0, &["2 runs of 2 tasks"]);
}

#[test]
fn a_task_that_another_process_holds_is_left_to_it() {
    let desk = Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    fs::create_dir(desk.path("s/work")).expect("a folder");
    let held = LockedFolder::acquire(&desk.path("s/work/t00001")).expect("it is made").expect("it is free");
    desk.call("sweep run s --task 1", 2, &["another process works on task t00001"]);
    desk.call("sweep run s", 0, &["2 runs done", "left to other processes, which work on them: 1 task (t00001)"]);
    desk.call("sweep status s", 0, &["t00001", "goes on", "unfinished tasks: 1"]);
    drop(held);
    desk.call("sweep run s --task 1", 0, &["2 runs done"]);
}

#[test]
fn two_processes_on_one_sweep_share_the_work() {
    let (desk, plan) = (Desk::new(), plan(&[DEFENSES], 1..7, 2));
    desk.write("alone", &plan);
    desk.call("sweep run alone", 0, &[]);
    desk.write("shared", &plan);
    let children: Vec<Child> = (0..2).map(|_| desk.start("sweep run shared --jobs 1")).collect();
    for child in children {
        said(child.wait_with_output().expect("it ends"), 0, &[]);
    }
    assert_eq!(desk.bytes("alone/tasks"), desk.bytes("shared/tasks"));
    assert!(desk.bytes("shared/work").is_empty());
}

#[test]
fn a_process_that_is_killed_leaves_nothing_in_the_way() {
    let (desk, plan) = (Desk::new(), plan(&[DEFENSES], 1..9, 4));
    desk.write("calm", &plan);
    desk.call("sweep run calm", 0, &[]);
    desk.write("killed", &plan);
    for nth in 1..4 {
        let mut child = desk.start("sweep run killed");
        let lock = desk.path("killed/work").join(&plan.tasks[nth].id).join("lock");
        while !lock.exists() && child.try_wait().expect("it can be asked").is_none() {
            std::thread::yield_now();
        }
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
    }
    desk.call("sweep run killed", 0, &["were done before"]);
    assert_eq!(desk.bytes("calm/tasks"), desk.bytes("killed/tasks"));
    assert!(desk.bytes("killed/work").is_empty());
}

#[test]
#[cfg(unix)]
fn a_signal_stops_all_runs_and_what_is_done_stays() {
    let desk = Desk::new();
    let long = ("stop", &["short|Sessions(80)", "long|Sessions(20000000)"][..]);
    desk.write("s", &plan(&[long], 1..3, 4));
    let mut child = desk.start("sweep run s --jobs 2");
    let is_begun = |run: &str| desk.path(&format!("s/work/t00001/.{run}.staging/new/curve")).exists();
    let begun = std::time::Instant::now();
    while !is_begun("long-seed-1") || !is_begun("long-seed-2") {
        if begun.elapsed().as_secs() > 100 {
            child.kill().expect("it is ours");
            panic!("the long runs never begin");
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill is there");
    said(child.wait_with_output().expect("it ends"), 75, &["interrupted; 2 of 4 runs are done; the same command does the others"]);
    desk.call("sweep status s", 0, &["2 of 4 runs and 0 of 1 tasks are done"]);
}
