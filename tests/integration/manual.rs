//! Completions and manual pages know every command.

use crate::command_line::{Desk, text};
use std::io::Write;
use std::process::{Command, Stdio};

/// The commands that the help lists.
fn commands(desk: &Desk) -> Vec<String> {
    let help = text(&desk.run(&["--help"]).stdout);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let name = |line: &str| {
        line.strip_prefix("  ").filter(|line| !line.starts_with(' ')).and_then(|line| Some(line.split_whitespace().next()?.to_string()))
    };
    listed.filter_map(name).collect()
}

#[test]
fn shells_complete_every_command() {
    let desk = Desk::new();
    let commands = commands(&desk);
    assert!(commands.len() > 10 && commands.contains(&"inspect".to_string()), "{commands:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = text(&desk.run(&["completions", shell]).stdout);
        let missing: Vec<&String> = commands.iter().filter(|command| !script.contains(command.as_str())).collect();
        assert!(missing.is_empty(), "{shell}: {missing:?}");
    }
    desk.refuses_call(&["completions", "tcsh"], &["possible values", "bash"]);
}

#[test]
fn bash_takes_the_script_and_completes_with_it() {
    let desk = Desk::new();
    let script = text(&desk.run(&["completions", "bash"]).stdout);
    let ask = "\nCOMP_WORDS=(rankguard ins) COMP_CWORD=1; _rankguard rankguard ins rankguard; echo \"found: ${COMPREPLY[*]}\"\n";
    let mut bash = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("bash is there");
    bash.stdin.take().expect("it is piped").write_all((script + ask).as_bytes()).expect("it reads");
    let said = text(&bash.wait_with_output().expect("it ends").stdout);
    assert_eq!(said.trim(), "found: inspect");
}

#[test]
fn every_command_has_a_page() {
    let desk = Desk::new();
    let page = text(&desk.run(&["man"]).stdout);
    assert!(page.contains(".TH") && page.contains("rankguard\\-run"), "{page}");
    desk.succeeds(&["man", "--out", "man"]);
    for command in commands(&desk).iter().filter(|command| *command != "help") {
        let page = std::fs::read_to_string(desk.path().join(format!("man/rankguard-{command}.1"))).expect("a page");
        assert!(page.contains(".SH SYNOPSIS"), "{command}: {page}");
    }
    assert!(desk.path().join("man/rankguard-sweep-run.1").exists() && desk.path().join("man/rankguard.1").exists());
}
