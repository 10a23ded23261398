//! Runs are read alike from a folder of their own and from a collected sweep.

use crate::sweeps::{DEFENSES, Desk, plan};
use rankguard::record::{CurveRow, EvaluationRow, NodeRow, OutcomeRow, PresenceRow, ReceiptRow, Row, SearchRow, Table};
use rankguard::results::{RunResults, runs};
use serde::de::IgnoredAny;
use std::fmt::Debug;

type Run = RunResults<IgnoredAny>;

#[track_caller]
fn same_rows<R: Row + Debug + PartialEq>(alone: &Run, packed: &Run) {
    let (alone, packed) = (alone.table::<R>().expect("it opens"), packed.table::<R>().expect("it opens"));
    assert_eq!((alone.n_rows(), alone.all()), (packed.n_rows(), packed.all()), "{}", R::TABLE.name());
    assert_eq!(packed.all().expect("it reads").len() as u64, packed.n_rows());
}

#[test]
fn every_table_of_every_run_is_found_in_a_sweep() {
    let desk = Desk::new();
    desk.write("s", &plan(&[DEFENSES], 1..4, 4));
    desk.call("sweep run s --quiet", 0, &[]);
    desk.call("sweep collect s", 0, &["6 runs of 2 tasks"]);
    let packed: Vec<Run> = runs(&desk.path("s")).expect("it is collected");
    assert_eq!(packed.iter().map(|run| run.seed).collect::<Vec<_>>(), [1, 2, 3, 1, 2, 3]);
    for (nth, packed) in packed.iter().enumerate() {
        let file = desk.path(&format!("{nth}.ron"));
        std::fs::write(&file, &packed.row.scenario).expect("it writes");
        desk.call(&format!("run {nth}.ron --out r{nth} --quiet"), 0, &[]);
        let alone = runs::<IgnoredAny>(&desk.path(&format!("r{nth}"))).expect("it opens").remove(0);
        assert_eq!((&alone.run_id, &alone.fingerprint, &alone.row), (&packed.run_id, &packed.fingerprint, &packed.row));
        assert_eq!((alone.has(Table::Models), packed.has(Table::Models)), (false, false));
        assert_eq!(alone.n_rows, packed.n_rows);
        same_rows::<CurveRow>(&alone, packed);
        same_rows::<EvaluationRow>(&alone, packed);
        same_rows::<ReceiptRow>(&alone, packed);
        same_rows::<SearchRow>(&alone, packed);
        same_rows::<PresenceRow>(&alone, packed);
        same_rows::<NodeRow>(&alone, packed);
        same_rows::<OutcomeRow>(&alone, packed);
        let curve = packed.table::<CurveRow>().expect("it opens");
        let last: Vec<i64> = curve.last("sessions", 2).expect("it reads");
        assert_eq!(last, [40, 80]);
    }
}
