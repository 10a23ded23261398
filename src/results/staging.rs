//! The staging folder of a run. A run writes into a hidden folder beside its target, and `publish` moves that folder to the target in one step.
//! So no reader ever sees half a result. A failed run leaves nothing, unless it has a checkpoint to go on from. Files of others in the target
//! stay where they are.

use super::checkpoint::{self, Checkpoint};
use super::folders::{NewFolders, copy_tree, remove_tree, sync_folder, sync_tree};
use super::leftovers::Leftovers;
use super::lock::LockedFolder;
use super::manifest::FILE_NAME;
use super::ours::retire;
use super::target::Target;
use super::{Identity, Results};
use crate::error::{Error, Result};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A target folder that this run may replace, and the staging folder where its results grow.
#[derive(Debug)]
pub struct Staging {
    target: Target,
    /// The only run whose results may be replaced; `None` if the results of any run may be.
    admitted: Option<Identity>,
    /// The new result, which is being written.
    new: PathBuf,
    /// The previous result, while it is being replaced.
    old: PathBuf,
    keep_new: bool,
    /// Whether the new result was begun by an earlier process.
    goes_on: bool,
    /// Whether everything that was written has reached the disk, or need not.
    is_synced: bool,
    // Fields drop in this order: the hidden folder is removed before the folders around it.
    hidden: LockedFolder,
    parents: NewFolders,
}

impl Staging {
    /// Refuses a target that cannot hold results, before any document is read or made. `identity` gives the identity that the run would
    /// have on the documents of the results in the target: if even that differs from theirs, they belong to another run. `None` replaces
    /// any results.
    ///
    /// # Errors
    /// The target cannot hold results, or holds results of another run.
    pub fn check_target(dir: &Path, identity: Option<impl FnOnce(String) -> Identity>) -> Result<()> {
        let target = Target::new(dir)?;
        target.parent_and_name()?;
        target.check()?;
        let there = Results::open(dir).ok().map(|results| results.manifest.inputs.data_hash);
        identity.zip(there).map_or(Ok(()), |(identity, data_hash)| target.check_identity(&identity(data_hash)))
    }

    /// Makes a staging folder for the target `dir`, or takes over that of an interrupted run.
    ///
    /// # Errors
    /// The target cannot hold results, holds files that are not ours, another run is writing there, or an interrupted run is in the way or
    /// missing, as `begin` has it.
    pub fn claim(dir: &Path, begin: &Begin) -> Result<Self> {
        let unwritable = |e: io::Error| Error::input(format!("{}: cannot be written: {e}; choose another --out", dir.display()));
        let target = Target::new(dir)?;
        let (parent, _) = target.parent_and_name()?;
        let parents = NewFolders::create(parent).map_err(unwritable)?;
        let hidden = LockedFolder::acquire(&hidden_beside(&target)?)
            .map_err(unwritable)?
            .ok_or_else(|| Error::input(format!("{}: another run is writing there; wait for it or choose another --out", dir.display())))?;
        let (new, old) = (hidden.path().join("new"), hidden.path().join("old"));
        let mut staging = Self { target, admitted: None, new, old, keep_new: false, goes_on: false, is_synced: false, hidden, parents };
        staging.goes_on = staging.has_interrupted_run() && staging.takes_over(begin)?;
        staging.tidy_after_a_dead_run().map_err(unwritable)?;
        staging.check()?;
        match (staging.goes_on, begin) {
            (true, _) => Ok(staging),
            (false, Begin::GoOn) => Err(nothing_to_resume(dir)),
            (false, _) => fs::create_dir(&staging.new).map(|()| staging).map_err(unwritable),
        }
    }

    /// The checkpoint of the interrupted run whose results would go to `dir`.
    ///
    /// # Errors
    /// There is no such run, or no checkpoint of it can be used.
    pub fn interrupted(dir: &Path) -> Result<Checkpoint> {
        let hidden = hidden_beside(&Target::new(dir)?)?;
        if Checkpoint::is_in(&hidden) { Checkpoint::open(&hidden) } else { Err(nothing_to_resume(dir)) }
    }

