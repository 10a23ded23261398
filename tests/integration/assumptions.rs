//! The README's table of assumptions against the `CHOICE` marks in the code, and the three readings of the paper.

use rankguard::adversary::{Attack, LieZ, MaliciousAggregate};
use rankguard::node::Defense;
use rankguard::node::defend::Assumed;
use rankguard::node::defend::pooled::Center;
use rankguard::paper::{Experiment, Work};
use rankguard::scenario::Scenario;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// All files below a folder that end so, with their text.
fn texts(folder: &str, extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let (mut left, mut found) = (vec![root().join(folder)], Vec::new());
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).expect("it is readable").map(|entry| entry.expect("an entry").path()));
        } else if path.extension().is_some_and(|e| extensions.iter().any(|extension| e == *extension)) {
            let text = std::fs::read_to_string(&path).expect("it is text");
            found.push((path, text));
        }
    }
    found
}

/// The names of all `// CHOICE(name): …` in the code.
fn marks() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (path, text) in texts("src", &["rs"]) {
        for rest in text.split("// CHOICE").skip(1) {
            let name = rest.strip_prefix('(').and_then(|rest| rest.split_once("): "));
            let (name, _) =
                name.unwrap_or_else(|| panic!("{}: write `// CHOICE(name): …` and give `name` a row in README.md", path.display()));
            names.insert(name.to_owned());
        }
    }
    names
}

/// The names in the last column of every row of the README's assumptions, row by row.
fn rows(readme: &str) -> Vec<Vec<&str>> {
    let (_, section) = readme.split_once("\n## Assumptions\n").expect("it is there");
    let section = section.split("\n## ").next().expect("it begins");
    let rows = section.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| question"));
    rows.map(|row| row.trim_end_matches(" |").rsplit(" | ").next().expect("a column").split('`').skip(1).step_by(2).collect()).collect()
}

#[test]
fn every_choice_in_the_code_has_a_row_and_every_row_a_choice_or_a_field() {
    let (readme, reference, marks) = (read("README.md"), read("scenarios/FIELDS.md"), marks());
    let rows = rows(&readme);
    assert!(rows.len() > 30 && marks.len() > 20, "{} rows, {} marks", rows.len(), marks.len());
    let is_field = |name: &str| reference.contains(&format!("`{name}`"));
    for row in &rows {
        assert!(!row.is_empty(), "a row names neither a mark nor a field");
        for name in row {
            let field = name.rsplit('.').next().expect("a name");
            assert!(marks.contains(*name) || is_field(field), "README.md: `{name}` is neither a CHOICE in src nor a field of a scenario");
        }
    }
    for mark in &marks {
        assert!(rows.iter().any(|row| row.contains(&mark.as_str())), "CHOICE({mark}) has no row in README.md");
    }
}

