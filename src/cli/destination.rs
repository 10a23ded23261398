//! Where a run's results go: a folder, or a folder in an object store. With a scratch folder, and for a store, they are written elsewhere first.

use super::interruption::Interruption;
use rankguard::error::{Error, Result};
use rankguard::results::Staging;
use rankguard::run::{FinishedJob, Interrupted};
use rankguard::world::World;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// What `--out` names.
pub enum Destination {
    Folder(PathBuf),
    /// A folder whose results are written to scratch first.
    Moved {
        scratch: PathBuf,
        to: PathBuf,
    },
    #[cfg(feature = "remote")]
    Store {
        remote: Box<rankguard::results::Remote>,
        folder: PathBuf,
    },
}

impl Destination {
    /// `scratch` is where results are written first; by default the system's folder for temporary files if they go to a store, and nowhere else
    /// if they go to a folder.
    pub fn new(out: PathBuf, scratch: Option<&Path>) -> Result<Self> {
        match (out.to_str().filter(|out| out.contains("://")), scratch) {
            (Some(url), _) => Self::store(url, scratch),
            (None, None) => Ok(Self::Folder(out)),
            (None, Some(scratch)) => Self::moved(out, scratch),
        }
    }

    /// The same target has the same place in scratch, so that an interrupted run is found again.
    fn moved(to: PathBuf, scratch: &Path) -> Result<Self> {
        let wrong = |e: std::io::Error| Error::input(format!("{}: is not a path: {e}; choose another --out", to.display()));
        let whole = std::path::absolute(&to).map_err(wrong)?;
        let name = whole.file_name().ok_or_else(|| Error::input(format!("{}: names no folder; choose another --out", to.display())))?;
        let place = format!("rankguard-{:016x}", xxh3_64(whole.as_os_str().as_encoded_bytes()));
        Ok(Self::Moved { scratch: scratch.join(place).join(name), to })
    }

    /// What becomes of an interrupted run. One in scratch goes on with the same command, because nobody would find it there.
    pub fn interrupted(&self) -> Interrupted {
        match self {
            Self::Folder(_) => Interrupted::Stays,
            Self::Moved { .. } => Interrupted::GoesOnIfThere,
            #[cfg(feature = "remote")]
            Self::Store { .. } => Interrupted::GoesOnIfThere,
        }
    }

    #[cfg(feature = "remote")]
    fn store(url: &str, scratch: Option<&Path>) -> Result<Self> {
        let remote = rankguard::results::Remote::open(url)?;
        let scratch = scratch.map_or_else(std::env::temp_dir, Path::to_path_buf);
        // The same URL has the same local folder, so that two runs to one place find each other.
        let folder = scratch.join(format!("rankguard-{}", remote.id())).join(remote.name());
        Ok(Self::Store { remote: Box::new(remote), folder })
    }

    #[cfg(not(feature = "remote"))]
    fn store(url: &str, _: Option<&Path>) -> Result<Self> {
        Err(Error::input(format!("--out {url}: this build has no remote output; build it with --features remote, or choose a folder")))
    }

    /// The local folder of the results.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) | Self::Moved { scratch: folder, .. } => folder,
            #[cfg(feature = "remote")]
            Self::Store { folder, .. } => folder,
        }
    }

    /// Refuses results of another run at the destination, before the run begins. A folder that is written directly is checked by the job.
    pub fn check(&self, world: &World, overwrite: bool) -> Result<()> {
        let identity = |data_hash| world.identity(&world.inputs_with(data_hash), &[]);
        match self {
            Self::Folder(_) => Ok(()),
            Self::Moved { to, .. } => Staging::check_target(to, (!overwrite).then_some(identity)),
            #[cfg(feature = "remote")]
            Self::Store { .. } if overwrite => Ok(()),
            #[cfg(feature = "remote")]
            Self::Store { remote, .. } => remote.check(identity),
        }
    }

    /// Brings the results of a finished job to where they belong, and gives that place as the user named it.
    #[cfg_attr(not(feature = "remote"), allow(unused_variables, reason = "only an upload can be interrupted"))]
    pub fn deliver(&self, world: &World, job: &FinishedJob, overwrite: bool, interruption: &Interruption) -> Result<PathBuf> {
        match self {
            Self::Folder(folder) => Ok(folder.clone()),
            Self::Moved { scratch, to } => {
                let admitted = (!overwrite).then(|| world.identity(&job.manifest.inputs, &[]));
                let moved = Staging::publish_copy(scratch, to, admitted.as_ref());
                moved.map_err(|problem| problem.and(&format!("the results are in {}", scratch.display())))?;
                remove(scratch);
                Ok(to.clone())
            }
            #[cfg(feature = "remote")]
            Self::Store { remote, folder } => {
                interruption.uploads(Some(folder));
                // Somebody may have used the place during the run, or the documents were not those of the results there.
                let is_free = if overwrite { Ok(()) } else { remote.check(|_| world.identity(&job.manifest.inputs, &[])) };
                let uploaded = is_free.and_then(|()| remote.upload(folder));
                uploaded.map_err(|problem| problem.and(&format!("the results are in {}", folder.display())))?;
                interruption.uploads(None);
                remove(folder);
                Ok(remote.url().into())
            }
        }
    }
}

/// Removes results that are at their destination from scratch, and the folder around them if nothing else is there. What cannot be removed
/// does no harm.
fn remove(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    let _ = folder.parent().map(std::fs::remove_dir);
}
