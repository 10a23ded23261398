//! Checkpoints: the state of an unfinished run in one file, inside a frame that is checked before anything is decoded.
//!
//! A checkpoint stands beside the unpublished results, replaces the one before it in one move, and leaves that one as a reserve. This module
//! knows frames and files; it does not know what a state is.

use super::folders::sync_folder;
use super::identity::{COMMIT, VERSION};
use crate::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// The newest checkpoint.
const NAME: &str = "checkpoint";
/// The one before it.
const PREVIOUS: &str = "checkpoint.previous";
/// A checkpoint while it is written.
const STAGED: &str = "checkpoint.new";

const MAGIC: [u8; 8] = *b"rgcheck\n";
/// The version of the layout. It is raised whenever a state changes.
const LAYOUT: u64 = 2;
/// Bytes of the header: magic, layout, the program as text, the length of the content, and the checksum of all these and of the content.
const HEADER: usize = 8 + 8 + PROGRAM + 8 + 8;
const PROGRAM: usize = 64;

/// What a checkpoint tells about its run without its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The scenario with every default filled in.
    pub scenario: String,
    /// Names the results that the run will have.
    pub result_id: String,
    /// The past that the run was forked from.
    pub forked: Option<String>,
    /// The place of the run in a sweep: axes and labels.
    pub axes: Vec<(String, String)>,
    /// Whether the run may replace results of another one.
    pub overwrite: bool,
    /// The virtual time in nanoseconds.
    pub at_ns: u64,
    /// The share of the run that is done, 0 to 1.
    pub done: f64,
}

/// A sound checkpoint that was read.
#[derive(Debug)]
pub struct Checkpoint {
    /// What it tells about its run.
    pub about: About,
    /// Why a newer one could not be used.
    pub newer_refused: Option<String>,
    path: PathBuf,
    content: Vec<u8>,
}

impl Checkpoint {
    /// Whether a folder holds a checkpoint, sound or not.
    pub fn is_in(folder: &Path) -> bool {
        [NAME, PREVIOUS].iter().any(|name| folder.join(name).exists())
    }

    /// Reads the newest checkpoint of a folder, or the one before it if that one cannot be used.
    ///
    /// # Errors
    /// Neither can be used; the message says why.
    pub fn open(folder: &Path) -> Result<Self> {
        let newest = match Self::read(&folder.join(NAME)) {
            Ok(checkpoint) => return Ok(checkpoint),
            Err(problem) => problem.to_string(),
        };
        match Self::read(&folder.join(PREVIOUS)) {
            Ok(checkpoint) => Ok(Self { newer_refused: Some(newest), ..checkpoint }),
            Err(problem) => Err(Error::input(format!("{newest}\n{problem}"))),
        }
    }

    /// Reads one file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged, or was written by another version of this program.
    pub fn read(path: &Path) -> Result<Self> {
        let refuse = |why: &str| Error::input(format!("{}: {why}", path.display()));
        let bytes = fs::read(path).map_err(|e| Error::cannot_read(path, &e))?;
        let (header, content) = bytes.split_at_checked(HEADER).ok_or_else(|| refuse("is no checkpoint, or only its beginning"))?;
        let word = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"));
        if header[..8] != MAGIC {
            return Err(refuse("is no checkpoint"));
        }
        if word(8) != LAYOUT {
            return Err(refuse(&format!("is a checkpoint of layout {}; this program reads {LAYOUT}", word(8))));
        }
        if word(HEADER - 16) != content.len() as u64 || word(HEADER - 8) != checksum(&header[..HEADER - 8], content) {
            return Err(refuse("is damaged: its length or its checksum is not the one that was written"));
        }
        let program = String::from_utf8_lossy(&header[16..16 + PROGRAM]);
        if program.trim_end() != this_program() {
            let (there, here) = (program.trim_end(), this_program());
            return Err(refuse(&format!("was written by {there}, and this is {here}; only the very same program goes on exactly")));
        }
        let (about, state) = postcard::take_from_bytes(content).map_err(|e| refuse(&format!("cannot be decoded: {e}")))?;
        let content = state.to_vec();
        Ok(Self { about, newer_refused: None, path: path.to_path_buf(), content })
    }

