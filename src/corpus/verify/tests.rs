use super::*;
use crate::corpus::public_sets::Counts;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use tempfile::TempDir;

const TRAIN: Counts = Counts { queries: Known::Exactly(6), documents: Some(12) };
const TEST: Counts = Counts { queries: Known::Exactly(2), documents: Some(4) };

/// A set of two folds: two features, two grades, two documents per query.
const TINY: PublicSet = PublicSet {
    name: "Tiny",
    folds: &[Fold { name: "Fold1", train: TRAIN, test: TEST }, Fold { name: "Fold2", train: TRAIN, test: TEST }],
    has_vali: true,
    features: Features::All(2),
    n_grades: 2,
    n_queries: Some(4),
    mean_length: 2.0,
    lengths: Some(Known::Exactly((2, 2))),
    shares: &[0.5, 0.5],
};

fn text(n_queries: usize) -> String {
    (0..n_queries).map(|q| format!("0 qid:{q} 1:0.5 2:1\n1 qid:{q} 1:1 2:0\n")).collect()
}

/// A folder with the whole set.
fn whole() -> TempDir {
    let root = TempDir::new().expect("a folder");
    for fold in ["Fold1", "Fold2"] {
        let folder = root.path().join("Tiny").join(fold);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, n) in [("train.txt", 6), ("vali.txt", 2), ("test.txt", 2)] {
            fs::write(folder.join(name), text(n)).expect("a file");
        }
    }
    root
}

/// What is printed of the set after a change, without the name of the folder.
#[track_caller]
fn shown(set: &PublicSet, change: impl Fn(&Path)) -> String {
    let root = whole();
    change(&root.path().join("Tiny"));
    let verified = verify(set, root.path(), None).expect("it is there");
    verified.to_string().replace(&root.path().display().to_string(), "data")
}

#[track_caller]
fn check(change: impl Fn(&Path), says: &str) {
    let said = shown(&TINY, change);
    assert!(said.contains(says), "{said}");
    let is_wrong = says.starts_with("  data/");
    assert_eq!(said.starts_with("Tiny is wrong\n"), is_wrong, "{said}");
}

fn write(path: PathBuf, text: &str) {
    fs::write(path, text).expect("a file");
}

#[test]
fn a_whole_set_is_right() {
    let said = shown(&TINY, |_| ());
    assert!(said.starts_with("Tiny is right\n  data/Tiny/Fold1/train.txt: 6 queries, 12 documents, 2 features\n"), "{said}");
    assert_eq!(said.lines().count(), 5, "{said}");
    assert!(verify(&TINY, Path::new("no/such"), None).is_none());
}

#[test]
fn a_packed_text_is_as_good() {
    check(
        |set| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            packed.write_all(text(6).as_bytes()).expect("it packs");
            fs::write(set.join("Fold1/train.txt.gz"), packed.finish().expect("it packs")).expect("a file");
            fs::remove_file(set.join("Fold1/train.txt")).expect("it goes");
        },
        "Tiny is right\n  data/Tiny/Fold1/train.txt.gz: 6 queries",
    );
    check(
        |set| {
            write(set.join("Fold1/train.txt.gz"), "no gzip");
            fs::remove_file(set.join("Fold1/train.txt")).expect("it goes");
        },
        "  data/Tiny/Fold1/train.txt.gz: is not a sound gzip file",
    );
}

