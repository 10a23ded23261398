//! The paper's experiments from the command line.

use crate::sweeps::Desk;
use std::fs;

#[test]
fn experiments_are_listed_with_their_data_and_cost() {
    let desk = Desk::new();
    let said = desk.call("paper list", 0, &["motivation: ", "sessions-needed: ", "on WEB30K-stand-in", "A stand-in is synthetic data"]);
    assert!(said.contains("on Istella-stand-in"), "{said}");
    let json = desk.call("paper list --quick --json", 0, &["\"is_stand_in\": true"]);
    let entries: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert!(entries.as_array().is_some_and(|entries| entries.len() >= 10), "{json}");
    desk.call("paper list --data Bing", 2, &["--data Bing: is none of WEB30K, MQ2007"]);
    desk.call("paper list --data MQ2008", 2, &["data/MQ2008/Fold1: holds no train.txt and test.txt"]);
    desk.call("paper list --reading verbatim", 2, &["--reading verbatim: is none of adapt, as-reported, "]);
    let one = desk.call("paper list --reading detached --seeds 1", 0, &["motivation: "]);
    assert!(one.split_whitespace().collect::<Vec<_>>().join(" ").contains("on WEB30K-stand-in 3 runs, about "), "{one}");
    desk.call("paper list --seeds 0", 2, &["invalid value '0'"]);
    desk.call("paper run magic", 2, &["there is no experiment `magic`; the experiments are motivation, robustness"]);
}

#[test]
fn an_experiment_runs_on_data_of_ones_own_once() {
    let desk = Desk::new();
    desk.supply_data();
    fs::create_dir_all(desk.path("data/MQ2008")).expect("a folder");
    fs::rename(desk.path("nowhere"), desk.path("data/MQ2008/Fold1")).expect("it moves");
    let command = "paper run motivation sessions-needed --quick --data MQ2008 --out out";
    desk.call(command, 0, &["motivation on MQ2008-Fold1: accuracy", "9 runs of 1 task", "results are in out"]);
    for reading in ["literal", "detached", "as-reported"] {
        desk.call(&format!("table out/MQ2008-Fold1/motivation/{reading} --rows attack"), 0, &["FLIP", "LIE", "IPM"]);
    }
    let alpha = fs::read_to_string(desk.path("out/MQ2008-Fold1/sessions-needed/alpha.csv")).expect("it is written");
    assert!(alpha.starts_with("form,sessions,alpha_mean,alpha_sd,seeds\n\"step, epsilon 1\",1,0.5,0,50\n"), "{alpha}");
    let before = desk.bytes("out/MQ2008-Fold1");
    desk.call(command, 0, &[]);
    assert_eq!(desk.bytes("out/MQ2008-Fold1"), before);
    reports(&desk);
}

/// What was run is reported, what was not is named, and nobody's file is replaced.
fn reports(desk: &Desk) {
    let command = "paper report out --out page.html --markdown page.md --figures figures";
    desk.call(command, 0, &["On MQ2008-Fold1, ", " of the paper's claims", "page.html ("]);
    let read = |name: &str| fs::read_to_string(desk.path(name)).expect("it is written");
    let (page, text) = (read("page.html"), read("page.md"));
    for part in ["The paper&#39;s claims", "Accuracy without a defence: MQ2008-Fold1", "The weight of a poisoned model: MQ2008-Fold1"] {
        assert!(page.contains(part) || page.contains(&part.replace("&#39;", "'")), "{part}");
    }
    for part in [
        "| the paper says | MQ2008-Fold1 |",
        "- MQ2008-Fold1, detached: **",
        "Not run: `rankguard paper run robustness` does it.",
        "Some runs have 3000 sessions instead of the paper's 30,000",
        "| step, epsilon 1 | ",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
    assert!(desk.path("figures/motivation-mq2008-fold1.svg").is_file());
    desk.call(command, 0, &[]);
    assert_eq!((read("page.html"), read("page.md")), (page, text), "the same results give the same bytes");
    let json: serde_json::Value = serde_json::from_str(&desk.call("paper report out --json", 0, &[])).expect("it is JSON");
    let verdict =
        |id: &str| json.as_array().and_then(|all| all.iter().find(|said| said["claim"] == id)).map(|said| said["verdict"].clone());
    assert_eq!(verdict("none-collapses"), Some("NotRun".into()));
    assert!(verdict("flip-below-random").is_some_and(|verdict| verdict != "NotRun"), "{json}");
    fs::write(desk.path("mine.md"), "# Mine\n").expect("it writes");
    desk.call("paper report out --markdown mine.md", 2, &["mine.md: was not written by this command and is not replaced"]);
    desk.call("paper report data", 2, &["data: holds no experiment of the paper; do experiments first"]);
    desk.call("paper report nowhere-at-all", 2, &["nowhere-at-all: "]);
    fs::write(desk.path("out/MQ2008-Fold1/sessions-needed/alpha.csv"), "form\nx\n").expect("it writes");
    desk.call("paper report out", 2, &["alpha.csv:2: is not a line of this program; remove the file"]);
}
