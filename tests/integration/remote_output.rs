//! Results for an object store: refused by a build without it, and else uploaded whole, or kept where they are.

use crate::command_line::Desk;

#[test]
#[cfg(not(feature = "remote"))]
fn a_build_without_remote_output_says_how_to_get_it() {
    let desk = Desk::new();
    desk.refuses_call(
        &["run", "small.ron", "--out", "s3://bucket/small"],
        &["--out s3://bucket/small: this build has no remote output; build it with --features remote"],
    );
    assert!(!desk.path().join("s3:").exists() && !desk.path().join("out").exists(), "something was written");
}

#[cfg(feature = "remote")]
mod built {
    use super::*;
    use crate::command_line::text;
    use rankguard::results::Results;
    use std::fs;

    /// Runs the scenario to `there` on this desk, with its scratch folder beside.
    fn run(desk: &Desk, arguments: &[&str]) -> (Option<i32>, String) {
        let url = format!("file://{}/there/small", desk.path().display());
        let output = desk.run(&[&["run", "small.ron", "--out", &url, "--scratch", "scratch"][..], arguments].concat());
        (output.status.code(), text(&output.stdout) + &text(&output.stderr))
    }

    fn is_empty(desk: &Desk, folder: &str) -> bool {
        fs::read_dir(desk.path().join(folder)).is_ok_and(|mut entries| entries.next().is_none())
    }

    #[test]
    fn results_are_uploaded_and_leave_no_local_copy() {
        let desk = Desk::new();
        for arguments in [&[][..], &["--progress", "none"]] {
            let (code, told) = run(&desk, arguments);
            assert!(code == Some(0) && told.contains("results      file:///"), "{told}");
            let results = Results::open(&desk.path().join("there/small")).expect("the manifest is there");
            assert_eq!(results.curve().map(|curve| curve.len()), Ok(5));
            assert!(is_empty(&desk, "scratch"), "the local copy is removed");
        }
    }

    #[test]
    fn results_of_another_scenario_are_replaced_only_if_asked_for() {
        let desk = Desk::new();
        assert_eq!(run(&desk, &["--quiet"]).0, Some(0));
        let (code, told) = run(&desk, &["--set", "loss=0.5"]);
        assert!(code == Some(2) && told.contains("/there/small: holds results of another scenario"), "{told}");
        assert!(is_empty(&desk, "scratch"), "it was refused before it began");
        assert_eq!(run(&desk, &["--set", "loss=0.5", "--overwrite", "--quiet"]), (Some(0), String::new()));
    }

    #[test]
    fn results_that_cannot_be_uploaded_stay_where_they_are() {
        let desk = Desk::new();
        desk.write("there/small/curve", "a file, not a folder");
        let (code, told) = run(&desk, &["--quiet"]);
        assert!(code == Some(1) && told.contains("; the results are in scratch/rankguard-"), "{told}");
        let place = told.trim().rsplit_once("are in ").expect("the message ends with the place").1;
        assert!(Results::open(&desk.path().join(place)).is_ok(), "{place}");
    }
}
