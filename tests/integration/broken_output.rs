//! Closed pipes, closed terminals and full disks: output that cannot be written costs nobody a result.

use crate::command_line::{Desk, text};
use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// Where a stream goes.
#[derive(Clone, Copy)]
enum Sink {
    /// A pipe that nobody reads from any more.
    ClosedPipe,
    /// A disk without room.
    Full,
    Fine,
}

impl Sink {
    fn open(self) -> Stdio {
        match self {
            Sink::ClosedPipe => {
                let (reader, writer) = std::io::pipe().expect("a pipe");
                drop(reader);
                writer.into()
            }
            Sink::Full => File::options().write(true).open("/dev/full").expect("Linux has it").into(),
            Sink::Fine => Stdio::piped(),
        }
    }
}

/// Exit code, and what was said on standard error where that can be read.
fn run(desk: &Desk, arguments: &[&str], out: Sink, err: Sink) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_rankguard");
    let child = Command::new(program).args(arguments).current_dir(desk.path()).stdout(out.open()).stderr(err.open()).spawn();
    let output = child.and_then(std::process::Child::wait_with_output).expect("the program runs");
    (ExitStatus::code(&output.status), text(&output.stderr))
}

#[test]
#[cfg(target_os = "linux")]
fn progress_that_cannot_be_shown_is_no_reason_to_stop() {
    for (err, style) in [(Sink::Full, "plain"), (Sink::ClosedPipe, "plain"), (Sink::Full, "bar"), (Sink::ClosedPipe, "bar")] {
        let desk = Desk::new();
        assert_eq!(run(&desk, &["run", "small.ron", "--progress", style], Sink::Fine, err).0, Some(0));
        assert!(desk.path().join("out/small/manifest.ron").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_summary_that_cannot_be_printed_is_an_error_after_the_results_are_safe() {
    let desk = Desk::new();
    let (code, said) = run(&desk, &["run", "small.ron", "--progress", "none"], Sink::Full, Sink::Fine);
    assert_eq!((code, said.lines().count()), (Some(74), 1), "{said}");
    assert!(said.contains("standard output cannot be written") && said.contains("the results are in out/small"), "{said}");
    assert!(desk.path().join("out/small/manifest.ron").exists());
    // `rankguard run … 2>&1 | head`
    assert_eq!(run(&desk, &["run", "small.ron"], Sink::ClosedPipe, Sink::ClosedPipe).0, Some(0));
    assert!(!desk.path().join("out/.small.staging").exists());
}

#[test]
#[cfg(target_os = "linux")]
fn every_command_survives_readers_that_leave_and_disks_that_are_full() {
    let desk = Desk::new();
    desk.succeeds(&["run", "small.ron", "--quiet"]);
    for arguments in [
        &["run", "small.ron", "--timeline-only"][..],
        &["check", "small.ron"],
        &["table", "out/small"],
        &["schema"],
        &["fields"],
        &["data", "inspect", "data"],
        &["--help"],
        &["run", "--help"],
        &["--version"],
    ] {
        assert_eq!(run(&desk, arguments, Sink::ClosedPipe, Sink::Fine).0, Some(0), "{arguments:?}");
        let (code, said) = run(&desk, arguments, Sink::Full, Sink::Fine);
        assert!(
            code == Some(74) && said.contains("standard output cannot be written") && !said.contains("panicked"),
            "{arguments:?}: {said}"
        );
        assert_eq!(run(&desk, arguments, Sink::Full, Sink::Full).0, Some(74), "{arguments:?}");
    }
    assert_eq!(run(&desk, &["run", "missing.ron"], Sink::Full, Sink::Full).0, Some(2));
    assert_eq!(run(&desk, &["nonsense"], Sink::Full, Sink::Full).0, Some(2));
}

/// The macros of the standard library panic where nobody listens.
#[test]
fn nothing_is_printed_without_looking_whether_it_could_be() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("src is readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("src/build.rs") {
                // (Cargo reads what the build prints.)
                let code = std::fs::read_to_string(&path).expect("source is text");
                assert!(!code.contains("println!(") && !code.contains("print!("), "{}", path.display());
            }
        }
    }
}

#[test]
fn one_of_a_kind_is_not_many() {
    let desk = Desk::new();
    desk.scenario("stop: Sessions(200)", "stop: Sessions(1)");
    let summary = desk.succeeds(&["run", "small.ron", "--threads", "1"]);
    for word in ["1 search and", "1 thread ", "8 honest nodes"] {
        assert!(summary.contains(word), "no {word} in\n{summary}");
    }
    let progress = text(&desk.run(&["run", "small.ron"]).stderr);
    assert!(progress.contains("1 search ") && !progress.contains("1 searches"), "{progress}");
}
