//! Which folder a run may replace: an absent or empty one, or an earlier result. We never delete what is not ours.

use super::folders::{is_mount_point, is_writable};
use super::manifest::{self, FILE_NAME};
use crate::error::{Error, Result};
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folder a user asked for, and the run that is to fill it.
#[derive(Debug)]
pub struct Target {
    /// As the user wrote it, for messages.
    pub dir: PathBuf,
    /// Absolute, links followed.
    pub path: PathBuf,
    run_id: String,
    overwrite: bool,
}

impl Target {
    pub fn new(dir: &Path, run_id: &str, overwrite: bool) -> Result<Self> {
        let path = fs::canonicalize(dir).or_else(|_| std::path::absolute(dir));
        let path = path.map_err(|e| Error::input(format!("{}: is not a path: {e}; choose another --out", dir.display())))?;
        Ok(Self { dir: dir.to_path_buf(), path, run_id: run_id.to_string(), overwrite })
    }

    pub fn parent_and_name(&self) -> Result<(&Path, &OsStr)> {
        self.path.parent().zip(self.path.file_name()).ok_or_else(|| self.refuse("names no folder; choose another --out"))
    }

    /// Whether the results of the run may stand here.
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
        match manifest::read_run_id(&self.path) {
            Some(id) if id == self.run_id || self.overwrite => Ok(()),
            Some(id) => {
                let id: String = id.chars().take(9).collect();
                Err(self.refuse(&format!("holds results of another scenario ({id}…); choose another --out or pass --overwrite")))
            }
            None if self.path.join(FILE_NAME).exists() => Err(self.refuse(&format!("its {FILE_NAME} names no run; choose another --out"))),
            None => Err(self.refuse(&format!("is not empty and holds no {FILE_NAME}; choose another --out"))),
        }
    }

    fn refuse(&self, why: &str) -> Error {
        Error::input(format!("{}: {why}", self.dir.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::tempdir;

    #[track_caller]
    fn refuse(dir: &Path, why: &str) {
        let target = Target::new(dir, "h1", true).expect("it is a path");
        let problem = target.parent_and_name().map(drop).and_then(|()| target.check()).expect_err("it is refused");
        assert_eq!((problem.to_string(), problem.exit_code()), (format!("{}: {why}", dir.display()), 2));
    }

    #[test]
    fn what_is_not_ours_is_refused_even_with_overwrite() {
        let root = tempdir().expect("a folder");
        fs::write(root.path().join("file"), "").expect("it writes");
        refuse(&root.path().join("file"), "is not a folder; choose another --out");
        refuse(root.path(), "is not empty and holds no manifest.ron; choose another --out");
        fs::write(root.path().join(FILE_NAME), "(tasks: [])").expect("it writes");
        refuse(root.path(), "its manifest.ron names no run; choose another --out");
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
