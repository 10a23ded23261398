//! Decides whether a run may replace a folder: it may if the folder is absent, empty, or an earlier result. Files of others are never
//! deleted.

use super::Identity;
use super::folders::{is_mount_point, is_writable};
use super::manifest::{self, FILE_NAME};
use super::ours::in_the_way;
use crate::error::{Error, Result};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder a user asked for.
#[derive(Debug)]
pub struct Target {
    /// The path as the user wrote it, for messages.
    pub dir: PathBuf,
    /// The absolute path, with links followed.
    pub path: PathBuf,
}

impl Target {
    pub fn new(dir: &Path) -> Result<Self> {
        let path = fs::canonicalize(dir).or_else(|_| std::path::absolute(dir));
        let path = path.map_err(|e| Error::input(format!("{}: is not a path: {e}; choose another --out", dir.display())))?;
        Ok(Self { dir: dir.to_path_buf(), path })
    }

    pub fn parent_and_name(&self) -> Result<(&Path, &OsStr)> {
        self.path.parent().zip(self.path.file_name()).ok_or_else(|| self.refuse("names no folder; choose another --out"))
    }

    /// Fails unless the folder can hold results.
    pub fn check(&self) -> Result<()> {
        let is_empty = match fs::read_dir(&self.path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(e) if e.kind() == ErrorKind::NotFound && !self.path.is_symlink() => return Ok(()),
            Err(e) if e.kind() == ErrorKind::NotADirectory => return Err(self.refuse("is not a folder; choose another --out")),
            Err(e) => return Err(self.refuse(&format!("cannot be read: {e}; choose another --out"))),
        };
        if std::env::current_dir().is_ok_and(|here| here.starts_with(&self.path)) {
            return Err(
                self.refuse("is the folder you are in, or one around it, and cannot be replaced; choose a folder inside it as --out")
            );
        }
        if is_mount_point(&self.path) {
            return Err(self.refuse("is a mount point and cannot be replaced; choose a folder inside it as --out"));
        }
        if !is_empty {
            self.check_content()?;
        }
        is_writable(&self.path).map_err(|e| self.refuse(&format!("cannot be written: {e}; choose another --out")))
    }

    fn check_content(&self) -> Result<()> {
        if manifest::read_ids(&self.path).is_none() {
            return Err(match self.path.join(FILE_NAME).exists() {
                true => self.refuse(&format!("its {FILE_NAME} names no run; choose another --out")),
                false => self.refuse(&format!("is not empty and holds no {FILE_NAME}; choose another --out")),
            });
        }
        match in_the_way(&self.path) {
            Ok(None) => Ok(()),
            Ok(Some(name)) => Err(self.refuse(&format!("its `{name}` is in the way of new results; move it or choose another --out"))),
            Err(e) => Err(self.refuse(&format!("cannot be read: {e}; choose another --out"))),
        }
    }

    /// Fails if the folder holds results of another run.
    pub fn check_identity(&self, identity: &Identity) -> Result<()> {
        check_ids(&self.dir, manifest::read_ids(&self.path), identity)
    }

    fn refuse(&self, why: &str) -> Error {
        Error::input(format!("{}: {why}", self.dir.display()))
    }
}

/// Fails if the run and the results that are in a folder have other names than these.
pub fn check_ids(folder: &Path, there: Option<(String, Option<String>)>, identity: &Identity) -> Result<()> {
    let Some((run_id, result_id)) = there else { return Ok(()) };
    let what = if result_id.as_ref() == Some(&identity.result_id) {
        return Ok(());
    } else if run_id == identity.key.run_id {
        "holds this run under another name, with other tables, or by another version".into()
    } else {
        let id: String = run_id.chars().take(9).collect();
        format!("holds results of another scenario or of other data ({id}…)")
    };
    Err(Error::input(format!("{}: {what}; choose another --out or pass --overwrite", folder.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[track_caller]
    fn refuse(dir: &Path, why: &str) {
        let target = Target::new(dir).expect("it is a path");
        let problem = target.parent_and_name().map(drop).and_then(|()| target.check()).expect_err("it is refused");
        assert_eq!((problem.to_string(), problem.exit_code()), (format!("{}: {why}", dir.display()), 2));
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let root = tempdir().expect("a folder");
        fs::write(root.path().join("file"), "").expect("it writes");
        refuse(&root.path().join("file"), "is not a folder; choose another --out");
        refuse(root.path(), "is not empty and holds no manifest.ron; choose another --out");
        fs::write(root.path().join(FILE_NAME), "(tasks: [])").expect("it writes");
        refuse(root.path(), "its manifest.ron names no run; choose another --out");
        fs::write(root.path().join(FILE_NAME), "(\n    run_id: \"r1\",\n)").expect("it writes");
        fs::write(root.path().join("curve"), "").expect("it writes");
        refuse(root.path(), "its `curve` is in the way of new results; move it or choose another --out");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_cannot_be_moved_is_refused() {
        refuse(Path::new("/"), "names no folder; choose another --out");
        refuse(Path::new("."), "is the folder you are in, or one around it, and cannot be replaced; choose a folder inside it as --out");
        refuse(Path::new(".."), "is the folder you are in, or one around it, and cannot be replaced; choose a folder inside it as --out");
        refuse(Path::new("/proc"), "is a mount point and cannot be replaced; choose a folder inside it as --out");
    }

    #[test]
    #[cfg(unix)]
    fn a_link_to_nowhere_is_refused() {
        let root = tempdir().expect("a folder");
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path().join("nowhere"), &link).expect("it is linked");
        refuse(&link, "cannot be read: No such file or directory (os error 2); choose another --out");
    }

    #[test]
    #[cfg(unix)]
    fn a_folder_without_write_permission_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempdir().expect("a folder");
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o555)).expect("it is protected");
        let superuser = is_writable(root.path()).is_ok();
        if !superuser {
            refuse(root.path(), "cannot be written: Permission denied (os error 13); choose another --out");
        }
    }
}
