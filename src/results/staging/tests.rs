use super::*;
use crate::record::{Parameters, RunKey};
use tempfile::{TempDir, tempdir};

/// Claims a folder for the results `id` of the run with the same number.
fn claim(dir: &Path, id: &str, overwrite: bool) -> Result<Staging> {
    let key = RunKey { run_id: id.replace('o', "r"), seed: 1, parameters: Parameters::default() };
    let mut staging = Staging::claim(dir, &Begin::Over)?;
    if overwrite { Ok(()) } else { staging.admit(&Identity { key, result_id: id.into() }) }.map(|()| staging)
}

/// A folder described by its files, such as "kad/manifest.ron kad/note"; a manifest holds the results `o1` of the run `r1`.
fn tree(files: &str) -> TempDir {
    let root = tempdir().expect("a folder");
    for file in files.split_whitespace() {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().expect("files lie in folders")).expect("it is made");
        fs::write(&path, if file.ends_with(FILE_NAME) { "(\n    run_id: \"r1\",\n    result_id: \"o1\",\n)" } else { file })
            .expect("it writes");
    }
    root
}

/// Everything below a folder, sorted; empty folders end in a slash.
fn show(root: &Path) -> String {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
        let entries: Vec<PathBuf> = fs::read_dir(folder).expect("it lists").map(|entry| entry.expect("it lists").path()).collect();
        let name = |path: &Path| path.strip_prefix(root).expect("it lies below").display().to_string();
        match entries.is_empty() {
            true => found.push(name(folder) + "/"),
            false => entries.iter().for_each(|path| if path.is_dir() { walk(path, root, found) } else { found.push(name(path)) }),
        }
    }
    let mut found = Vec::new();
    walk(root, root, &mut found);
    found.sort();
    found.join(" ")
}

/// Claims `kad` for the results `id`, writes one file, publishes, and shows what there is then.
#[track_caller]
fn check(before: &str, id: &str, overwrite: bool, after: &str) {
    let root = tree(before);
    let staging = claim(&root.path().join("kad"), id, overwrite).expect("it may be replaced");
    fs::write(staging.folder().join("result"), "").expect("it writes");
    staging.publish().expect("it is published");
    assert_eq!(show(root.path()), after);
}

#[test]
fn absent_and_empty_folders_and_the_same_run_are_replaced() {
    check("", "o1", false, "kad/result");
    check("other/file", "o1", false, "kad/result other/file");
    check("kad/manifest.ron kad/curve/part-00000.parquet", "o1", false, "kad/result");
    check("kad/manifest.ron kad/manifest.json kad/timing.ron kad/curve/part-00000.parquet", "o2", true, "kad/result");
}

#[test]
fn files_of_others_stay_where_they_are() {
    check("kad/manifest.ron kad/note", "o1", false, "kad/note kad/result");
    check("kad/manifest.ron kad/curve/part-00000.parquet kad/curve/note", "o2", true, "kad/curve/note kad/result");
    check("kad/manifest.ron kad/plots/a.png kad/curve/more/b.png", "o1", false, "kad/curve/more/b.png kad/plots/a.png kad/result");
}

#[test]
fn what_a_dead_run_had_not_yet_moved_back_returns() {
    let before = "kad/manifest.ron .kad.staging/lock .kad.staging/old/manifest.ron .kad.staging/old/note .kad.staging/old/curve/x";
    check(before, "o1", false, "kad/curve/x kad/note kad/result");
}

#[test]
fn the_previous_result_is_kept_while_something_else_stands_in_its_place() {
    let root = tree("kad/thesis .kad.staging/lock .kad.staging/old/manifest.ron");
    claim(&root.path().join("kad"), "o1", true).expect_err("the thesis is not ours");
    assert_eq!(show(root.path()), ".kad.staging/old/manifest.ron kad/thesis");
}

#[test]
fn an_empty_folder_is_replaced() {
    let root = tree("");
    fs::create_dir(root.path().join("kad")).expect("it is made");
    claim(&root.path().join("kad"), "o1", false).expect("it is empty").publish().expect("it is published");
    assert_eq!(show(root.path()), "kad/");
}

/// Refused with these words, and nothing has changed.
#[track_caller]
fn refuse(before: &str, dir: &str, overwrite: bool, why: &str) {
    let root = tree(before);
    let problem = claim(&root.path().join(dir), "o2", overwrite).expect_err("it is refused");
    assert!(problem.to_string().ends_with(why) && problem.exit_code() == 2, "{problem}");
    assert!(problem.to_string().contains(&format!("{dir}: ")), "{problem}");
    assert_eq!(show(root.path()), show(tree(before).path()));
}