    /// Whether an interrupted run whose results would go to `dir` has left a checkpoint, sound or not. The file is not read.
    pub fn has_checkpoint(dir: &Path) -> bool {
        Target::new(dir).and_then(|target| hidden_beside(&target)).is_ok_and(|hidden| Checkpoint::is_in(&hidden))
    }

    /// Whether `dir` holds finished results and no interrupted run. A run that was killed right after it published its results may have left its
    /// last checkpoint, which is then removed.
    ///
    /// # Errors
    /// `dir` is no path of a folder.
    pub fn is_finished(dir: &Path) -> Result<bool> {
        let hidden = hidden_beside(&Target::new(dir)?)?;
        let is_finished = dir.join(FILE_NAME).exists() && !(Checkpoint::is_in(&hidden) && hidden.join("new").is_dir());
        if is_finished && hidden.exists() {
            let _ = Self::claim(dir, &Begin::GoOn); // it removes what is of no use any more, and finds nothing to go on with
        }
        Ok(is_finished)
    }

    /// Publishes a copy of the results in `from`, which may be on another disk. Only results of the `admitted` run are replaced, or any.
    ///
    /// # Errors
    /// The target cannot hold results, holds results of another run, or the disk fails.
    pub fn publish_copy(from: &Path, dir: &Path, admitted: Option<&Identity>) -> Result<()> {
        let mut staging = Self::claim(dir, &Begin::Over)?;
        admitted.map_or(Ok(()), |identity| staging.admit(identity))?;
        copy_tree(from, &staging.new).map_err(|e| Error::cannot_write(dir, &e))?;
        staging.publish()
    }

    /// Whether this goes on with the files of an interrupted run.
    pub fn goes_on(&self) -> bool {
        self.goes_on
    }

    /// The folder of checkpoints. It vanishes when results are published.
    pub fn hidden(&self) -> &Path {
        self.hidden.path()
    }

    /// A checkpoint whose results are no longer beside it is of a run that was published, or removed by hand.
    fn has_interrupted_run(&self) -> bool {
        Checkpoint::is_in(self.hidden.path()) && self.new.is_dir()
    }

    fn takes_over(&self, begin: &Begin) -> Result<bool> {
        match begin {
            Begin::Over => Ok(false),
            Begin::GoOn => Ok(true),
            Begin::GoOnOrOver { scenario } => Ok(Checkpoint::open(self.hidden.path()).is_ok_and(|found| found.about.scenario == *scenario)),
            Begin::Afresh { scenario } => {
                let dir = self.target.dir.display();
                let (which, done) = match Checkpoint::open(self.hidden.path()) {
                    Ok(found) if found.about.scenario == *scenario => {
                        ("of this scenario", format!(" ({:.0} % done)", 100.0 * found.about.done))
                    }
                    Ok(_) => ("of another scenario", String::new()),
                    Err(_) => ("whose checkpoints cannot be used", String::new()),
                };
                let ways = format!("go on with `rankguard resume {dir}`, or begin again with --overwrite");
                Err(Error::input(format!("{dir}: holds an interrupted run {which}{done}; {ways}")))
            }
        }
    }

    /// From now on only results of this very run may be replaced. The caller knows the identity once all inputs are read.
    ///
    /// # Errors
    /// The target holds results of another run.
    pub fn admit(&mut self, identity: &Identity) -> Result<()> {
        self.admitted = Some(identity.clone());
        self.check()
    }

    fn check(&self) -> Result<()> {
        self.target.check()?;
        self.admitted.as_ref().map_or(Ok(()), |identity| self.target.check_identity(identity))
    }

    /// The folder to write into.
    pub fn folder(&self) -> &Path {
        &self.new
    }

    /// The files that would be left of this run if its process ended without dropping this value.
    pub fn leftovers(&self) -> Leftovers {
        Leftovers {
            new: self.new.clone(),
            hidden: self.hidden.path().to_path_buf(),
            target: self.target.dir.clone(),
            parents: self.parents.made().to_vec(),
        }
    }

    /// Brings the written files to the disk, which may take long. Publishing is quick after that.
    ///
    /// # Errors
    /// The disk fails.
    pub fn sync(&mut self) -> Result<()> {
        sync_tree(&self.new).map_err(|e| Error::cannot_write(&self.target.dir, &e))?;
        self.is_synced = true;
        Ok(())
    }

