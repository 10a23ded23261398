//! Where a run's results go: a folder, or a folder in an object store. Results for a store are written to a local folder first.

use super::interruption::Interruption;
use rankguard::error::Result;
use rankguard::run::FinishedJob;
use rankguard::world::World;
use std::path::{Path, PathBuf};

/// What `--out` names.
pub enum Destination {
    Folder(PathBuf),
    #[cfg(feature = "remote")]
    Store {
        remote: Box<rankguard::results::Remote>,
        folder: PathBuf,
    },
}

impl Destination {
    /// `scratch` is where results for a store are written first; by default the system's folder for temporary files.
    pub fn new(out: PathBuf, scratch: Option<&Path>) -> Result<Self> {
        match out.to_str().filter(|out| out.contains("://")) {
            Some(url) => Self::store(url, scratch),
            None => Ok(Self::Folder(out)),
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
        use rankguard::error::Error;
        Err(Error::input(format!("--out {url}: this build has no remote output; build it with --features remote, or choose a folder")))
    }

    /// The local folder of the results.
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            #[cfg(feature = "remote")]
            Self::Store { folder, .. } => folder,
        }
    }

    /// Refuses results of another run in a store, before the run begins. A folder is checked by the job.
    #[cfg_attr(not(feature = "remote"), allow(unused_variables, reason = "the job checks a folder"))]
    pub fn check(&self, world: &World, overwrite: bool) -> Result<()> {
        match self {
            Self::Folder(_) => Ok(()),
            #[cfg(feature = "remote")]
            Self::Store { .. } if overwrite => Ok(()),
            #[cfg(feature = "remote")]
            Self::Store { remote, .. } => remote.check(|data_hash| world.identity(&world.inputs_with(data_hash), &[])),
        }
    }

    /// Brings the results of a finished job to where they belong, and gives that place as the user named it.
    #[cfg_attr(not(feature = "remote"), allow(unused_variables, reason = "the job itself has brought results to a folder"))]
    pub fn deliver(&self, world: &World, job: &FinishedJob, overwrite: bool, interruption: &Interruption) -> Result<PathBuf> {
        match self {
            Self::Folder(folder) => Ok(folder.clone()),
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

/// Removes the local copy of uploaded results, and the folder around it if nothing else is there. What cannot be removed does no harm.
#[cfg(feature = "remote")]
fn remove(folder: &Path) {
    let _ = std::fs::remove_dir_all(folder);
    let _ = folder.parent().map(std::fs::remove_dir);
}
