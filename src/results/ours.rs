//! Tells which files of a result folder the program wrote. Only these are ever removed or replaced; any other file belongs to the user.

use super::checkpoint::kept_at;
use super::manifest::{FILE_NAME, JSON_NAME};
use crate::record::Table;
use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::Path;

/// A side file with times, which depend on the machine and the day.
pub const TIMING_NAME: &str = "timing.ron";

/// The folder of kept checkpoints, from which other runs can fork.
pub const CHECKPOINTS_NAME: &str = "checkpoints";

fn is_side_file(name: &OsStr) -> bool {
    [FILE_NAME, JSON_NAME, TIMING_NAME].iter().any(|ours| name == *ours)
}

fn is_table(name: &OsStr) -> bool {
    name == CHECKPOINTS_NAME || Table::ALL.iter().any(|table| name == table.name())
}

pub fn is_part(name: &OsStr) -> bool {
    if name.to_str().is_some_and(|name| kept_at(name).is_some()) {
        return true;
    }
    let number = name.to_str().and_then(|name| name.strip_prefix("part-")?.strip_suffix(".parquet"));
    number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A file or folder of a result, and whether the program wrote it.
struct Entry {
    entry: DirEntry,
    is_ours: bool,
    /// It has one of our names, but is of another kind: a folder instead of a file, a file instead of a folder, or a link.
    is_in_the_way: bool,
}

fn entries(folder: &Path, is_our_file: fn(&OsStr) -> bool, is_our_folder: fn(&OsStr) -> bool) -> io::Result<Vec<Entry>> {
    let judge = |entry: io::Result<DirEntry>| {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        let is_ours = (kind.is_file() && is_our_file(&name)) || (kind.is_dir() && is_our_folder(&name));
        Ok(Entry { is_ours, is_in_the_way: !is_ours && (is_our_file(&name) || is_our_folder(&name)), entry })
    };
    fs::read_dir(folder)?.map(judge).collect()
}

fn top(result_folder: &Path) -> io::Result<Vec<Entry>> {
    entries(result_folder, is_side_file, is_table)
}

fn inside(table_folder: &Path) -> io::Result<Vec<Entry>> {
    entries(table_folder, is_part, |_| false)
}

/// The first path in the folder, if any, that is in the way of a file or folder of the result.
pub fn in_the_way(result_folder: &Path) -> io::Result<Option<String>> {
    for Entry { entry, is_ours, is_in_the_way } in top(result_folder)? {
        let name = entry.file_name().display().to_string();
        if is_in_the_way {
            return Ok(Some(name));
        }
        if is_ours && entry.file_type()?.is_dir() {
            let part = inside(&entry.path())?.into_iter().find(|part| part.is_in_the_way);
            if let Some(part) = part {
                return Ok(Some(format!("{name}/{}", part.entry.file_name().display())));
            }
        }
    }
    Ok(None)
}

/// Moves files of others from a replaced result into the new one, to the same paths, and only then removes the rest.
pub fn retire(old: &Path, new: &Path) -> io::Result<()> {
    for Entry { entry, is_ours, .. } in top(old)? {
        let there = new.join(entry.file_name());
        if !is_ours {
            move_to(&entry.path(), &there)?;
        } else if entry.file_type()?.is_dir() {
            for foreign in inside(&entry.path())?.into_iter().filter(|part| !part.is_ours) {
                fs::create_dir_all(&there)?; // the new result may lack the table
                move_to(&foreign.entry.path(), &there.join(foreign.entry.file_name()))?;
            }
        }
    }
    remove_ours(old)
}

/// Removes the files that the program wrote. Fails, and removes nothing more, if any other file is there.
fn remove_ours(result_folder: &Path) -> io::Result<()> {
    for Entry { entry, .. } in top(result_folder)?.into_iter().filter(|entry| entry.is_ours) {
        if entry.file_type()?.is_dir() {
            for part in inside(&entry.path())?.into_iter().filter(|part| part.is_ours) {
                fs::remove_file(part.entry.path())?;
            }
            fs::remove_dir(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(result_folder)
}

/// Moves a file, but never over another one.
fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    match fs::symlink_metadata(to) {
        Err(e) if e.kind() == ErrorKind::NotFound => fs::rename(from, to),
        Err(e) => Err(e),
        Ok(_) => Err(io::Error::new(ErrorKind::AlreadyExists, format!("{} is there already", to.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_ours() {
        for (name, side_file, table, part) in [
            ("manifest.ron", true, false, false),
            ("manifest.json", true, false, false),
            ("timing.ron", true, false, false),
            ("curve", false, true, false),
            ("part-00000.parquet", false, false, true),
            ("part-123456.parquet", false, false, true),
            ("part-1.parquet", false, false, false),
            ("part-0000x.parquet", false, false, false),
            ("my-part-00000.parquet", false, false, false),
            ("manifest.ron~", false, false, false),
            ("plots", false, false, false),
        ] {
            let name = OsStr::new(name);
            assert_eq!((is_side_file(name), is_table(name), is_part(name)), (side_file, table, part), "{}", name.display());
        }
    }

    #[test]
    fn what_stands_in_the_way_is_named() {
        for (path, is_folder, expect) in [
            ("nodes", false, Some("nodes")),
            ("manifest.json", true, Some("manifest.json")),
            ("curve/part-00000.parquet", true, Some("curve/part-00000.parquet")),
            ("curve/part-00000.parquet", false, None),
            ("curve/notes", true, None),
            ("notes", false, None),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("inside")).expect("it is made");
            if is_folder { fs::create_dir(&path) } else { fs::write(&path, "") }.expect("it is made");
            assert_eq!(in_the_way(folder.path()).expect("it lists").as_deref(), expect, "{}", path.display());
        }
    }

    #[test]
    fn nothing_is_moved_onto_something_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["old", "new"] {
            fs::create_dir(at(name)).and_then(|()| fs::write(at(name).join("note"), name)).expect("it is made");
        }
        assert_eq!(retire(&at("old"), &at("new")).map_err(|e| e.kind()), Err(ErrorKind::AlreadyExists));
        assert_eq!(fs::read_to_string(at("old/note")).expect("it stays"), "old");
    }
}
