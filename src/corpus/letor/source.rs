//! Finds and reads the file that holds the text of a split.

use crate::error::{Error, Result, looked_for};
use crate::files;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The path of `split` ("train" or "test") in the folder of a fold: `train.txt`, or else `train.txt.gz`.
///
/// # Errors
/// Fails if there is no such file. The message names the folder that was perhaps meant.
pub fn locate(folder: &Path, split: &str) -> Result<PathBuf> {
    let shown = folder.display();
    if folder.is_file() {
        return Err(Error::input(format!("{shown}: is a file; name the folder that holds train.txt and test.txt")));
    }
    if !folder.is_dir() {
        return Err(Error::input(format!(
            "{shown}: no such folder{}; data/README.md says where the public sets come from",
            looked_for(folder)
        )));
    }
    text_in(folder, split).ok_or_else(|| match fold_below(folder) {
        Some(fold) if text_in(folder, "train").is_none() => {
            Error::input(format!("{shown}: has no {split}.txt or {split}.txt.gz; did you mean {}?", fold.display()))
        }
        _ => Error::input(format!("{shown}: has no {split}.txt or {split}.txt.gz; data/README.md shows the layout")),
    })
}

/// A text without the byte order mark that some editors put before its first line.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Reads the bytes of a text, at most `room` of them, and unpacks them if its name ends in `.gz`.
///
/// # Errors
/// Fails if the file cannot be read or unpacked, or does not fit.
pub fn read(path: &Path, room: u64) -> Result<Vec<u8>> {
    let is_packed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes = if is_packed { files::unpack(path, room) } else { files::read(path, room) };
    bytes.map_err(|e| match e.kind() {
        ErrorKind::FileTooLarge => Error::input(format!(
            "{}: does not fit into the memory there is: {e}; use a smaller part of it, or pass --force",
            path.display()
        )),
        ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof if is_packed => {
            Error::input(format!("{}: is not a sound gzip file ({e}); fetch or pack it again", path.display()))
        }
        _ => Error::cannot_read(path, &e),
    })
}

fn text_in(folder: &Path, split: &str) -> Option<PathBuf> {
    ["txt", "txt.gz"].iter().map(|extension| folder.join(format!("{split}.{extension}"))).find(|path| path.is_file())
}

/// The first sub-folder, in the order of names, that holds a training text.
fn fold_below(folder: &Path) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.sort();
    folders.into_iter().find(|folder| text_in(folder, "train").is_some())
}
