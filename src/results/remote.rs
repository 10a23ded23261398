//! Results in an object store such as S3. A run writes into a local folder as usual, and the finished folder is then copied file by file.
//!
//! **Invariant:** the manifest is the last file that is copied and the first that is removed, so whoever finds a manifest finds everything that
//! it lists. The store tries requests again by itself where that may help.

use super::Identity;
use super::manifest::{self, FILE_NAME, JSON_NAME};
use super::ours::is_part;
use super::target::check_ids;
use crate::error::{Error, Result};
use crate::record::Table;
use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart, parse_url_opts};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use tokio::runtime::{Builder, Runtime};
use xxhash_rust::xxh3::xxh3_64;

/// Larger files are copied in pieces of this many bytes, so that none is in memory whole.
const PIECE: usize = 8 << 20;
/// Pieces that may be under way at once.
const PIECES_AT_ONCE: usize = 4;

/// A folder in an object store.
#[derive(Debug)]
pub struct Remote {
    url: String,
    store: Box<dyn ObjectStore>,
    folder: Location,
    runtime: Runtime,
}

impl Remote {
    /// The folder of a URL such as `s3://bucket/folder`. Variables `AWS_…` of the environment say how S3 is reached.
    ///
    /// # Errors
    /// The URL names no store that this program knows, or no folder in it.
    pub fn open(url: &str) -> Result<Self> {
        let refuse = |why: &dyn std::fmt::Display| Error::input(format!("{url}: {why}; write --out s3://BUCKET/FOLDER or file:///FOLDER"));
        let settings = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let settings = settings.filter(|(name, _)| name.starts_with("AWS_"));
        let (store, folder) = parse_url_opts(&url.parse().map_err(|e| refuse(&e))?, settings).map_err(|e| refuse(&e))?;
        if folder.filename().is_none() {
            return Err(refuse(&"names no folder"));
        }
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| Error::failed(format!("{url}: the upload cannot be prepared: {e}")))?;
        Ok(Self { url: url.into(), store, folder, runtime })
    }

    /// The URL, as it was given.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A name made from the URL, for a local folder.
    pub fn id(&self) -> String {
        format!("{:016x}", xxh3_64(self.url.as_bytes()))
    }

    /// The last name in the URL.
    pub fn name(&self) -> &str {
        self.folder.filename().unwrap_or_default()
    }

    /// Refuses a folder that holds results of another run. `identity` gives the identity that this run has on the documents with the given
    /// hash.
    ///
    /// # Errors
    /// The store cannot be read, or holds such results.
    pub fn check(&self, identity: impl FnOnce(String) -> Identity) -> Result<()> {
        let Some(manifest) = self.runtime.block_on(self.read(FILE_NAME))? else { return Ok(()) };
        let data_hash = manifest::field(&manifest, "data_hash").unwrap_or_default().trim_matches('"').to_string();
        check_ids(Path::new(&self.url), manifest::ids(&manifest), &identity(data_hash))
    }

    /// Copies a result folder, and replaces the results that are there. Files of others stay.
    ///
    /// # Errors
    /// A file cannot be read, or the store does not take it. The local folder is unchanged.
    pub fn upload(&self, results: &Path) -> Result<()> {
        self.runtime.block_on(self.replace_by(results))
    }

    async fn replace_by(&self, results: &Path) -> Result<()> {
        let files = files(results)?;
        let (last, first): (Vec<&String>, Vec<&String>) = files.iter().partition(|file| [FILE_NAME, JSON_NAME].contains(&file.as_str()));
        for manifest in [FILE_NAME, JSON_NAME] {
            self.remove(&self.at(manifest)).await?;
        }
        for file in first {
            self.copy(results, file).await?;
        }
        self.remove_parts_except(&files).await?;
        // In order of their names: the JSON comes before the RON, by which results are known.
        for file in last {
            self.copy(results, file).await?;
        }
        Ok(())
    }

    async fn copy(&self, results: &Path, name: &str) -> Result<()> {
        let (path, location) = (results.join(name), self.at(name));
        let mut file = File::open(&path).map_err(|e| lost(&path, &e))?;
        let mut piece = Vec::new();
        let mut next = |piece: &mut Vec<u8>| {
            piece.clear();
            file.by_ref().take(PIECE as u64).read_to_end(piece).map_err(|e| lost(&path, &e))
        };
        if next(&mut piece)? < PIECE {
            return self.store.put(&location, piece.into()).await.map(drop).map_err(|e| self.unwritable(name, &e));
        }
        let upload = self.store.put_multipart(&location).await.map_err(|e| self.unwritable(name, &e))?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PIECE);
        while !piece.is_empty() {
            upload.wait_for_capacity(PIECES_AT_ONCE).await.map_err(|e| self.unwritable(name, &e))?;
            upload.write(&piece);
            next(&mut piece)?;
        }
        upload.finish().await.map(drop).map_err(|e| self.unwritable(name, &e))
    }

    /// Removes the parts of earlier results that the new ones lack: readers take whatever is in a table's folder.
    async fn remove_parts_except(&self, files: &BTreeSet<String>) -> Result<()> {
        for table in Table::ALL.iter().map(|table| table.name()) {
            let found = self.store.list_with_delimiter(Some(&self.at(table))).await.map_err(|e| self.unreadable(table, &e))?;
            for location in found.objects.into_iter().map(|object| object.location) {
                let name = location.filename().unwrap_or_default();
                if is_part(name.as_ref()) && !files.contains(&format!("{table}/{name}")) {
                    self.remove(&location).await?;
                }
            }
        }
        Ok(())
    }

    async fn remove(&self, location: &Location) -> Result<()> {
        match self.store.delete(location).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(e) => Err(self.unwritable(location.filename().unwrap_or_default(), &e)),
        }
    }

    async fn read(&self, name: &str) -> Result<Option<String>> {
        let found = match self.store.get(&self.at(name)).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            found => found.map_err(|e| self.unreadable(name, &e))?,
        };
        let bytes = found.bytes().await.map_err(|e| self.unreadable(name, &e))?;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn at(&self, name: &str) -> Location {
        name.split('/').fold(self.folder.clone(), |location, part| location.join(part))
    }

    fn unreadable(&self, name: &str, e: &object_store::Error) -> Error {
        Error::storage(format!("{}/{name}: cannot be read: {e}", self.url))
    }

    fn unwritable(&self, name: &str, e: &object_store::Error) -> Error {
        Error::cannot_write(&PathBuf::from(&self.url).join(name), e)
    }
}

/// The error of a local result that cannot be read.
fn lost(path: &Path, e: &std::io::Error) -> Error {
    Error::storage(format!("{}: cannot be read: {e}", path.display()))
}

/// All files below a folder by their names there, with `/` between folders.
fn files(folder: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let mut left = vec![String::new()];
    while let Some(inside) = left.pop() {
        let path = if inside.is_empty() { folder.to_path_buf() } else { folder.join(&inside) };
        let entries = fs::read_dir(&path).and_then(Iterator::collect::<std::io::Result<Vec<_>>>).map_err(|e| lost(&path, &e))?;
        for entry in entries {
            let name = format!("{inside}{}", entry.file_name().display());
            if entry.path().is_dir() { left.push(name + "/") } else { found.extend([name]) }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
