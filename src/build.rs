//! Tells the program which commit it was built from, as the environment variable `RANKGUARD_COMMIT` of its compilation.
//!
//! Git's own files are read, so that no git has to be installed; outside of a checkout the commit is `unknown`. Cargo runs this again only
//! when one of the files changes that say where HEAD is.

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=src/build.rs");
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let head = Head::of(&root);
    for file in head.iter().flat_map(|head| &head.watched) {
        println!("cargo:rerun-if-changed={}", file.display());
    }
    println!("cargo:rustc-env=RANKGUARD_COMMIT={}", head.and_then(|head| head.commit).unwrap_or_else(|| "unknown".into()));
}

/// Where a checkout's HEAD is.
pub struct Head {
    /// 40 hexadecimal digits (64 in repositories that hash with SHA-256); nothing before the first commit.
    pub commit: Option<String>,
    /// What changes when it moves. All of it exists: cargo would run again every time for a file that does not.
    pub watched: Vec<PathBuf>,
}

impl Head {
    /// Nothing if `root` is not the top of a checkout: a folder around it may be another project's.
    pub fn of(root: &Path) -> Option<Self> {
        let git = git_folder(root)?;
        let head_file = git.join("HEAD");
        let head = fs::read_to_string(&head_file).ok()?;
        let mut watched = vec![head_file];
        let commit = match head.trim().strip_prefix("ref: ") {
            None => is_commit(head.trim()).then(|| head.trim().to_string()),
            Some(branch) => branch_commit(&common_folder(&git), branch, &mut watched),
        };
        Some(Self { commit, watched })
    }
}

/// `.git` is a folder, or in a worktree a file that names one.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let named = fs::read_to_string(&git).ok()?;
    Some(root.join(named.trim().strip_prefix("gitdir: ")?))
}

/// Branches are kept once for all worktrees.
fn common_folder(git: &Path) -> PathBuf {
    match fs::read_to_string(git.join("commondir")) {
        Ok(named) => git.join(named.trim()),
        Err(_) => git.to_path_buf(),
    }
}

/// A branch has a file of its own, or a line in `packed-refs` until it moves again.
fn branch_commit(common: &Path, branch: &str, watched: &mut Vec<PathBuf>) -> Option<String> {
    let loose = common.join(branch);
    if let Ok(commit) = fs::read_to_string(&loose) {
        watched.push(loose);
        return Some(commit.trim().to_string()).filter(|commit| is_commit(commit));
    }
    let packed = common.join("packed-refs");
    // The next commit makes the branch's file: its nearest folder changes then.
    let folder = loose.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf);
    watched.extend([Some(packed.clone()).filter(|packed| packed.exists()), folder].into_iter().flatten());
    let lines = fs::read_to_string(packed).ok()?;
    let commit = lines.lines().find_map(|line| line.strip_suffix(branch)?.strip_suffix(' '))?;
    Some(commit.to_string()).filter(|commit| is_commit(commit))
}

fn is_commit(text: &str) -> bool {
    [40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