#[test]
fn a_refusal_says_what_to_do_and_leaves_nothing() {
    let another = "holds results of another scenario or of other data (r1…); choose another --out or pass --overwrite";
    refuse("kad/manifest.ron kad/curve/part", "kad", false, another);
    for overwrite in [false, true] {
        refuse("kad/thesis", "kad", overwrite, "is not empty and holds no manifest.ron; choose another --out");
        refuse("kad", "kad", overwrite, "is not a folder; choose another --out");
        refuse("file", "file/deep/kad", overwrite, "choose another --out");
        refuse("", &format!("deep/{}", "x".repeat(250)), overwrite, "choose another --out");
    }
}

#[test]
fn unpublished_results_leave_nothing() {
    let root = tree("kad/manifest.ron");
    for dir in ["kad", "new", "deep/er/new"] {
        let staging = claim(&root.path().join(dir), "o1", false).expect("it may be replaced");
        fs::write(staging.folder().join("result"), "").expect("it writes");
        drop(staging);
        assert_eq!(show(root.path()), "kad/manifest.ron");
    }
}

#[test]
fn missing_parents_are_made() {
    let root = tree("");
    claim(&root.path().join("deep/er/kad"), "o1", false).expect("it is free").publish().expect("it is published");
    assert_eq!(show(root.path()), "deep/er/kad/");
}

#[test]
fn two_runs_into_one_folder_do_not_mix() {
    let root = tree("");
    let first = claim(&root.path().join("kad"), "o1", false).expect("it is free");
    let problem = claim(&root.path().join("kad"), "o1", true).expect_err("it is in use");
    assert!(problem.to_string().ends_with("another run is writing there; wait for it or choose another --out"), "{problem}");
    first.publish().expect("the first is not disturbed");
    assert_eq!(show(root.path()), "kad/");
}

#[test]
fn what_a_dead_run_left_is_removed_and_what_it_had_moved_aside_returns() {
    check(".kad.staging/lock .kad.staging/new/half", "o1", false, "kad/result");
    let root = tree(".kad.staging/lock .kad.staging/old/manifest.ron .kad.staging/new/half");
    let problem = claim(&root.path().join("kad"), "o2", false).expect_err("the old result is back");
    assert!(problem.to_string().contains("holds results of another scenario"), "{problem}");
    assert_eq!(show(root.path()), "kad/manifest.ron");
}

#[test]
fn a_result_that_cannot_be_published_is_kept_and_so_is_what_stands_in_its_way() {
    let root = tree("");
    let staging = claim(&root.path().join("kad"), "o1", false).expect("it is free");
    fs::write(staging.folder().join("result"), "").expect("it writes");
    fs::create_dir(root.path().join("kad")).expect("it is made");
    fs::write(root.path().join("kad/thesis"), "").expect("it writes");
    let problem = staging.publish().expect_err("the thesis stays");
    assert!(
        problem.to_string().contains("holds no manifest.ron") && problem.to_string().contains(".kad.staging/new, move them"),
        "{problem}"
    );
    assert_eq!((problem.exit_code(), show(root.path()).as_str()), (1, ".kad.staging/new/result kad/thesis"));
}

#[test]
fn a_result_that_vanished_before_publishing_leaves_the_previous_one() {
    let root = tree("kad/manifest.ron kad/curve/part");
    let staging = claim(&root.path().join("kad"), "o1", false).expect("it may be replaced");
    fs::remove_dir_all(staging.folder()).expect("it is removed");
    assert_eq!(staging.publish().expect_err("there is nothing to publish").exit_code(), 1);
    assert_eq!(show(root.path()), "kad/curve/part kad/manifest.ron");
}

#[test]
#[cfg(unix)]
fn a_link_stays_a_link_and_its_folder_is_replaced() {
    let root = tree("disk/kad/manifest.ron");
    std::os::unix::fs::symlink(root.path().join("disk/kad"), root.path().join("kad")).expect("it is linked");
    let staging = claim(&root.path().join("kad"), "o1", false).expect("it may be replaced");
    fs::write(staging.folder().join("result"), "").expect("it writes");
    staging.publish().expect("it is published");
    assert!(root.path().join("kad").is_symlink() && root.path().join("disk/kad/result").exists());
}

