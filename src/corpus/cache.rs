//! Keeps a split as it is in memory beside its text, in `train.txt.rgcache`. Reading it back takes a fraction of the time.
//!
//! **Invariant:** a cache is used only if the text's content (its hash and size), the options and the checksum all match. Otherwise the
//! text is read again, without a message. File times are not compared, because `cp -p` keeps them. A folder that cannot be written has no
//! cache.

mod staged;
mod unfinished;

pub use unfinished::UnfinishedCaches;

use super::dataset::{Normalize, Split};
use super::hash;
use super::letor::Options;
use ndarray::Array2;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3Default;

/// The version of the format. It is raised whenever the layout below or the meaning of a parsed text changes.
const VERSION: u64 = 2;
const MAGIC: u64 = u64::from_le_bytes(*b"rgcache\n");

/// The text and the options that a cache was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    hash: u64,
    size: u64,
    options: Options,
}

impl Key {
    /// The key of a text, packed or not, as it is now; `None` if the text cannot be read.
    pub fn of(text: &Path, options: &Options) -> Option<Self> {
        let (hash, size) = hash::of_file(text).ok()?;
        Some(Self { hash, size, options: *options })
    }

    fn words(&self) -> [u64; 7] {
        let normalize = match self.options.normalize {
            Normalize::AsIs => 0,
            Normalize::PerQuery => 1,
        };
        let or_none = |n: Option<u32>| n.map_or(u64::MAX, u64::from);
        let Self { hash, size, options } = *self;
        [MAGIC, VERSION, hash, size, normalize, or_none(options.features), or_none(options.grades)]
    }
}

/// The words of the header: the key, the numbers of documents, queries and features, and the checksum of all these and of the payload.
const HEADER_WORDS: usize = 11;

/// Loads the cached split of `text`, if a sound one exists that was made under the same key.
pub fn load(text: &Path, key: &Key) -> Option<Split> {
    let split = read(text, key)?;
    staged::remove_leftovers(&path_of(text));
    Some(split)
}

fn read(text: &Path, key: &Key) -> Option<Split> {
    let mut file = File::open(path_of(text)).ok()?;
    let mut header = [0; HEADER_WORDS];
    read_words(&mut file, &mut header).ok()?;
    let [n_documents, n_queries, n_features, checksum] = *header.last_chunk()?;
    if header[..7] != key.words() || Some(file.metadata().ok()?.len()) != file_len(n_documents, n_queries, n_features) {
        return None;
    }
    // The file is as long as its header says, so these buffers take no more memory than the file has bytes.
    let mut starts = vec![0u32; usize::try_from(n_queries).ok()? + 1];
    let mut grades = vec![0u8; usize::try_from(n_documents).ok()?];
    let mut features = vec![0f32; usize::try_from(n_documents * n_features).ok()?];
    file.read_exact(bytemuck::cast_slice_mut(&mut features)).ok()?;
    file.read_exact(bytemuck::cast_slice_mut(&mut starts)).ok()?;
    file.read_exact(&mut grades).ok()?;
    if checksum != checksum_of(&header[..HEADER_WORDS - 1], &features, &starts, &grades) {
        return None;
    }
    // Files are little endian; on such machines these two lines do nothing.
    features.iter_mut().for_each(|x| *x = f32::from_bits(u32::from_le(x.to_bits())));
    starts.iter_mut().for_each(|start| *start = u32::from_le(*start));
    let features = Array2::from_shape_vec((grades.len(), n_features as usize), features).ok()?;
    Split::checked(features, grades, starts)
}

/// Writes the cache of a split for later runs, if the folder is writable.
pub fn store(text: &Path, key: &Key, split: &Split, unfinished: &UnfinishedCaches) {
    let cache = path_of(text);
    if staged::write(&cache, unfinished, |file| write(file, key, split)).is_ok() {
        staged::remove_leftovers(&cache);
    }
}

fn path_of(text: &Path) -> PathBuf {
    let mut name = text.as_os_str().to_owned();
    name.push(".rgcache");
    name.into()
}

fn write(file: &mut dyn Write, key: &Key, split: &Split) -> io::Result<()> {
    let features: Vec<u32> =
        if cfg!(target_endian = "little") { Vec::new() } else { split.features().iter().map(|x| x.to_bits().to_le()).collect() };
    let view = split.features();
    let features: &[f32] = match features.is_empty() {
        true => view.to_slice().expect("a split is in standard layout"),
        false => bytemuck::cast_slice(&features),
    };
    let starts: Vec<u32> = split.starts().iter().map(|start| start.to_le()).collect();
    let mut header = [0; HEADER_WORDS];
    header[..7].copy_from_slice(&key.words());
    header[7..10].copy_from_slice(&[split.n_documents() as u64, split.n_queries() as u64, split.n_features() as u64]);
    header[10] = checksum_of(&header[..10], features, &starts, split.grades());
    file.write_all(bytemuck::cast_slice(&header.map(u64::to_le)))?;
    file.write_all(bytemuck::cast_slice(features))?;
    file.write_all(bytemuck::cast_slice(&starts))?;
    file.write_all(split.grades())
}

