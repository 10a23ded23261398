//! The scripts of scenarios/paper, and the facts that they rely on.

use crate::support::{corpus, finish, scenario};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const ATTACKS: [&str; 4] = ["Flip", "Lie(z: Majority)", "Ipm(form: Step, epsilon: 10.0)", "Ipm(form: NegatedModel, epsilon: 10.0)"];

/// nDCG over honest nodes at every evaluation, bit by bit.
fn curve(defense: &str, attack: &str, merging: &str) -> Vec<[u64; 3]> {
    let scenario = scenario(&[("defense", defense), ("attack", attack), ("malicious_aggregate", merging), ("record", "()")]);
    let (_, rows) = finish(&scenario, &corpus(), 2);
    rows.curve.iter().map(|row| [row.ndcg_mean, row.ndcg_sd, row.ndcg_worst5].map(f64::to_bits)).collect()
}

#[test]
fn no_attack_and_no_reading_touches_oracle_and_local() {
    for defense in ["Oracle", "Local"] {
        let first = curve(defense, ATTACKS[0], "Never");
        for attack in ATTACKS {
            for merging in ["Never", "Always"] {
                assert_eq!(curve(defense, attack, merging), first, "{defense}, {attack}, {merging}");
            }
        }
    }
}

#[test]
fn whether_attackers_merge_concerns_flip_alone() {
    for defense in ["RankGuard(kappa: 4.0)", "Cs()", "Undefended"] {
        for attack in &ATTACKS[1..] {
            assert_eq!(curve(defense, attack, "Never"), curve(defense, attack, "Always"), "{defense}, {attack}");
        }
        assert_ne!(curve(defense, ATTACKS[0], "Never"), curve(defense, ATTACKS[0], "Always"), "{defense}");
    }
}

#[test]
fn attackers_that_pool_merge_as_if_always_where_rules_pool_and_never_elsewhere() {
    assert_eq!(curve("Cs()", "Flip", "PooledOnly"), curve("Cs()", "Flip", "Always"));
    assert_eq!(curve("Undefended", "Flip", "PooledOnly"), curve("Undefended", "Flip", "Never"));
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/paper").join(name)
}

