//! The temporary file under which a cache is written. Many tasks of a cluster may begin on one data set at once, so each has a name of its
//! own, and the files of tasks that were killed are removed by those that come later.

use super::UnfinishedCaches;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Tells this process from all others on every machine that shares the disk: process ids repeat on other machines and in containers.
static PROCESS: LazyLock<String> = LazyLock::new(|| format!("{}-{:016x}", std::process::id(), RandomState::new().build_hasher().finish()));

/// Where this process writes a cache before it is whole.
fn path_of(cache: &Path) -> PathBuf {
    let mut name = cache.as_os_str().to_owned();
    name.push(".");
    name.push(&*PROCESS);
    name.into()
}

/// Writes a cache under its temporary name and then gives it its own: a reader never sees half a cache, and of two writers at once each
/// renames a whole one.
pub fn write(cache: &Path, unfinished: &UnfinishedCaches, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let staged = path_of(cache);
    // If the file is there, another thread of this process writes the same cache.
    let mut file = unfinished.begin(&staged)?;
    // The lock ends with the process and so tells others that the file is in use. A disk without locks has only the time of the file.
    let _ = file.try_lock();
    let written = content(&mut file).and_then(|()| fs::rename(&staged, cache));
    if written.is_err() {
        // A missing cache does no harm, and neither does a temporary file that could not be removed.
        fs::remove_file(&staged).ok();
    }
    unfinished.end(&staged);
    written
}

/// Removes the temporary files of processes that were killed while they wrote this cache. The cache must be whole: then it does no harm
/// to remove the file of a process that still writes.
pub fn remove_leftovers(cache: &Path) {
    let (Some(folder), Some(name)) = (cache.parent(), cache.file_name()) else { return };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.filter(|entry| is_staged(&entry.file_name(), name)).map(|entry| entry.path()) {
        if is_left(&path, cache) {
            fs::remove_file(&path).ok();
        }
    }
}

fn is_staged(name: &OsStr, cache: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes().strip_prefix(cache.as_encoded_bytes());
    bytes.and_then(|rest| rest.strip_prefix(b".")).is_some_and(|process| process.first().is_some_and(u8::is_ascii_digit))
}

/// Whether nobody writes a temporary file any more. Where locks do not tell, this is so if the cache is younger.
fn is_left(staged: &Path, cache: &Path) -> bool {
    let Ok(file) = File::options().write(true).open(staged) else { return false };
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(_)) => {
            let time = |path: &Path| fs::metadata(path).and_then(|metadata| metadata.modified());
            matches!((time(staged), time(cache)), (Ok(staged), Ok(cache)) if staged < cache)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let cache = path("train.txt.rgcache");
        let others = ["train.txt", "train.txt.rgcache", "train.txt.rgcache.old", "train.txt.rgcache2", "test.txt.rgcache.7"];
        for name in others.iter().chain(&["train.txt.rgcache.7", "train.txt.rgcache.12-00ab"]) {
            fs::write(path(name), "").expect("it writes");
        }
        let busy = File::create(path("train.txt.rgcache.8-busy")).expect("it is made");
        busy.try_lock().expect("nobody else has it");
        let left = || {
            let names = fs::read_dir(folder.path()).expect("it lists").map(|entry| entry.expect("an entry").file_name());
            names.map(|name| name.into_string().expect("it is text")).collect::<std::collections::BTreeSet<_>>()
        };
        remove_leftovers(&cache);
        let mut expect = others.map(String::from).into_iter().collect::<std::collections::BTreeSet<_>>();
        expect.insert("train.txt.rgcache.8-busy".into());
        assert_eq!(left(), expect);
        drop(busy);
        remove_leftovers(&cache);
        expect.remove("train.txt.rgcache.8-busy");
        assert_eq!(left(), expect);
    }

    #[test]
    fn a_cache_has_its_name_only_when_it_is_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cache, unfinished) = (folder.path().join("train.txt.rgcache"), UnfinishedCaches::default());
        write(&cache, &unfinished, |_| Err(io::Error::other("the disk is full"))).expect_err("it fails");
        assert_eq!(fs::read_dir(folder.path()).expect("it lists").count(), 0);
        write(&cache, &unfinished, |file| {
            assert!(!cache.exists() && path_of(&cache).exists());
            remove_leftovers(&cache);
            assert!(path_of(&cache).exists(), "it is in use");
            write(&cache, &unfinished, |_| Ok(())).expect_err("another thread of this process is at it");
            file.write_all(b"whole")
        })
        .expect("it writes");
        assert_eq!((fs::read(&cache).expect("it is there"), path_of(&cache).exists()), (b"whole".to_vec(), false));
    }
}
