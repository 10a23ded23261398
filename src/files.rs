//! Reads whole files that a user names. It reads regular files only, and never more bytes than a limit.
//!
//! A device or a pipe may never end, and a packed file does not tell how large its content is. Both are refused before they can fill the
//! memory.

use crate::units::size;
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{BufReader, Error, ErrorKind, Read, Result};
use std::path::Path;

/// The limit for files that people write by hand: scenarios, manifests, tables of published figures.
pub const WRITTEN_BY_HAND: u64 = 16_000_000;

/// Reads the bytes of a file, at most `limit` of them.
///
/// # Errors
/// Fails if the file cannot be read, is not a regular file, or is longer than `limit` ([`ErrorKind::FileTooLarge`]).
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let length = regular_length(path)?;
    if length > limit {
        return Err(too_large(&format!("it holds {}", size(length as f64)), limit));
    }
    // The limit is checked again while reading: some system files have no length until they are read, and other files grow.
    at_most(File::open(path)?, limit, "it holds more than that")
}

/// Reads the bytes of a source without a path, such as standard input, at most `limit` of them.
///
/// # Errors
/// Fails if the source cannot be read, or is longer than `limit`.
pub fn read_from(source: impl Read, limit: u64) -> Result<Vec<u8>> {
    at_most(source, limit, "it holds more than that")
}

/// Reads and unpacks a gzip file, at most `limit` unpacked bytes. The packed bytes are never all in memory.
///
/// # Errors
/// Fails as [`read`] does, or with the decoder's message if the file is damaged.
pub fn unpack(path: &Path, limit: u64) -> Result<Vec<u8>> {
    regular_length(path)?;
    at_most(MultiGzDecoder::new(BufReader::new(File::open(path)?)), limit, "it unpacks to more than that")
}

fn regular_length(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path)?;
    match metadata.is_file() {
        true => Ok(metadata.len()),
        false if metadata.is_dir() => Err(Error::new(ErrorKind::IsADirectory, "it is a folder; name a file")),
        false => Err(Error::new(ErrorKind::Unsupported, "it is a device or a pipe; name a regular file")),
    }
}

fn at_most(source: impl Read, limit: u64, why: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(too_large(why, limit)) } else { Ok(bytes) }
}

fn too_large(what: &str, limit: u64) -> Error {
    Error::new(ErrorKind::FileTooLarge, format!("at most {} are read, and {what}", size(limit as f64)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory")
    }

    #[track_caller]
    fn check(content: &[u8], packed: bool, limit: u64, expect: std::result::Result<usize, &str>) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), content).expect("it writes");
        let got = if packed { unpack(file.path(), limit) } else { read(file.path(), limit) };
        assert_eq!(got.map(|bytes| bytes.len()).map_err(|e| e.to_string()), expect.map_err(String::from));
    }

    #[test]
    fn files_are_read_up_to_their_limit() {
        check(b"twelve bytes", false, 12, Ok(12));
        check(b"twelve bytes", false, u64::MAX, Ok(12));
        check(b"twelve bytes", false, 11, Err("at most 11 B are read, and it holds 12 B"));
    }

    #[test]
    fn a_packed_file_is_given_up_where_it_passes_the_limit() {
        let bomb = gzip(&vec![0; 30_000_000]);
        assert!(bomb.len() < 40_000);
        check(&bomb, true, 30_000_000, Ok(30_000_000));
        check(&bomb, true, 1_000_000, Err("at most 1.00 MB are read, and it unpacks to more than that"));
        let twice = [gzip(b"one "), gzip(b"two")].concat();
        check(&twice, true, 100, Ok(7));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_not_a_regular_file_is_refused_without_opening_it() {
        for (path, why) in [("/dev/zero", "a device or a pipe"), ("/dev/null", "a device or a pipe"), ("/", "a folder")] {
            let error = read(Path::new(path), 10).expect_err(path).to_string();
            assert!(error.contains(why), "{error}");
        }
        // It says that it holds nothing, and then does not end soon.
        assert!(read(Path::new("/proc/self/maps"), 10).expect_err("it is longer").to_string().contains("more than that"));
    }
}