/// What tells how much a choice matters in the paper's setting.
enum Shown {
    /// The sweep of scenarios/paper/assumptions that switches it.
    By(&'static str),
    /// Nothing, for this reason.
    Not(&'static str),
}

use Shown::{By, Not};

const FIXED: &str = "it is not a field: the code has one way";
const ROUNDS: &str = "it changes nothing in rounds without delay and churn";
const OTHER: &str = "the paper has no such attackers";
const CLAIMS: &str = "it draws the line of a claim, and changes no run";
const FIGURES: &str = "it changes how a figure is computed, not what is learned";

/// Every field or mark of the README's assumptions, and what shows how much it matters.
const CHOICES: [(&str, Shown); 61] = [
    ("malicious_aggregate", By("attackers-merge")),
    ("when_undecided", By("rankguard")),
    ("z", By("lie")),
    ("form", By("ipm")),
    ("skipped-queries", Not(FIGURES)),
    ("ties", Not(FIXED)),
    ("certain", Not(FIXED)),
    ("empty_sessions", By("rankguard")),
    ("rand-floor", Not("the floor is not a field; rankguard-rand.ron switches the share above it")),
    ("history", By("rankguard")),
    ("two-grades", Not("none of the paper's data sets has two grades")),
    ("poison-clicks", Not(FIXED)),
    ("assumed", By("cs")),
    ("center", By("gts")),
    ("cs-plus", Not(FIXED)),
    ("divisor", By("gts")),
    ("own", By("cwtm")),
    ("replay", Not(FIXED)),
    ("lie-ddof", Not(FIXED)),
    ("lie-population", Not(ROUNDS)),
    ("one-look", Not("the messages of a turn share their moment; lie.ron switches `survey`")),
    ("survey", By("lie")),
    ("ipm-query", Not(FIXED)),
    ("adapt-epochs", Not(FIXED)),
    ("send", By("adapt")),
    ("crafted-age", Not(FIGURES)),
    ("churn", Not(ROUNDS)),
    ("sittings", Not(ROUNDS)),
    ("latency", Not(ROUNDS)),
    ("absence.timers", Not(ROUNDS)),
    ("absence.messages", Not(ROUNDS)),
    ("absence.in_flight", Not(ROUNDS)),
    ("absence.state", Not(ROUNDS)),
    ("absence.identity", Not(ROUNDS)),
    ("message-size", Not(FIGURES)),
    ("worst5", Not(FIGURES)),
    ("first-message", Not(FIXED)),
    ("collapse", Not(CLAIMS)),
    ("indistinguishable", Not(CLAIMS)),
    ("converged", Not(CLAIMS)),
    ("no-weight", Not(CLAIMS)),
    ("mix", Not(OTHER)),
    ("stale-young", Not(OTHER)),
    ("stale-lost", Not(OTHER)),
    ("fork", Not("the paper's runs are not forked")),
    ("meanwhile", Not(OTHER)),
    ("pairwise", Not(FIXED)),
    ("balance-time", Not("it is not a field; balance.ron switches the horizon")),
    ("horizon", By("balance")),
    ("gamma", By("balance")),
    ("sketch", Not(FIXED)),
    ("width", By("sketchguard")),
    ("zeno-validation", Not(FIXED)),
    ("zeno-norm", Not(FIXED)),
    ("sentinel-loss", Not(FIXED)),
    ("sentinel-layers", Not(FIXED)),
    ("sentinel-norm", Not(FIXED)),
    ("no-evidence", Not(FIXED)),
    ("weight_limit", By("weight-limit")),
    ("finite", Not(FIXED)),
    ("dataset", Not("every experiment runs on the set that `--data` names")),
];

#[test]
fn every_choice_is_switched_by_a_sweep_or_has_a_reason_not_to_be() {
    let readme = read("README.md");
    let named: BTreeSet<&str> = rows(&readme).concat().into_iter().collect();
    assert_eq!(named, CHOICES.iter().map(|(name, _)| *name).collect(), "the README's assumptions and this list name the same");
    let marks = marks();
    for (name, shown) in CHOICES {
        match shown {
            By(sweep) => {
                let text = read(&format!("scenarios/paper/assumptions/{sweep}.ron"));
                let choices = text.split_once("\"choice\"").map_or("", |(_, choices)| choices);
                assert!(choices.contains(&format!("{name}: ")), "{sweep}.ron does not switch {name}");
            }
            Not(FIXED) => assert!(marks.contains(name), "{name} is a field"),
            Not(reason) => assert!(!reason.is_empty()),
        }
    }
}

#[test]
fn every_sweep_of_a_choice_is_part_of_the_experiment() {
    let Some(Work::Sweeps(sweeps)) = Experiment::named("assumptions").map(|experiment| &experiment.work) else { panic!("it has sweeps") };
    let files: BTreeSet<String> = texts("scenarios/paper/assumptions", &["ron"])
        .iter()
        .map(|(path, _)| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, sweeps.iter().map(|sweep| sweep.name.to_string()).collect());
}

#[test]
fn only_the_equation_whose_number_is_known_has_one() {
    for (path, text) in texts("src", &["rs"]) {
        for line in text.lines().filter(|line| line.contains("PAPER") && line.contains("eq.")) {
            assert!(line.contains("eq. (2)") && path.ends_with("plackett_luce.rs"), "{}: {line}", path.display());
        }
    }
}

fn reading(name: &str) -> Scenario {
    let scenario = Scenario::read(&root().join(format!("scenarios/paper/{name}.ron"))).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(scenario.name, name);
    scenario
}

#[test]
fn the_three_readings_are_what_their_names_say() {
    let (literal, detached, reported) = (reading("literal"), reading("detached"), reading("as-reported"));
    assert_eq!(literal.malicious_aggregate, Some(MaliciousAggregate::Always));
    let differing = (detached.name.clone(), detached.malicious_aggregate);
    assert_eq!(differing.1, Some(MaliciousAggregate::Never));
    assert_eq!(Scenario { name: differing.0, malicious_aggregate: differing.1, ..literal.clone() }, detached);
    assert!(matches!(literal.attack, Attack::Lie { z: LieZ::Majority, .. }));
    assert_eq!(literal.defense, Defense::Cs { assumed: Assumed::ShareOfNodes, center: Center::Own });
    assert_eq!(reported.malicious_aggregate, Some(MaliciousAggregate::PooledOnly));
    assert!(matches!(reported.attack, Attack::Lie { z: LieZ::OneMinusBeta, .. }));
    assert_eq!(reported.defense, Defense::Cs { assumed: Assumed::Count(2), center: Center::Median });
    let others = |scenario: Scenario| Scenario {
        name: String::new(),
        malicious_aggregate: None,
        attack: Attack::Flip,
        defense: Defense::Local,
        ..scenario
    };
    assert_eq!(others(literal), others(reported));
}

#[test]
fn whoever_uses_what_was_inferred_says_so() {
    let mut users: Vec<(PathBuf, String)> = texts("scenarios", &["ron", "md"]);
    users.push((root().join("README.md"), read("README.md")));
    assert!(users.len() > 10);
    for (path, text) in users {
        assert!(!text.contains("does not say whether attackers"), "{}", path.display());
        assert!(!text.contains("as-reported") || text.contains("after the fact"), "{} uses as-reported", path.display());
    }
}
