//! Which module may use which: the table of layers, held against every line of src.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Module → what it may name with `crate::`. What is missing here may not exist.
const TABLE: [(&str, &str); 26] = [
    ("error", ""),
    ("fields", "error"),
    ("files", "units"),
    ("machine", ""),
    ("units", "fields"),
    ("rng", ""),
    ("instructions", ""),
    ("math", "instructions"),
    ("network", "fields units rng math instructions error files"),
    ("timeline", "units rng math network"),
    ("ltr", "instructions math"),
    ("corpus", "fields units rng instructions math error files"),
    ("node", "fields units rng instructions math ltr corpus"),
    ("adversary", "fields units rng math ltr corpus network node"),
    ("pulse", ""),
    ("record", "fields error instructions"),
    ("results", "fields error record"),
    ("report", "units math error files corpus network node adversary record results"),
    ("scenario", "fields units rng error files corpus network node adversary record"),
    ("world", "units rng error machine corpus network timeline ltr node adversary record results scenario"),
    ("learn", "units error pulse corpus network timeline ltr node adversary record world"),
    ("measure", "units rng math pulse corpus network timeline ltr adversary record learn"),
    ("run", "units error pulse machine corpus timeline record results scenario world learn measure"),
    ("sweep", "units error files machine corpus record results scenario world run pulse fields"),
    ("paper", "units rng math error corpus ltr node adversary record results report scenario world sweep"),
    ("bench", "units rng instructions math error machine corpus timeline ltr node measure record run scenario world"),
];

/// A text without the items behind `#[cfg(test)]`, which may look anywhere, and the names of those that are files of their own.
///
/// It relies on rustfmt: an item ends with the first line of its own indentation that closes it.
fn without_tests(text: &str) -> (String, Vec<String>) {
    let (mut code, mut files) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() != "#[cfg(test)]" {
            code += line;
            code.push('\n');
            continue;
        }
        let indentation = &line[..line.len() - line.trim_start().len()];
        for line in lines.by_ref() {
            let Some(item) = line.strip_prefix(indentation).filter(|item| !item.starts_with([' ', '#'])) else { continue };
            files.extend(item.strip_prefix("mod ").and_then(|item| item.strip_suffix(';')).map(String::from));
            if item.ends_with(';') || item.ends_with('}') || item.starts_with('}') {
                break;
            }
        }
    }
    (code, files)
}

/// What a module named in `file` would be called: `a/mod.rs` and `a.rs` both keep theirs in `a/`.
fn file_of(file: &Path, module: &str) -> PathBuf {
    let folder = if file.ends_with("mod.rs") { file.parent().expect("a folder").to_owned() } else { file.with_extension("") };
    folder.join(format!("{module}.rs"))
}

/// The files of a module with their code, tests aside.
fn sources(path: &Path) -> BTreeMap<PathBuf, String> {
    let (mut found, mut tests, mut left) = (BTreeMap::new(), BTreeSet::new(), vec![path.to_owned()]);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).expect("src is readable").map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|e| e == "rs") {
            let (code, test_files) = without_tests(&std::fs::read_to_string(&path).expect("source is text"));
            tests.extend(test_files.iter().map(|module| file_of(&path, module)));
            found.insert(path, code);
        }
    }
    found.retain(|path, _| !tests.contains(path));
    found
}

/// The modules of the crate that a text names, by `crate::…` or by climbing out of its own module with `super::`, which nobody should.
fn known_to(code: &str, depth: usize) -> BTreeSet<String> {
    let name = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut named: BTreeSet<String> = code.split("crate::").skip(1).map(name).collect();
    if code.contains(&"super::".repeat(depth + 1)) {
        named.insert("what lies above it, by `super::`".into());
    }
    // `use crate::{a, b}` would hide its names.
    if named.remove("") {
        named.insert("several modules at once; write one `crate::` path each".into());
    }
    named
}

#[track_caller]
fn check(text: &str, expect: &[&str]) {
    let (code, _) = without_tests(text);
    assert_eq!(known_to(&code, 1).iter().map(String::as_str).collect::<Vec<_>>(), expect, "{code}");
}

#[test]
fn only_tests_themselves_are_left_out() {
    check("#[cfg(test)]\nmod shipped;\nuse crate::node;\n", &["node"]);
    check("#[cfg(test)]\nmod tests {\n    use crate::run;\n}\nuse crate::node;\n", &["node"]);
    check(
        "impl A {\n    #[cfg(test)]\n    #[allow(x)]\n    fn a() {\n        crate::run::b();\n    }\n\n    fn c() -> crate::node::D {}\n}\n",
        &["node"],
    );
    check("#[cfg(test)]\nuse crate::run::{\n    a,\n};\nuse crate::node::b;\n", &["node"]);
    check("use super::super::run;\n", &["what lies above it, by `super::`"]);
    check("use crate::{node, run};\n", &["several modules at once; write one `crate::` path each"]);
    assert_eq!(without_tests("#[cfg(test)]\nmod shipped;\n#[cfg(test)]\nmod tests {\n}\n").1, ["shipped"]);
}

#[test]
fn modules_know_only_whom_they_may() {
    let table: BTreeMap<&str, Vec<&str>> = TABLE.iter().map(|(module, known)| (*module, known.split_whitespace().collect())).collect();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut modules = BTreeSet::new();
    for entry in std::fs::read_dir(&src).expect("src is readable") {
        let path = entry.expect("an entry").path();
        let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if ["lib", "main", "cli", "build", "ARCHITECTURE"].contains(&module.as_str()) {
            continue;
        }
        let known = table.get(module.as_str()).unwrap_or_else(|| panic!("src/{module} is not in the table"));
        for (file, code) in sources(&path) {
            let below = file.strip_prefix(&src).expect("it is below").components().count();
            let depth = if below == 1 || file.ends_with("mod.rs") { below.saturating_sub(2) } else { below - 1 };
            let file = file.display();
            for named in known_to(&code, depth) {
                assert!(named == module || known.contains(&named.as_str()), "{file}: {module} may not know {named}");
            }
            for (word, only) in [("SeedableRng", "rng"), ("println!", ""), ("eprintln!", ""), ("print!", "")] {
                assert!(module == only || !code.contains(word), "{file}: {word} does not belong here");
            }
        }
        modules.insert(module);
    }
    assert_eq!(modules, table.keys().map(ToString::to_string).collect(), "the table and src name the same modules");
}
