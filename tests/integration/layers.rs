//! Who may know whom.

use std::collections::BTreeMap;
use std::path::Path;

/// Module → what it may name with `crate::`. What is missing here may not exist.
const TABLE: [(&str, &str); 14] = [
    ("error", ""),
    ("units", ""),
    ("rng", ""),
    ("math", ""),
    ("network", "units rng math error"),
    ("timeline", "units rng math network"),
    ("ltr", "math"),
    ("corpus", "units rng math error"),
    ("node", "units rng math ltr corpus"),
    ("adversary", "units rng math ltr corpus node"),
    ("record", "units error"),
    ("scenario", "units rng math error corpus network ltr node adversary record"),
    ("run", "units rng math error corpus network timeline ltr node adversary record scenario"),
    ("report", "units math error corpus network record scenario run timeline"),
];

/// The files of a module, tests aside: what stands behind `#[cfg(test)]` may look anywhere.
fn sources(path: &Path, found: &mut Vec<(String, String)>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("src is readable") {
            sources(&entry.expect("an entry").path(), found);
        }
    } else if path.extension().is_some_and(|e| e == "rs") && path.file_name().is_some_and(|name| name != "tests.rs") {
        let text = std::fs::read_to_string(path).expect("source is text");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        found.push((path.display().to_string(), code));
    }
}

#[test]
fn modules_know_only_whom_they_may() {
    let table: BTreeMap<&str, Vec<&str>> = TABLE.iter().map(|(module, known)| (*module, known.split(' ').collect())).collect();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut n_modules = 0;
    for entry in std::fs::read_dir(&src).expect("src is readable") {
        let path = entry.expect("an entry").path();
        let module = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if ["lib", "main", "cli", "build", "ARCHITECTURE"].contains(&module.as_str()) {
            continue;
        }
        n_modules += 1;
        let known = table.get(module.as_str()).unwrap_or_else(|| panic!("src/{module} is not in the table"));
        let mut files = Vec::new();
        sources(&path, &mut files);
        for (file, code) in files {
            for part in code.split("crate::").skip(1) {
                let named: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                assert!(named == module || known.contains(&named.as_str()), "{file}: {module} may not know {named}");
            }
            for (word, only) in [("SeedableRng", "rng"), ("println!", ""), ("eprintln!", ""), ("print!", "")] {
                assert!(module == only || !code.contains(word), "{file}: {word} does not belong here");
            }
        }
    }
    assert!(n_modules >= 13, "only {n_modules} modules were found");
}
