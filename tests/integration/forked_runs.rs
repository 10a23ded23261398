//! Forks: with nothing changed they are the run that they come from, row for row; with a changed scenario they share its past and no more.

use crate::command_line::text;
use crate::resumed_runs::{BUSY, Desk, files};
use rankguard::record::{
    CurveRow, EvaluationRow, FaultRow, HistogramRow, ModelRow, NodeRow, OutcomeRow, PresenceRow, Reader, ReceiptRow, Row, SearchRow,
};
use rankguard::results::Results;
use std::path::Path;

const AT: &str = "50min";
const AT_NS: i64 = 50 * 60 * 1_000_000_000;

fn scenario() -> String {
    BUSY.replace("Sessions(60000)", "Sessions(6000)").replace("Sessions(2000)", "Sessions(500)")
}

fn rows<R: Row>(folder: &Path) -> Vec<R> {
    let table = Reader::<R>::open(folder).unwrap_or_else(|problem| panic!("{problem}"));
    table.rows(..).and_then(Iterator::collect).unwrap_or_else(|problem| panic!("{problem}"))
}

/// The rows of a whole run from the moment of the fork on are those of the fork.
#[track_caller]
fn same<R: Row>(whole: &Path, fork: &Path, is_later: impl Fn(&R) -> bool) {
    let (later, earlier): (Vec<R>, Vec<R>) = rows::<R>(whole).into_iter().partition(is_later);
    let forked = rows::<R>(fork);
    assert!(!forked.is_empty() && later == forked, "{:?}: {} rows, and {} before", R::TABLE, later.len(), earlier.len());
}

/// A desk with a finished run in `out/busy`, written down like this.
fn finished(checkpoints: &[&str]) -> Desk {
    let desk = Desk::new(&scenario(), 1);
    let done = desk.finish(&[&["run", "busy.ron"], checkpoints].concat());
    assert!(done.status.success(), "{}", text(&done.stderr));
    desk
}

#[test]
fn a_fork_with_nothing_changed_is_the_run_itself_from_then_on() {
    for checkpoints in [&["--keep-checkpoints", "--checkpoint", "Time(\"20min\")"][..], &["--checkpoint", "never"]] {
        let desk = finished(checkpoints);
        let done = desk.finish(&["fork", "out/busy", "--at", AT, "--out", "out/fork"]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let (whole, fork) = (&desk.path().join("out/busy"), &desk.path().join("out/fork"));
        assert_eq!(whole.join("checkpoints").exists(), checkpoints.len() > 2);
        same::<ReceiptRow>(whole, fork, |row| row.at_ns >= AT_NS);
        same::<SearchRow>(whole, fork, |row| row.at_ns >= AT_NS);
        same::<EvaluationRow>(whole, fork, |row| row.at_ns >= AT_NS);
        same::<CurveRow>(whole, fork, |row| row.at_ns >= AT_NS);
        same::<PresenceRow>(whole, fork, |row| row.at_ns >= AT_NS);
        same::<FaultRow>(whole, fork, |row| row.at_ns >= AT_NS);
        same::<HistogramRow>(whole, fork, |_| true);
        same::<OutcomeRow>(whole, fork, |_| true);
        same::<NodeRow>(whole, fork, |_| true);
        let first = rows::<CurveRow>(fork)[0].evaluation;
        same::<ModelRow>(whole, fork, |row| row.evaluation >= first);
        let manifest = |folder: &Path| Results::open(folder).expect("it is a result").manifest;
        let (then, now) = (manifest(whole), manifest(fork));
        assert_eq!((then.fingerprint, then.messages, then.summary), (now.fingerprint, now.messages, now.summary));
        assert_ne!(then.run_id, now.run_id);
        assert_eq!(now.inputs.files["forked from"], format!("{} at {AT_NS}ns", then.run_id));
    }
}

#[test]
fn a_fork_changes_what_comes_after_it_and_can_be_interrupted() {
    let desk = finished(&["--keep-checkpoints", "--checkpoint", "Sessions(700)"]);
    let changes = ["--set", "defense=Krum", "--set", "attack=Ipm(form: Step, epsilon: 2.0)", "--set", "latency=Constant(\"1s\")"];
    let fork = |out: &str| desk.finish(&[&["fork", "out/busy", "--at", AT, "--out", out][..], &changes].concat());
    let done = fork("out/fork");
    assert!(done.status.success(), "{}", text(&done.stderr));
    let (whole, forked) = (&desk.path().join("out/busy"), &desk.path().join("out/fork"));
    let (then, now) = (rows::<SearchRow>(whole), rows::<SearchRow>(forked));
    let first = |rows: &[SearchRow]| {
        let row = rows.iter().find(|row| row.at_ns >= AT_NS && !row.malicious).expect("a search");
        (row.at_ns, row.node, row.query, row.candidates)
    };
    // Whoever searched next still does, for the same query.
    assert_eq!(first(&then), first(&now));
    assert_ne!(rows::<CurveRow>(whole).pop(), rows::<CurveRow>(forked).pop());
    assert!(fork("out/again").status.success());
    assert_eq!(files(forked), files(&desk.path().join("out/again")));
}

#[track_caller]
fn refuse(desk: &Desk, arguments: &[&str], why: &str) {
    let refused = desk.finish(&[&["fork"], arguments, &["--out", "out/fork"]].concat());
    let said = text(&refused.stderr);
    assert!(refused.status.code() == Some(2) && said.contains(why), "{said}");
    assert!(!desk.path().join("out/fork").exists());
}

#[test]
fn a_fork_that_cannot_be_says_why() {
    let desk = finished(&["--set", "defense=Undefended"]);
    refuse(&desk, &["out/busy", "--at", AT, "--set", "nodes=50"], "a fork cannot change nodes, which belongs to the past");
    refuse(&desk, &["out/busy", "--at", "100d"], "--at 100d: the run ended at ");
    refuse(&desk, &["out/busy", "--at", AT, "--set", "defense=RankGuard(kappa: 4.0)"], "the past kept no documents to judge by");
    refuse(&desk, &["out/nobody", "--at", AT], "out/nobody/manifest.ron: cannot be read");
    refuse(&desk, &["out/busy", "--at", AT, "--set", "defence=Krum"], "did you mean `defense`?");
}