/// A script's output, with tiny data in `data` of the folder it starts in.
fn run(desk: &TempDir, name: &str, arguments: &[&str]) -> String {
    let output = Command::new("bash")
        .arg(script(name))
        .args(arguments)
        .args(if name == "table" { &[][..] } else { &["--threads", "1"] })
        .env("RANKGUARD", env!("CARGO_BIN_EXE_rankguard"))
        .current_dir(desk.path())
        .output()
        .expect("bash is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn desk() -> TempDir {
    let desk = TempDir::new().expect("a temporary folder");
    let lines: String = (0..120).map(|i| format!("{} qid:{} 1:{:.1} 2:0.{}\n", i % 3, i / 10, (i % 3) as f64 / 2.0, i % 7)).collect();
    std::fs::create_dir(desk.path().join("data")).expect("a folder");
    for name in ["data/train.txt", "data/test.txt"] {
        std::fs::write(desk.path().join(name), &lines).expect("a file");
    }
    desk
}

/// Calls the program in the folder of a desk.
#[track_caller]
fn call(desk: &TempDir, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_rankguard")).args(arguments).current_dir(desk.path()).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_grids_go_from_plan_to_table_on_data_that_is_set() {
    let desk = desk();
    let data = ["--set", "dataset=Letor(path: \"data\", normalize: AsIs)"];
    let short = ["--set", "stop=Sessions(200)", "--set", "evaluate_every=Sessions(100)"];
    for reading in ["literal", "detached", "as-reported"] {
        let file = script(&format!("grid-{reading}.ron")).display().to_string();
        let planned = call(&desk, &[&["sweep", "plan", &file, "--out", reading], &data[..], &short].concat());
        assert!(planned.contains(&format!("sweep paper-{reading}: 123 runs in ")), "{planned}");
        call(&desk, &["sweep", "run", reading, "--quiet"]);
        call(&desk, &["sweep", "collect", reading]);
    }
    let figures = call(&desk, &["figures", "literal", "detached", "as-reported"]);
    assert!(figures.starts_with("folder,seed,users,attack,defense,reading,averaged,ndcg_mean,ndcg_sd,ndcg_worst5,"), "{figures}");
    assert_eq!(figures.lines().count(), 1 + 3 * 123);
    std::fs::write(desk.path().join("figures.csv"), figures).expect("it writes");
    let shown = run(&desk, "table", &["figures.csv", "MQ2007"]);
    assert!(shown.contains("| defence | literal | detached | as-reported | published, MQ2007 |"), "{shown}");
    for (attack, defense, published) in [("FLIP", "None", "0.147(2)"), ("LIE", "CS", "0.354(2)"), ("IPM", "Oracle", "0.464(2)")] {
        let (_, table) = shown.split_once(&format!("{attack}, perfect users, 3 seeds")).expect(&shown);
        let row = table.lines().find(|line| line.starts_with(&format!("| {defense} |"))).expect(table);
        assert!(row.ends_with(&format!("| {published} |")) && row.matches(" ± ").count() == 3, "{row}");
    }
    let beside = ["--beside", script("published.csv").to_str().expect("a path"), "--dataset", "MQ2007"].map(String::from);
    let beside: Vec<&str> = beside.iter().map(String::as_str).collect();
    let table = call(&desk, &[&["table", "detached", "--sd", "nodes", "--format", "markdown"], &beside[..]].concat());
    assert!(table.contains("| users | attack | Oracle | Local | ") && table.contains("|  | published, MQ2007 | 0.464(2) | "), "{table}");
}

#[test]
fn paired_runs_show_each_seed_and_the_interval() {
    let desk = desk();
    let out = desk.path().join("paired").display().to_string();
    let sets = ["--set", "nodes=20", "--set", "stop=Sessions(2000)", "--seeds", "1 2", "--out", &out];
    let shown = run(&desk, "paired", &[&["undecided", "data"], &sets[..]].concat());
    assert!(shown.starts_with("| case | figure | undecided 0, by seed | undecided 0.5, by seed | difference |\n"), "{shown}");
    for case in ["no attack", "FLIP", "newcomers under FLIP"] {
        let row = shown.lines().find(|line| line.starts_with(&format!("| {case} | ndcg_mean | "))).expect(&shown);
        assert_eq!(row.split([' ', '|']).filter(|word| word.parse::<f64>().is_ok()).count(), 6, "two seeds on both sides, and ± in {row}");
    }
}

#[test]
fn the_interval_of_paired_differences_by_hand() {
    let mut child = Command::new("bash")
        .args([script("differences").as_os_str(), "x".as_ref()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("bash is there");
    let rows = "case,side,seed,x\nA,old,1,0.1\nA,old,2,0.2\nA,old,3,0.3\nA,new,1,0.2\nA,new,2,0.4\nA,new,3,0.6\n";
    child.stdin.take().expect("it is piped").write_all(rows.as_bytes()).expect("it reads");
    let shown = String::from_utf8(child.wait_with_output().expect("it ends").stdout).expect("text");
    // Differences .1 .2 .3: mean .2, sd .1, half width 4.303 · .1 / √3.
    assert_eq!(
        shown,
        "| case | figure | old, by seed | new, by seed | difference |\n|---|---|---|---|---|\n\
         | A | x | 0.1000 0.2000 0.3000 | 0.2000 0.4000 0.6000 | +0.2000 ± 0.2484 |\n"
    );
}

#[test]
fn a_question_of_the_gallery_is_answered_on_ten_paired_seeds() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3 to run scenarios/answers with");
        return;
    }
    let desk = desk();
    let out = desk.path().join("answers").display().to_string();
    let short = ["--set", "stop=Sessions(300)", "--set", "nodes=12", "--set", "evaluate_every=Sessions(100)", "--out", &out];
    let output = Command::new("python3")
        .arg(script("../answers"))
        .args([&["kad", "--mq2008", &desk.path().join("data").display().to_string()], &short[..]].concat())
        .env("RANKGUARD", env!("CARGO_BIN_EXE_rankguard"))
        .output()
        .expect("python3 is there");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let answers = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = answers.lines().filter(|line| line.contains(" | synthetic | ") || line.contains(" | MQ2008 | ")).collect();
    assert_eq!(lines.len(), 4, "two changes on two data sets:\n{answers}");
    assert!(lines[0].starts_with("| always online | synthetic | 0."), "{answers}");
    assert!(lines.iter().all(|line| line.contains(" ± ") || line.contains("none larger than ")), "{answers}");
    assert!(answers.contains(" comparisons of this page are one family"), "{answers}");
}
