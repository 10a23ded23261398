//! The unpublished files of a run, for a process that must end at once.

use super::checkpoint::Checkpoint;
use super::folders::remove_tree;
use std::fs;
use std::path::{Path, PathBuf};

/// The paths of an unpublished [`super::Staging`]. A thread that ends the process removes them while other threads still write there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftovers {
    pub(super) new: PathBuf,
    pub(super) hidden: PathBuf,
    /// The folder that was asked for.
    pub(super) target: PathBuf,
    /// Folders made on the way there, outermost first.
    pub(super) parents: Vec<PathBuf>,
}

impl Leftovers {
    /// The folder whose run can go on from a checkpoint.
    pub fn resumable(&self) -> Option<&Path> {
        Checkpoint::is_in(&self.hidden).then_some(&self.target)
    }

    /// Removes them, as dropping the staging folder does. A thread that goes on writing may put a file into a folder that is being removed,
    /// so this tries a few times.
    ///
    /// A run with a checkpoint keeps all of them, because it can go on from there.
    pub fn remove(&self) {
        if Checkpoint::is_in(&self.hidden) {
            return;
        }
        for _ in 0..20 {
            if remove_tree(&self.new).is_ok() && !self.new.exists() {
                break;
            }
        }
        let _ = fs::remove_file(self.hidden.join("lock"));
        let _ = fs::remove_dir(&self.hidden); // stays if it holds a result that a dead run had moved aside
        for folder in self.parents.iter().rev() {
            let _ = fs::remove_dir(folder); // refuses a folder that is not empty, which is meant
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Begin, Staging};
    use std::fs;

    #[test]
    fn staging_that_is_never_dropped_leaves_nothing_either() {
        let root = tempfile::tempdir().expect("a folder");
        let staging = Staging::claim(&root.path().join("deep/er/kad"), &Begin::Over).expect("it is free");
        fs::create_dir(staging.folder().join("curve"))
            .and_then(|()| fs::write(staging.folder().join("curve/part"), ""))
            .expect("it writes");
        let leftovers = staging.leftovers();
        std::mem::forget(staging);
        leftovers.remove();
        assert_eq!(fs::read_dir(root.path()).expect("it lists").count(), 0);
        leftovers.remove();
    }
}
