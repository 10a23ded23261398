use super::super::Inputs;
use super::*;
use crate::record::Parameters;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use tempfile::{TempDir, tempdir};

/// A folder with these files, each of which holds its own name.
fn folder(files: &[&str]) -> TempDir {
    let folder = tempdir().expect("a folder");
    for file in files {
        write(folder.path(), file, file);
    }
    folder
}

fn write(folder: &Path, file: &str, content: &str) {
    let path = folder.join(file);
    fs::create_dir_all(path.parent().expect("inside")).and_then(|()| fs::write(path, content)).expect("it writes");
}

/// A folder in a store of memory.
fn in_memory() -> Remote {
    Remote::open("memory:///runs/kad").expect("it is a folder")
}

impl Remote {
    /// The names of all files below the folder.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut left = vec![self.folder.clone()];
        while let Some(folder) = left.pop() {
            let found = self.runtime.block_on(self.store.list_with_delimiter(Some(&folder))).expect("it lists");
            left.extend(found.common_prefixes);
            names.extend(found.objects.iter().map(|object| object.location.to_string().replace("runs/kad/", "")));
        }
        names.sort();
        names
    }

    fn text(&self, name: &str) -> Option<String> {
        self.runtime.block_on(self.read(name)).expect("it reads")
    }
}

const FILES: [&str; 5] = ["curve/part-00000.parquet", "manifest.json", "manifest.ron", "runs/part-00000.parquet", "timing.ron"];

#[test]
fn every_file_arrives() {
    let remote = in_memory();
    remote.upload(folder(&FILES).path()).expect("it is copied");
    assert_eq!((remote.names(), remote.name(), remote.url()), (FILES.map(String::from).into(), "kad", "memory:///runs/kad"));
    for file in FILES {
        assert_eq!(remote.text(file).as_deref(), Some(file));
    }
}

#[test]
fn earlier_results_are_replaced_and_files_of_others_stay() {
    let remote = in_memory();
    remote
        .upload(
            folder(&[&FILES[..], &["curve/part-00001.parquet", "faults/part-00000.parquet", "note.txt", "curve/note.txt"]].concat()).path(),
        )
        .expect("it is copied");
    remote.upload(folder(&FILES).path()).expect("it is copied");
    assert_eq!(remote.names(), [&["curve/note.txt"][..], &FILES[..3], &["note.txt"], &FILES[3..]].concat());
}

#[test]
fn large_files_arrive_in_pieces() {
    let local = folder(&["manifest.ron"]);
    for (n, len) in [PIECE - 1, PIECE, PIECE + 1, 3 * PIECE].into_iter().enumerate() {
        let text: String = (0..len).map(|at| char::from(b'a' + (at % 23) as u8)).collect();
        write(local.path(), &format!("models/part-0000{n}.parquet"), &text);
    }
    let remote = in_memory();
    remote.upload(local.path()).expect("it is copied");
    for file in remote.names() {
        assert!(remote.text(&file) == fs::read_to_string(local.path().join(&file)).ok(), "{file}");
    }
}

#[test]
fn a_local_url_is_a_folder() {
    let parent = tempdir().expect("a folder");
    let url = format!("file://{}/there/kad", parent.path().display());
    let remote = Remote::open(&url).expect("it is a folder");
    remote.upload(folder(&FILES).path()).expect("it is copied");
    assert_eq!(files(&parent.path().join("there/kad")).expect("it lists"), FILES.map(String::from).into());
    let store = LocalFileSystem::new_with_prefix(parent.path()).expect("it is a folder");
    assert!(remote.runtime.block_on(store.head(&"there/kad/manifest.ron".into())).is_ok());
}

#[test]
fn without_its_last_file_an_upload_has_no_manifest() {
    let local = folder(&FILES);
    let remote = in_memory();
    remote.upload(local.path()).expect("it is copied");
    fs::remove_file(local.path().join("timing.ron")).expect("it is removed");
    std::os::unix::fs::symlink("nowhere", local.path().join("timing.ron")).expect("it is linked");
    let problem = remote.upload(local.path()).expect_err("a file cannot be read");
    assert!(problem.to_string().contains("timing.ron: cannot be read"), "{problem}");
    assert_eq!((remote.text("manifest.ron"), remote.text("manifest.json")), (None, None));
}

#[test]
fn results_of_another_run_are_refused() {
    let identity = |name: &'static str| {
        move |data_hash| Identity::new("(nodes: 3)", name, 1, Parameters::default(), &Inputs { data_hash, files: Default::default() })
    };
    let there = identity("one")("d1".into());
    let local = folder(&[]);
    let ids = format!("(\n    run_id: \"{}\",\n    result_id: \"{}\",\n", there.key.run_id, there.result_id);
    write(local.path(), FILE_NAME, &format!("{ids}    inputs: (\n        data_hash: \"d1\",\n    ),\n)"));
    let remote = in_memory();
    assert_eq!(remote.check(identity("one")), Ok(()), "nothing is there yet");
    remote.upload(local.path()).expect("it is copied");
    assert_eq!(remote.check(identity("one")), Ok(()));
    let problem = remote.check(identity("other")).expect_err("it is another result");
    let expect = "memory:///runs/kad: holds this run under another name, with other tables, or by another version; choose another --out";
    assert!(problem.to_string().starts_with(expect) && problem.exit_code() == 2, "{problem}");
}

#[test]
fn what_cannot_be_used_says_why() {
    for (url, expect) in [
        ("memory:///", "memory:///: names no folder; write --out s3://BUCKET/FOLDER or file:///FOLDER"),
        ("s3://bucket", "s3://bucket: names no folder; write"),
        ("ftp://host/folder", "ftp://host/folder: "),
        ("gs://bucket/folder", "gs://bucket/folder: "),
        ("://", "://: "),
    ] {
        let problem = Remote::open(url).expect_err("it is refused");
        assert!(problem.to_string().starts_with(expect) && problem.exit_code() == 2, "{problem}");
    }
    let missing = in_memory().upload(Path::new("no/such/folder")).expect_err("there is nothing to copy");
    assert!(missing.to_string().contains("no/such/folder: cannot be read"), "{missing}");
    let store: Box<dyn ObjectStore> = Box::new(InMemory::new());
    assert_eq!(Remote { store, ..in_memory() }.names(), [""; 0]);
}
