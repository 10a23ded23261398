//! Hashes of content: the hash of the data in memory identifies a run's input, and the hash of a text tells whether its cache is still
//! valid.

use super::dataset::{Corpus, Split};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3Default;

impl Corpus {
    /// The hash of all data that a run sees. Packing and comments of the text do not change it.
    pub fn hash(&self) -> String {
        let mut hash = Xxh3Default::new();
        hash.update(&[self.n_grades]);
        for split in [&self.train, &self.test] {
            update(&mut hash, split);
        }
        format!("d{:016x}", hash.digest())
    }
}

fn update(hash: &mut Xxh3Default, split: &Split) {
    for count in [split.n_documents(), split.n_queries(), split.n_features()] {
        hash.update(&(count as u64).to_le_bytes());
    }
    split.starts().iter().for_each(|start| hash.update(&start.to_le_bytes()));
    hash.update(split.grades());
    let features = split.features();
    let features = features.to_slice().expect("a split is in standard layout");
    if cfg!(target_endian = "little") {
        hash.update(bytemuck::cast_slice(features));
    } else {
        features.iter().for_each(|x| hash.update(&x.to_le_bytes()));
    }
}

/// The hash of a file's bytes, and their number. Hashing a file takes a small part of the time that parsing takes.
pub fn of_file(path: &Path) -> io::Result<(u64, u64)> {
    let mut file = File::open(path)?;
    let (mut hash, mut size, mut buffer) = (Xxh3Default::new(), 0, vec![0; 1 << 20]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok((hash.digest(), size)),
            Ok(n) => {
                hash.update(&buffer[..n]);
                size += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    fn corpus(feature: f32, grade: u8, starts: Vec<u32>, n_grades: u8) -> String {
        let split = || Split::new(Array2::from_elem((2, 3), 0.5), vec![0, 1], vec![0, 2]);
        let mut features = Array2::from_elem((2, 3), 0.5);
        features[[1, 2]] = feature;
        Corpus { train: split(), test: Split::new(features, vec![0, grade], starts), n_grades }.hash()
    }

    #[test]
    fn every_part_of_the_data_counts() {
        let same = corpus(0.5, 1, vec![0, 2], 3);
        assert!(same.starts_with('d') && same.len() == 17, "{same}");
        assert_eq!(same, corpus(0.5, 1, vec![0, 2], 3));
        for other in
            [corpus(0.25, 1, vec![0, 2], 3), corpus(0.5, 2, vec![0, 2], 3), corpus(0.5, 1, vec![0, 1, 2], 3), corpus(0.5, 1, vec![0, 2], 5)]
        {
            assert_ne!(same, other);
        }
    }

    #[test]
    fn files_are_hashed_whole() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let bytes: Vec<u8> = (0..(3 << 20) + 17).map(|i: u32| (i % 251) as u8).collect();
        std::fs::write(file.path(), &bytes).expect("it writes");
        assert_eq!(of_file(file.path()).expect("it reads"), (xxhash_rust::xxh3::xxh3_64(&bytes), bytes.len() as u64));
    }
}
