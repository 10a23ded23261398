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
}
