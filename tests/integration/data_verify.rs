//! `rankguard data verify`: the public sets below a folder against what is known of them.

use crate::real_data::real;
use crate::sweeps::Desk;
use std::fs;
use std::path::Path;

/// A text of some queries with two documents and `n_features` features each.
fn text(n_queries: usize, n_features: usize) -> String {
    let features: String = (1..=n_features).map(|feature| format!(" {feature}:0.5")).collect();
    (0..n_queries).map(|query| format!("0 qid:{query}{features}\n1 qid:{query}{features}\n")).collect()
}

fn put(folder: &Path, train: &str, test: &str) {
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join("train.txt"), train).and_then(|()| fs::write(folder.join("test.txt"), test)).expect("texts");
}

#[test]
fn without_a_set_it_says_where_sets_come_from() {
    let desk = Desk::new();
    let says = ["data: holds none of the sets; data/README.md says where they come from"];
    desk.call("data verify", 0, &says);
    fs::create_dir_all(desk.path("data/MSLR-WEB30K")).expect("a folder");
    desk.call("data verify", 0, &[says[0], "folders of other names: MSLR-WEB30K; a set has one of the names WEB30K, MQ2007"]);
    desk.call("data verify MQ2007 --json", 0, &["[]", "data/MQ2007: is not there; data/README.md says where it comes from"]);
    desk.call("data verify Bing", 2, &["Bing: is none of the public sets, which are WEB30K, MQ2007"]);
}

#[test]
fn a_wrong_set_is_named_with_what_to_do() {
    let desk = Desk::new();
    put(&desk.path("data/WEB30K/Fold1"), &text(6_000, 136), &text(10, 46));
    put(&desk.path("data/MQ2008/Fold1"), "no data\n", &text(156, 46));
    let said = desk.call(
        "data verify",
        2,
        &[
            "WEB30K is wrong",
            "data/WEB30K/Fold1/train.txt: 6,000 queries instead of 18,919: this looks like train.txt of WEB10K or a cut file; fetch it again",
            "data/WEB30K/Fold1/test.txt: features up to 46 instead of 136: this is another set than WEB30K; fetch it again",
            "data/WEB30K: Fold2, Fold3, Fold4, Fold5 are not there; what is there can be used: --data WEB30K/Fold1",
            "data/MQ2008/Fold1/train.txt: line 1: ",
            "data/MQ2008/Fold1/test.txt: 312 documents instead of 2,874",
            "data: 2 of 2 sets are wrong: WEB30K, MQ2008",
        ],
    );
    assert!(!said.contains("MQ2007"), "{said}");
    desk.call("data verify mq2008 --json", 2, &["\"name\": \"MQ2008\"", "\"severity\": \"error\"", "\"expected\": \"2,874\""]);
}

#[test]
fn mq2008_is_right() {
    let Some(parts) = real("MQ2008") else { return };
    let desk = Desk::new();
    for fold in 0..5 {
        let folder = desk.path(&format!("data/MQ2008/Fold{}", fold + 1));
        fs::create_dir_all(&folder).expect("a folder");
        // Gzip files may be concatenated.
        let join = |parts_of: &[usize]| -> Vec<u8> {
            let part = |nth: &usize| fs::read(parts.join(format!("S{}.txt.gz", (fold + nth) % 5 + 1))).expect("a part");
            parts_of.iter().flat_map(part).collect()
        };
        for (name, parts_of) in [("train", &[0, 1, 2][..]), ("vali", &[3]), ("test", &[4])] {
            fs::write(folder.join(format!("{name}.txt.gz")), join(parts_of)).expect("a file");
        }
    }
    desk.call("data verify", 0, &["MQ2008 is right", "data/MQ2008/Fold1/train.txt.gz: 471 queries, 9,630 documents, 46 features"]);
}
