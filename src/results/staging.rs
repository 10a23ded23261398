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
mod tests;