fn about(scenario: &str) -> checkpoint::About {
    checkpoint::About {
        scenario: scenario.into(),
        result_id: "o1".into(),
        forked: None,
        axes: vec![],
        overwrite: false,
        at_ns: 5,
        done: 0.62,
    }
}

/// A folder with an interrupted run of the scenario `a`, whose results will go to `kad`.
fn interrupted() -> TempDir {
    let root = tree("");
    let staging = Staging::claim(&root.path().join("kad"), &Begin::Over).expect("it is free");
    fs::write(staging.folder().join("half"), "").expect("it writes");
    checkpoint::write(staging.hidden(), &about("a"), &7u8).expect("it writes");
    drop(staging);
    assert_eq!(show(root.path()), ".kad.staging/checkpoint .kad.staging/new/half");
    root
}

/// Claims `kad` beside an interrupted run, and shows what there is while it is claimed.
#[track_caller]
fn check_interrupted(begin: Begin, expect: std::result::Result<&str, &str>) {
    let root = interrupted();
    let claimed = Staging::claim(&root.path().join("kad"), &begin);
    let there = show(root.path());
    match (claimed, expect) {
        (Ok(_), Ok(expect)) => assert_eq!(there, expect),
        (Err(problem), Err(why)) => {
            assert!(problem.to_string().contains(why) && problem.exit_code() == 2, "{problem}");
            assert_eq!(there, ".kad.staging/checkpoint .kad.staging/new/half");
        }
        (claimed, expect) => panic!("{claimed:?} instead of {expect:?}"),
    }
}

#[test]
fn an_interrupted_run_goes_on_or_is_told_and_is_removed_only_if_that_is_asked_for() {
    let whole = ".kad.staging/checkpoint .kad.staging/lock .kad.staging/new/half";
    let scenario = |text: &str| text.to_string();
    check_interrupted(Begin::GoOn, Ok(whole));
    check_interrupted(Begin::GoOnOrOver { scenario: scenario("a") }, Ok(whole));
    check_interrupted(Begin::GoOnOrOver { scenario: scenario("b") }, Ok(".kad.staging/lock .kad.staging/new/"));
    check_interrupted(Begin::Over, Ok(".kad.staging/lock .kad.staging/new/"));
    check_interrupted(
        Begin::Afresh { scenario: scenario("a") },
        Err("holds an interrupted run of this scenario (62 % done); go on with `rankguard resume"),
    );
    check_interrupted(Begin::Afresh { scenario: scenario("b") }, Err("holds an interrupted run of another scenario; go on with"));
}

#[test]
fn published_results_leave_no_checkpoint_and_nothing_to_resume() {
    let root = interrupted();
    let dir = root.path().join("kad");
    assert_eq!(Staging::interrupted(&dir).expect("it is sound").about, about("a"));
    Staging::claim(&dir, &Begin::GoOn).expect("it goes on").publish().expect("it is published");
    assert_eq!(show(root.path()), "kad/half");
    let problem = Staging::interrupted(&dir).expect_err("nothing is left");
    assert!(problem.to_string().contains("holds no interrupted run"), "{problem}");
    Staging::claim(&dir, &Begin::GoOn).expect_err("nothing is left");
    assert_eq!(show(root.path()), "kad/half");
}

#[test]
fn a_checkpoint_that_outlived_the_publication_of_its_results_is_removed() {
    let root = tree("kad/manifest.ron other/note");
    fs::create_dir(root.path().join(".kad.staging")).expect("it is made");
    checkpoint::write(&root.path().join(".kad.staging"), &about("a"), &7u8).expect("it writes");
    assert_eq!(Staging::is_finished(&root.path().join("kad")), Ok(true));
    assert_eq!(show(root.path()), "kad/manifest.ron other/note");
    assert_eq!(Staging::is_finished(&root.path().join("other")), Ok(false));
    assert_eq!(Staging::is_finished(&interrupted().path().join("kad")), Ok(false));
}

#[test]
fn a_checkpoint_without_its_results_is_of_no_use() {
    let root = interrupted();
    fs::remove_dir_all(root.path().join(".kad.staging/new")).expect("it is removed");
    let dir = root.path().join("kad");
    Staging::claim(&dir, &Begin::GoOn).expect_err("there is nothing to go on with");
    Staging::claim(&dir, &Begin::Afresh { scenario: "a".into() }).expect("nothing is in the way").publish().expect("it is published");
    assert_eq!(show(root.path()), "kad/");
}