    /// Publishes without waiting for the disk. If the machine fails soon after, results may be damaged.
    pub fn leave_unsynced(&mut self) {
        self.is_synced = true;
    }

    /// Makes the written folder the result.
    ///
    /// # Errors
    /// The target has become unfit meanwhile, or the disk fails. The previous result stays then, and the new one stays where it was written.
    pub fn publish(mut self) -> Result<()> {
        let published = self.check().and_then(|()| self.replace().map_err(|e| Error::cannot_write(&self.target.dir, &e)));
        if published.is_ok() {
            checkpoint::remove(self.hidden.path());
        }
        published.and_then(|()| self.retire_old()).map_err(|problem| {
            self.keep_new = self.new.exists();
            // The run itself is over, so any failure here means that its results could not be stored.
            let problem = Error::storage(problem.to_string());
            match self.keep_new {
                true => problem.and(&format!("the finished results wait in {}, move them before the next run", self.new.display())),
                false => problem,
            }
        })
    }

    fn replace(&self) -> io::Result<()> {
        if !self.is_synced {
            sync_tree(&self.new)?;
        }
        if self.target.path.exists() {
            fs::rename(&self.target.path, &self.old)?;
        }
        fs::rename(&self.new, &self.target.path).inspect_err(|_| {
            let _ = self.restore_old(); // if even this fails, the next claim tries again
        })?;
        sync_folder(self.hidden.path())?;
        self.target.path.parent().map_or(Ok(()), sync_folder)
    }

    /// Removes the previous result, after files of others have moved from it into the new one.
    fn retire_old(&self) -> Result<()> {
        if !self.old.exists() {
            return Ok(());
        }
        retire(&self.old, &self.target.path).map_err(|e| {
            let (dir, old) = (self.target.dir.display(), self.old.display());
            Error::storage(format!(
                "{dir}: holds the new results, but what others had put there waits in {old}: {e}; the next run tries again"
            ))
        })
    }

    /// Moves the previous result back, which a run left in staging if it died between the two moves of `replace`.
    fn restore_old(&self) -> io::Result<()> {
        if self.old.exists() && !self.target.path.exists() { fs::rename(&self.old, &self.target.path) } else { Ok(()) }
    }

    fn tidy_after_a_dead_run(&self) -> io::Result<()> {
        self.restore_old()?;
        // A target without a manifest did not replace the previous result, so that one stays until it can be moved back.
        if self.old.exists() && self.target.path.join(FILE_NAME).exists() {
            retire(&self.old, &self.target.path)?;
        }
        if self.goes_on {
            return Ok(());
        }
        checkpoint::remove(self.hidden.path());
        remove_tree(&self.new)
    }
}

/// What becomes of an interrupted run in the way of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begin {
    /// It is told, and stays.
    Afresh {
        /// The scenario of the new run, with every default filled in.
        scenario: String,
    },
    /// It is removed.
    Over,
    /// It goes on; there must be one.
    GoOn,
    /// It goes on if it is of this scenario, else it is removed.
    GoOnOrOver {
        /// The scenario with every default filled in.
        scenario: String,
    },
}

/// The hidden folder beside a target.
fn hidden_beside(target: &Target) -> Result<PathBuf> {
    let (parent, name) = target.parent_and_name()?;
    Ok(parent.join(format!(".{}.staging", name.display())))
}

fn nothing_to_resume(dir: &Path) -> Error {
    let what = match dir.join(FILE_NAME).exists() {
        true => "holds finished results; there is nothing to go on with",
        false => "holds no interrupted run; begin one with `rankguard run`",
    };
    Error::input(format!("{}: {what}", dir.display()))
}

impl Drop for Staging {
    /// Removes the results if they were not published, unless a checkpoint can go on with them.
    fn drop(&mut self) {
        if !self.keep_new && !Checkpoint::is_in(self.hidden.path()) {
            let _ = remove_tree(&self.new);
        }
    }
}

#[cfg(test)]
mod tests {
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
}