#[test]
fn wrong_texts_are_named_with_what_was_expected_and_what_to_do() {
    let train = |text: &str| {
        let text = text.to_string();
        move |set: &Path| write(set.join("Fold1/train.txt"), &text)
    };
    check(train(&text(5)), "  data/Tiny/Fold1/train.txt: 5 queries instead of 6: this looks like a cut file; fetch it again");
    check(train(&text(7)), "  data/Tiny/Fold1/train.txt: 7 queries instead of 6: this looks like several files in one; fetch it again");
    check(train(&format!("{}0 qid:5 1:1 2:1\n", text(6))), "  data/Tiny/Fold1/train.txt: 13 documents instead of 12: the file was changed");
    check(train(&text(6).replacen("2:1", "3:1", 1)), "  data/Tiny/Fold1/train.txt: features up to 3 instead of 2: this is another set");
    check(train(&text(6).replace(" 2:1", "").replace(" 2:0", "")), "  data/Tiny/Fold1/train.txt: features up to 1 instead of 2");
    check(train(&text(6).replacen("1 qid", "2 qid", 1)), "  data/Tiny/Fold1/train.txt: grades up to 2 instead of 1");
    check(train("<html>"), "  data/Tiny/Fold1/train.txt: line 1: label `<html>` is not a whole number");
    check(train(""), "  data/Tiny/Fold1/train.txt: ");
    let uneven = text(6).replacen("1 qid:0", "1 qid:1", 1);
    check(train(&uneven), "  data/Tiny/Fold1/train.txt: queries with 1 to 3 documents instead of 2 to 2");
}

#[test]
fn what_is_missing_is_named() {
    check(|set| fs::remove_file(set.join("Fold2/test.txt")).expect("it goes"), "  data/Tiny/Fold2: test.txt is not there, nor test.txt.gz");
    check(
        |set| fs::remove_file(set.join("Fold2/vali.txt")).expect("it goes"),
        "  warning: data/Tiny/Fold2: vali.txt is not there; the program",
    );
    check(
        |set| fs::remove_dir_all(set.join("Fold1")).expect("it goes"),
        "  warning: data/Tiny: Fold1 is not there; what is there can be used: --data Tiny/Fold2",
    );
    let no_fold = |set: &Path| ["Fold1", "Fold2"].iter().for_each(|fold| fs::remove_dir_all(set.join(fold)).expect("it goes"));
    check(no_fold, "  data/Tiny: no fold instead of Fold1, Fold2: data/README.md shows the layout");
}

#[test]
fn approximate_facts_give_warnings() {
    let graded = |set: &Path| write(set.join("Fold1/train.txt"), &text(6).replacen("0 qid", "1 qid", 2));
    check(graded, "  warning: data/Tiny/Fold1/train.txt: grades have shares of 0.33 0.67 instead of about 0.50 0.50");
    let about = |n| Fold { name: "Fold1", train: Counts { queries: Known::About(n), documents: None }, test: TEST };
    let with = |fold: Fold, mean_length: f64| {
        let folds: &'static [Fold] = Box::leak(Box::new([fold]));
        shown(&PublicSet { folds, n_queries: None, mean_length, ..TINY }, |_| ())
    };
    assert!(with(about(6), 2.0).starts_with("Tiny is right\n"));
    assert!(with(about(7), 2.0).contains("  warning: data/Tiny/Fold1/train.txt: 6 queries instead of about 7: "));
    assert!(with(about(60), 2.0).contains("\n  data/Tiny/Fold1/train.txt: 6 queries instead of about 60: this looks like a cut file"));
    assert!(with(about(6), 3.0).contains("  warning: data/Tiny/Fold1/train.txt: 2.0 documents per query instead of about 3: "));
}

#[test]
fn folds_of_another_set_are_noticed_together() {
    let said = shown(&PublicSet { n_queries: Some(5), ..TINY }, |_| ());
    assert!(said.contains("  data/Tiny: 4 queries in the test files of all folds together instead of 5: some folds are not"), "{said}");
}

#[test]
fn a_smaller_edition_is_recognised() {
    let web30k = PublicSet::named("web30k").expect("it is known");
    assert_eq!(guess(web30k, 6_000, 18_919, 136), "this looks like train.txt of WEB10K or a cut file");
    assert_eq!(guess(web30k, 6_306, 18_919, 136), "this looks like test.txt of WEB30K/Fold1 or a cut file");
    assert_eq!(guess(web30k, 100, 18_919, 46), "this is not WEB30K");
}