    /// The state.
    ///
    /// # Errors
    /// It is none of type `S`.
    pub fn state<S: DeserializeOwned>(&self) -> Result<S> {
        postcard::from_bytes(&self.content).map_err(|e| Error::input(format!("{}: cannot be decoded: {e}", self.path.display())))
    }
}

/// Writes a checkpoint into a folder. The newest one there becomes the one before it. Returns the number of bytes.
///
/// # Errors
/// The disk fails. The checkpoints that are there stay.
pub fn write(folder: &Path, about: &About, state: &impl Serialize) -> Result<u64> {
    let newest = folder.join(NAME);
    let replace = |n_bytes| {
        if newest.exists() {
            fs::rename(&newest, folder.join(PREVIOUS))?;
        }
        fs::rename(folder.join(STAGED), &newest)?;
        sync_folder(folder)?;
        Ok(n_bytes)
    };
    write_file(&folder.join(STAGED), about, state).and_then(replace).map_err(|e| Error::cannot_write(&newest, &e))
}

/// Keeps a checkpoint of this moment in a folder of its own, for later forks.
///
/// # Errors
/// The disk fails.
pub fn keep(folder: &Path, about: &About, state: &impl Serialize) -> Result<()> {
    let path = folder.join(kept_name(about.at_ns));
    let written = fs::create_dir_all(folder).and_then(|()| write_file(&path, about, state));
    written.map(drop).map_err(|e| Error::cannot_write(&path, &e))
}

/// The kept checkpoints of a folder with their moments in nanoseconds, the earliest first.
pub fn kept(folder: &Path) -> Vec<(u64, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut kept: Vec<(u64, PathBuf)> = entries.filter_map(|entry| Some((kept_at(entry.file_name().to_str()?)?, entry.path()))).collect();
    kept.sort();
    kept
}

/// The moment of a kept checkpoint by its name.
pub fn kept_at(name: &str) -> Option<u64> {
    name.strip_prefix("at-")?.strip_suffix("ns.checkpoint")?.parse().ok()
}

fn kept_name(at_ns: u64) -> String {
    format!("at-{at_ns:020}ns.checkpoint")
}

/// Removes all checkpoints of a folder.
pub fn remove(folder: &Path) {
    for name in [STAGED, PREVIOUS, NAME] {
        let _ = fs::remove_file(folder.join(name)); // most are not there
    }
}

fn write_file(path: &Path, about: &About, state: &impl Serialize) -> io::Result<u64> {
    let mut file = File::create(path)?;
    let mut header = [b' '; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..16].copy_from_slice(&LAYOUT.to_le_bytes());
    let program = this_program();
    header[16..16 + program.len()].copy_from_slice(program.as_bytes());
    file.write_all(&header)?;
    let content = Content { file: BufWriter::with_capacity(1 << 20, &file), hash: Xxh3Default::new(), n_bytes: 0 };
    let content = postcard::to_io(about, content).and_then(|content| postcard::to_io(state, content)).map_err(io::Error::other)?;
    let (n_bytes, hash) = content.finish()?;
    header[HEADER - 16..HEADER - 8].copy_from_slice(&n_bytes.to_le_bytes());
    let checksum = both(&header[..HEADER - 8], hash);
    header[HEADER - 8..].copy_from_slice(&checksum.to_le_bytes());
    file.rewind()?;
    file.write_all(&header)?;
    file.sync_all()?;
    Ok(HEADER as u64 + n_bytes)
}

/// The content of a checkpoint while it is written: its length and its hash are known when it is whole.
struct Content<'a> {
    file: BufWriter<&'a File>,
    hash: Xxh3Default,
    n_bytes: u64,
}

impl Content<'_> {
    fn finish(mut self) -> io::Result<(u64, u64)> {
        self.file.flush()?;
        Ok((self.n_bytes, self.hash.digest()))
    }
}

impl Write for Content<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.n_bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn checksum(header: &[u8], content: &[u8]) -> u64 {
    both(header, xxh3_64(content))
}

fn both(header: &[u8], content: u64) -> u64 {
    let mut hash = Xxh3Default::new();
    hash.update(header);
    hash.update(&content.to_le_bytes());
    hash.digest()
}

