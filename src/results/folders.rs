//! Helpers for folders: they make folders, remove those that stayed empty, test whether one can be written, and bring one to the disk.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

/// Entries of a folder that wait for the disk at the same time.
const SYNCED_AT_ONCE: usize = 16;

/// Folders made on the way to the target, outermost first. Dropping this removes those that are still empty.
#[derive(Debug)]
pub struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    /// Makes a folder and the missing ones around it.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let mut made = Self(Vec::new());
        let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !folder.exists()).collect();
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Err(e) if e.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {} // another run was faster
                created => created.map(|()| made.0.push(folder.to_path_buf()))?,
            }
        }
        Ok(made)
    }

    /// The folders that were made, outermost first.
    pub fn made(&self) -> &[PathBuf] {
        &self.0
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder); // refuses a folder that is not empty, which is meant
        }
    }
}

/// Removes a folder with everything in it, if it is there.
///
/// # Errors
/// Something in it cannot be removed.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder).or_else(|e| if e.kind() == ErrorKind::NotFound { Ok(()) } else { Err(e) })
}

/// Copies everything in a folder into another one, which is there.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { fs::create_dir_all(&copy).and_then(|()| copy_tree(&path, &copy))? } else { fs::copy(&path, &copy).map(drop)? }
    }
    Ok(())
}

/// Tests whether a folder can be moved, by writing a file into it. Permission bits alone would not show owners, groups and read-only disks.
pub fn is_writable(folder: &Path) -> io::Result<()> {
    let probe = folder.join(format!(".writable-{}", std::process::id()));
    File::create_new(&probe)?; // never over a file that is there
    fs::remove_file(probe)
}

/// Whether another file system begins here: such a folder can be neither moved nor replaced.
#[cfg(unix)]
pub fn is_mount_point(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |folder: &Path| fs::metadata(folder).map(|metadata| metadata.dev()).ok();
    folder.parent().is_some_and(|parent| device(parent) != device(folder))
}

#[cfg(not(unix))]
pub fn is_mount_point(_: &Path) -> bool {
    false
}

/// Brings everything below a folder to the disk. Its entries wait for the disk at the same time: a disk takes many files as quickly as one.
pub fn sync_tree(folder: &Path) -> io::Result<()> {
    let entries: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    for some in entries.chunks(SYNCED_AT_ONCE) {
        thread::scope(|scope| {
            let (here, others) = some.split_last().expect("chunks are not empty");
            let begin = |path| thread::Builder::new().spawn_scoped(scope, move || sync(path)).map_err(|_| path);
            let others: Vec<_> = others.iter().map(PathBuf::as_path).map(begin).collect();
            let wait = |other: std::result::Result<ScopedJoinHandle<_>, _>| match other {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(path) => sync(path), // there may be no more threads
            };
            sync(here).and(others.into_iter().try_for_each(wait))
        })?;
    }
    sync_folder(folder)
}

fn sync(path: &Path) -> io::Result<()> {
    if path.is_dir() { sync_tree(path) } else { File::open(path)?.sync_all() }
}

/// Brings the names in a folder to the disk. Only Unix can open a folder for that.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// Makes a finished folder the one at `target`, in one move. A folder that is there already is moved to `aside` and removed after that.
///
/// # Errors
/// The disk fails. The folder at `target` is then there as before, or waits at `aside`.
pub fn replace_folder(new: &Path, target: &Path, aside: &Path) -> Result<()> {
    let replace = || {
        sync_tree(new)?;
        remove_tree(aside)?;
        if target.exists() {
            fs::rename(target, aside)?;
        }
        fs::rename(new, target).inspect_err(|_| drop(fs::rename(aside, target)))?;
        target.parent().map_or(Ok(()), sync_folder)?;
        remove_tree(aside)
    };
    replace().map_err(|e: io::Error| Error::cannot_write(target, &e))
}

/// Writes a text file of its own. A reader sees either the file before or this one, whole, even after a loss of power.
///
/// # Errors
/// The disk fails.
pub fn write_whole(path: &Path, text: &str) -> Result<()> {
    let write = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let name = path.file_name().unwrap_or_default().display();
        let unfinished = folder.join(format!(".{name}.{}", std::process::id()));
        let written = File::create(&unfinished).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&unfinished, path)
        });
        written.inspect_err(|_| drop(fs::remove_file(&unfinished)))?;
        sync_folder(folder)
    };
    write().map_err(|e: io::Error| Error::cannot_write(path, &e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let root = tempdir().expect("a folder");
        let path = root.path().join("plan.ron");
        for text in ["first, and longer", "second"] {
            write_whole(&path, text).expect("it writes");
            assert_eq!(fs::read_to_string(&path).expect("it reads"), text);
        }
        assert_eq!(write_whole(&root.path().join("no/plan.ron"), "x").expect_err("there is no folder").exit_code(), 1);
        assert_eq!(fs::read_dir(root.path()).expect("it lists").count(), 1);
    }

    #[test]
    fn a_folder_is_replaced_whole() {
        let root = tempdir().expect("a folder");
        let [new, target, aside] = ["new", "target", "aside"].map(|name| root.path().join(name));
        for nth in ["first", "second"] {
            fs::create_dir(&new).and_then(|()| fs::write(new.join(nth), "")).expect("it is made");
            replace_folder(&new, &target, &aside).expect("it moves");
            assert!(target.join(nth).exists() && fs::read_dir(root.path()).expect("it lists").count() == 1);
        }
        assert!(!target.join("first").exists());
        assert_eq!(replace_folder(&new, &target, &aside).expect_err("there is nothing new").exit_code(), 1);
        assert!(target.join("second").exists());
    }

    #[test]
    fn made_folders_go_again_unless_they_were_used_or_there_before() {
        let root = tempdir().expect("a folder");
        let deep = root.path().join("a/b/c");
        drop(NewFolders::create(&deep).expect("they are made"));
        assert!(!root.path().join("a").exists() && root.path().exists());
        let made = NewFolders::create(&deep).expect("they are made");
        fs::write(root.path().join("a/b/note"), "").expect("it writes");
        drop(made);
        assert!(!deep.exists() && root.path().join("a/b").exists());
    }

    #[test]
    fn folders_that_cannot_be_made_leave_none_of_their_parents() {
        let root = tempdir().expect("a folder");
        let too_long = root.path().join("a/b").join("x".repeat(300));
        assert!(NewFolders::create(&too_long).is_err() && !root.path().join("a").exists());
    }

    #[test]
    fn removing_what_is_not_there_is_fine() {
        let root = tempdir().expect("a folder");
        assert!(remove_tree(&root.path().join("nothing")).is_ok());
    }

    #[test]
    fn a_plain_folder_is_writable_and_no_mount_point() {
        let root = tempdir().expect("a folder");
        let folder = root.path().join("plain");
        fs::create_dir(&folder).expect("it is made");
        assert!(is_writable(&folder).is_ok() && !is_mount_point(&folder));
        assert_eq!(fs::read_dir(&folder).expect("it lists").count(), 0);
        assert_eq!(is_mount_point(Path::new("/proc")), cfg!(target_os = "linux"));
    }
}
