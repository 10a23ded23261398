//! Answers and mistakes name the command that helps next.

use crate::command_line::{Desk, text};
use crate::sweeps::{self, DEFENSES, plan};
use std::process::Command;

#[test]
fn a_summary_names_the_commands_that_look_further() {
    let desk = Desk::new();
    let told = text(&desk.run(&["run", "small.ron"]).stdout);
    assert!(
        told.ends_with("look further rankguard inspect out/small   rankguard report out/small   rankguard compare out/small OTHER\n"),
        "{told}"
    );
    let told = text(&desk.run(&["run", "small.ron", "--out", "out/bare", "--set", "record=(evaluations: Nothing, curve: Nothing)"]).stdout);
    assert!(!told.contains("look further"), "{told}");
}

#[test]
fn a_file_for_another_command_is_recognised() {
    let desk = Desk::new();
    desk.write("sweep.ron", "(\n    name: \"s\",\n    base: \"small.ron\",\n    axes: [Axis(loss: [0.0, 0.1])],\n    seeds: [1],\n)\n");
    desk.refuses_call(&["run", "sweep.ron"], &["unknown field `base`", "this looks like a sweep: rankguard sweep plan sweep.ron"]);
    desk.refuses_call(&["check", "sweep.ron"], &["this looks like a sweep"]);
    desk.refuses_call(&["sweep", "plan", "small.ron"], &["unknown field `seed`", "this looks like a scenario: rankguard run small.ron"]);
    desk.refuses_call(&["run", "small.ron", "--set", "kappa=8"], &["unknown field `kappa`; did you mean `defense.kappa`?"]);
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    desk.refuses_call(
        &["sweep", "run", "out/small"],
        &["out/small: holds the results of a run and no sweep", "rankguard inspect out/small"],
    );
    desk.refuses_call(&["table", "out"], &["name the results inside, such as out/small, or all of them: out/*"]);
    desk.refuses_call(&["table", "small.ron"], &["name a result folder, which `rankguard run` writes, and not a file"]);
}

#[test]
fn a_sweep_names_its_next_command_at_every_stage() {
    let desk = sweeps::Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..3, 2));
    desk.call("sweep status s", 0, &["unfinished tasks: 1-2", "next: rankguard sweep run s, or rankguard sweep submit ENGINE s"]);
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep status s", 0, &["next: rankguard sweep collect s"]);
    desk.call("sweep collect s", 0, &["next: rankguard table s   rankguard compare s --by defense   rankguard report s"]);
}

#[test]
fn colours_are_for_terminals_and_for_those_who_insist() {
    let desk = Desk::new();
    let ask = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rankguard"));
        command.args(["table", "nothing"]).current_dir(desk.path()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        text(&command.envs(variables.iter().copied()).output().expect("it starts").stderr)
    };
    assert!(ask(&[]).starts_with("error: nothing/"), "a pipe is no terminal");
    assert!(ask(&[("CLICOLOR_FORCE", "1")]).starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m nothing/"));
    assert!(ask(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "0")]).starts_with("error: nothing/"));
}