/// The program that states belong to. Another commit may have other states, or give other results.
fn this_program() -> String {
    let commit: String = COMMIT.chars().take(PROGRAM - 24).collect();
    format!("rankguard {VERSION} ({commit})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::{TempDir, tempdir};

    fn about(at_ns: u64) -> About {
        About { scenario: "(name: a)".into(), result_id: "o1".into(), forked: None, axes: vec![], overwrite: false, at_ns, done: 0.5 }
    }

    /// A folder with checkpoints whose states are these numbers.
    fn with(states: &[u64]) -> TempDir {
        let folder = tempdir().expect("a folder");
        for state in states {
            let n_bytes = write(folder.path(), &about(*state), &vec![*state; 100]).expect("it writes");
            assert_eq!(n_bytes, fs::metadata(folder.path().join(NAME)).expect("it is there").len());
        }
        folder
    }

    fn state(checkpoint: &Checkpoint) -> Vec<u64> {
        checkpoint.state().expect("it decodes")
    }

    #[test]
    fn the_newest_checkpoint_is_read_and_one_before_it_stays() {
        let folder = with(&[1, 2, 3]);
        let checkpoint = Checkpoint::open(folder.path()).expect("it is sound");
        assert_eq!((state(&checkpoint), &checkpoint.about, &checkpoint.newer_refused), (vec![3; 100], &about(3), &None));
        assert_eq!(state(&Checkpoint::read(&folder.path().join(PREVIOUS)).expect("it is sound")), vec![2; 100]);
        assert!(Checkpoint::is_in(folder.path()) && fs::read_dir(folder.path()).expect("it lists").count() == 2);
        remove(folder.path());
        assert!(!Checkpoint::is_in(folder.path()));
    }

    #[track_caller]
    fn refuse(damage: impl Fn(&mut Vec<u8>), why: &str) {
        let folder = with(&[1, 2]);
        let newest = folder.path().join(NAME);
        let mut bytes = fs::read(&newest).expect("it is there");
        damage(&mut bytes);
        fs::write(&newest, bytes).expect("it writes");
        let checkpoint = Checkpoint::open(folder.path()).expect("the one before it is sound");
        assert_eq!(state(&checkpoint), vec![1; 100]);
        let told = checkpoint.newer_refused.expect("the newest is damaged");
        assert!(told.contains(why) && told.contains("checkpoint: "), "{told}");
        fs::copy(&newest, folder.path().join(PREVIOUS)).expect("it is copied");
        let problem = Checkpoint::open(folder.path()).expect_err("both are damaged");
        assert!(problem.exit_code() == 2 && problem.to_string().matches(why).count() == 2, "{problem}");
    }

    #[test]
    fn what_is_not_sound_is_refused_with_the_reason() {
        refuse(|bytes| bytes.truncate(40), "is no checkpoint, or only its beginning");
        refuse(|bytes| bytes.truncate(HEADER + 40), "is damaged");
        refuse(|bytes| bytes.push(0), "is damaged");
        refuse(|bytes| *bytes.last_mut().expect("there are bytes") ^= 1, "is damaged");
        refuse(|bytes| bytes[HEADER - 3] ^= 1, "is damaged");
        refuse(|bytes| bytes[0] = b'x', "is no checkpoint");
        refuse(|bytes| bytes[8] = 77, "is a checkpoint of layout 77; this program reads 2");
        refuse(
            |bytes| {
                bytes[26] = b'9';
                let sum = checksum(&bytes[..HEADER - 8], &bytes[HEADER..]);
                bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
            },
            "was written by rankguard 9",
        );
    }

    #[test]
    fn kept_checkpoints_are_found_by_their_moment() {
        let folder = tempdir().expect("a folder");
        let at = |ns| keep(&folder.path().join("kept"), &about(ns), &vec![ns; 100]).expect("it writes");
        [30, 7, 4_000_000_000_000].into_iter().for_each(at);
        fs::write(folder.path().join("kept/note"), "").expect("it writes");
        let found = kept(&folder.path().join("kept"));
        assert_eq!(found.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [7, 30, 4_000_000_000_000]);
        assert_eq!(state(&Checkpoint::read(&found[1].1).expect("it is sound")), vec![30; 100]);
        assert!(kept(folder.path()).is_empty() && kept(&folder.path().join("nothing")).is_empty());
    }
}