fn read_words(file: &mut File, words: &mut [u64]) -> io::Result<()> {
    file.read_exact(bytemuck::cast_slice_mut(words))?;
    words.iter_mut().for_each(|word| *word = u64::from_le(*word));
    Ok(())
}

fn file_len(n_documents: u64, n_queries: u64, n_features: u64) -> Option<u64> {
    let features = n_documents.checked_mul(n_features)?.checked_mul(4)?;
    let starts = n_queries.checked_add(1)?.checked_mul(4)?;
    features.checked_add(starts)?.checked_add(n_documents)?.checked_add(8 * HEADER_WORDS as u64)
}

/// The checksum of the bytes as they are in the file.
fn checksum_of(header: &[u64], features: &[f32], starts: &[u32], grades: &[u8]) -> u64 {
    let mut hash = Xxh3Default::new();
    header.iter().for_each(|word| hash.update(&word.to_le_bytes()));
    hash.update(bytemuck::cast_slice(features));
    hash.update(bytemuck::cast_slice(starts));
    hash.update(grades);
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    const OPTIONS: Options = Options { normalize: Normalize::AsIs, features: None, grades: None };

    fn split() -> Split {
        let features = Array2::from_shape_fn((5, 3), |(row, column)| row as f32 + 0.25 * column as f32);
        Split::new(features, vec![0, 1, 2, 0, 4], vec![0, 2, 5])
    }

    /// A text with a cache, and its key.
    fn cached() -> (TempDir, PathBuf, Key) {
        let folder = tempfile::tempdir().expect("a folder");
        let text = folder.path().join("train.txt");
        fs::write(&text, "0 qid:1 1:0\n").expect("a text");
        let key = Key::of(&text, &OPTIONS).expect("a key");
        store(&text, &key, &split(), &UnfinishedCaches::default());
        (folder, text, key)
    }

    #[test]
    fn what_is_stored_is_loaded() {
        let (folder, text, key) = cached();
        assert_eq!(load(&text, &key), Some(split()));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2, "nothing staged is left");
    }

    #[test]
    fn another_text_or_other_options_make_it_stale() {
        let (_folder, text, key) = cached();
        for other in [
            Key { size: key.size + 1, ..key },
            Key { hash: key.hash + 1, ..key },
            Key { options: Options { normalize: Normalize::PerQuery, ..OPTIONS }, ..key },
            Key { options: Options { features: Some(3), ..OPTIONS }, ..key },
            Key { options: Options { grades: Some(5), ..OPTIONS }, ..key },
        ] {
            assert_eq!(load(&text, &other), None, "{other:?}");
        }
    }

    #[test]
    fn a_changed_text_has_another_key() {
        let (_folder, text, key) = cached();
        fs::write(&text, "0 qid:1 1:0 2:0\n").expect("a text");
        assert_ne!(Key::of(&text, &OPTIONS), Some(key));
    }

    #[test]
    fn neither_the_same_size_nor_the_same_time_makes_it_the_same_text() {
        let (_folder, text, key) = cached();
        let modified = fs::metadata(&text).and_then(|metadata| metadata.modified()).expect("a time");
        fs::write(&text, "0 qid:1 1:1\n").expect("a text of the same size");
        File::options().write(true).open(&text).and_then(|file| file.set_modified(modified)).expect("the time is put back");
        let changed = Key::of(&text, &OPTIONS).expect("a key");
        assert_eq!((changed.size, load(&text, &changed)), (key.size, None));
    }

    #[test]
    fn a_cache_cut_anywhere_is_not_believed() {
        let (_folder, text, key) = cached();
        let whole = fs::read(path_of(&text)).expect("a cache");
        for len in 0..whole.len() {
            fs::write(path_of(&text), &whole[..len]).expect("a shorter cache");
            assert_eq!(load(&text, &key), None, "{len} bytes");
        }
        fs::write(path_of(&text), [&whole[..], b"x"].concat()).expect("a longer cache");
        assert_eq!(load(&text, &key), None);
    }

    #[test]
    fn no_flipped_byte_goes_unnoticed() {
        let (_folder, text, key) = cached();
        let mut bytes = fs::read(path_of(&text)).expect("a cache");
        for i in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xFF] {
                bytes[i] ^= flip;
                fs::write(path_of(&text), &bytes).expect("a damaged cache");
                assert_eq!(load(&text, &key), None, "byte {i} ^ {flip}");
                bytes[i] ^= flip;
            }
        }
    }

    #[test]
    fn a_folder_that_does_not_exist_has_no_cache() {
        let (_folder, _, key) = cached();
        store(Path::new("no/such/folder/train.txt"), &key, &split(), &UnfinishedCaches::default());
        assert_eq!(load(Path::new("no/such/folder/train.txt"), &key), None);
    }
}
