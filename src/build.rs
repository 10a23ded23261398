//! Tells the program which commit it is built from, through the environment variable `RANKGUARD_COMMIT` of its compilation.
//!
//! This script reads git's own files, so git need not be installed. Outside of a checkout the commit is `unknown`. Cargo runs the script
//! again only when a file changes that decides where HEAD is.

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

/// The HEAD of a checkout.
pub struct Head {
    /// Its commit: 40 hexadecimal digits, or 64 in repositories that hash with SHA-256. `None` before the first commit.
    pub commit: Option<String>,
    /// The files that change when HEAD moves. All of them exist, because cargo would run the script every time for a missing file.
    pub watched: Vec<PathBuf>,
}

impl Head {
    /// The HEAD of the checkout at `root`. `None` if `root` is not its top: a checkout further up may belong to another project.
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

/// The folder with git's files. `.git` is that folder, or in a worktree a file that names it.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let named = fs::read_to_string(&git).ok()?;
    Some(root.join(named.trim().strip_prefix("gitdir: ")?))
}

/// The folder with the branches, which all worktrees share.
fn common_folder(git: &Path) -> PathBuf {
    match fs::read_to_string(git.join("commondir")) {
        Ok(named) => git.join(named.trim()),
        Err(_) => git.to_path_buf(),
    }
}

/// The commit of a branch. A branch has a file of its own, or a line in `packed-refs` until it moves again.
fn branch_commit(common: &Path, branch: &str, watched: &mut Vec<PathBuf>) -> Option<String> {
    let loose = common.join(branch);
    if let Ok(commit) = fs::read_to_string(&loose) {
        watched.push(loose);
        return Some(commit.trim().to_string()).filter(|commit| is_commit(commit));
    }
    let packed = common.join("packed-refs");
    // The next commit creates the file of the branch, which changes the nearest folder that exists.
    let folder = loose.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf);
    watched.extend([Some(packed.clone()).filter(|packed| packed.exists()), folder].into_iter().flatten());
    let lines = fs::read_to_string(packed).ok()?;
    let commit = lines.lines().find_map(|line| line.strip_suffix(branch)?.strip_suffix(' '))?;
    Some(commit.to_string()).filter(|commit| is_commit(commit))
}

fn is_commit(text: &str) -> bool {
    [40, 64].contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
