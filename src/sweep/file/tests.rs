//! Sweep files that are read, and mistakes in them.

use super::*;
use crate::scenario::parse::tests::GOOD;

/// A sweep over the scenario GOOD with these further fields.
pub fn sweep(fields: &str) -> String {
    let base: String = GOOD.lines().skip(1).map(|line| format!("    {line}\n")).collect();
    format!("(\n    name: \"test\",\n    base: {},\n    {fields}\n)\n", base.trim())
}

pub fn read(fields: &str) -> Result<SweepFile> {
    SweepFile::parse(&sweep(fields), "sweep.ron", Path::new(""))
}

/// The axes and their labels: `defense: RankGuard FlTrust`.
fn show(file: &SweepFile) -> Vec<String> {
    let labels = |draft: &DraftAxis| draft.axis.values.iter().map(|value| value.label.clone()).collect::<Vec<_>>().join(" ");
    file.axes.iter().map(|draft| format!("{}: {}", draft.axis.name, labels(draft))).collect()
}

#[track_caller]
fn check(fields: &str, axes: &[&str], seeds: &[u64]) {
    let file = read(fields).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((show(&file), file.seeds), (axes.iter().map(ToString::to_string).collect(), seeds.to_vec()));
}

#[test]
fn everything_that_a_sweep_can_say_is_read() {
    let text = r#"set: (record: (receipts: Nothing), nodes: 50),
    axes: [
        Axis(defense: [RankGuard(kappa: 4.0), FlTrust, Undefended]),
        Axis(attack: [("flip", Flip), ("lie", Lie(z: Majority))]),
        Zip(name: "place", values: [
            ("near", (latency: Constant("10ms"), churn: AlwaysOnline)),
            ("far", (latency: Constant("1s"), churn: Kad)), // the other end
        ]),
    ],
    seeds: Range(first: 3, count: 2),
    skip: [(defense: "FlTrust", attack: "lie")],
    tasks: 8,"#;
    check(text, &["defense: RankGuard FlTrust Undefended", "attack: flip lie", "place: near far"], &[3, 4]);
    let file = read(text).expect("it is right");
    assert_eq!((file.skip, file.size), (vec![vec![(0, 1), (1, 1)]], Some(TaskSize::Tasks(8))));
    let far: Vec<&str> = file.axes[2].axis.values[1].fields.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!((far, file.base.value("nodes").as_deref()), (vec!["Constant(\"1s\")", "Kad"], Some("50")));
}

#[test]
fn little_is_required() {
    check("", &[], &[1]);
    check("axes: [], seeds: List([5, 2])", &[], &[5, 2]);
    check("axes: [Axis(nodes: [10, 100])]", &["nodes: 10 100"], &[1]);
    check("axes: [Axis(weight_limit: [1e3, inf])]", &["weight_limit: 1e3 inf"], &[1]);
}

/// Refused with these words, the place in the last line marked by `¦`.
#[track_caller]
fn refuse(marked: &str, expect: &str) {
    let text = sweep(marked);
    let at = text.find('¦').expect("a mark");
    let line = text[..at].matches('\n').count() + 1;
    let column = text[..at].chars().rev().take_while(|c| *c != '\n').count() + 1;
    let error = read(&marked.replace('¦', "")).expect_err(marked);
    let message = error.to_string();
    assert!(message.starts_with(&format!("sweep.ron:{line}:{column}: ")) && message.contains(expect), "{line}:{column}\n{message}");
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn values_are_read_as_their_field() {
    refuse("axes: [Axis(defense: [FlTrust, ¦RankGard(kappa: 4.0)])]", "defense cannot be `RankGard`; did you mean `RankGuard`?");
    refuse("axes: [Axis(defense: [RankGuard(¦kapa: 4.0)])]", "unknown field `kapa`; did you mean `kappa`?");
    refuse("axes: [Axis(defense: [(\"x\", RankGuard(kappa: ¦-4.0))])]", "defense.kappa is -4; it must be between 0 and");
    refuse("set: (nodes: ¦0)", "nodes is 0; it must be between 1 and");
    refuse("axes: [Zip(name: \"a\", values: [(\"x\", (loss: ¦2.0))])]", "loss is 2; it must be between 0 and 1");
}

#[test]
fn names_that_are_not_there_are_told() {
    refuse("¦axis: []", "unknown field `axis`; did you mean `axes`?");
    refuse("axes: [Axis(¦defence: [FlTrust])]", "unknown field `defence`; did you mean `defense`?");
    refuse("axes: [Axis(¦seed: [1, 2])]", "`seed` cannot be set here; `seeds` gives the seed of every run");
    refuse("axes: [Axis(¦name: [\"x\"])]", "`name` cannot be set here; every run gets a name from its labels");
    refuse("axes: [Axis(defense: [FlTrust])], skip: [(defense: ¦\"FlTrus\")]", "did you mean `FlTrust`?");
    refuse("axes: [Axis(defense: [FlTrust])], skip: [(¦defens: \"FlTrust\")]", "unknown axis `defens`; did you mean `defense`?");
    refuse("axes: [¦Axes(defense: [FlTrust])]", "an axis is Axis(field: [values]) or Zip(");
}

#[test]
fn nothing_is_given_twice() {
    refuse("axes: [Axis(defense: [RankGuard(kappa: 4), ¦RankGuard(kappa: 4.0)])]", "this is the value `RankGuard(kappa: 4)` once more");
    refuse("axes: [Axis(defense: [(\"x\", FlTrust), ¦(\"X\", Undefended)])]", "its label `X` would name the same files as `x`");
    refuse("axes: [Axis(loss: [0.1]), ¦Axis(loss: [0.2])]", "there is another axis `loss`");
    refuse("axes: [Axis(loss: [0.1]), ¦Zip(name: \"a\", values: [(\"x\", (loss: 0.2))])]", "`loss` is on another axis already");
    refuse("set: (loss: 0.2), axes: [¦Axis(loss: [0.1])]", "remove it from `set`");
    refuse("seeds: ¦List([1, 2, 1])", "the seed 1 is given twice");
    refuse("tasks: 3, ¦tasks: 4", "`tasks` is given twice");
    refuse("task_seconds: 3, tasks: ¦4", "give either `task_seconds` or `tasks`");
}

#[test]
fn wrong_forms_are_told() {
    refuse("seeds: ¦1", "this must be Range(first: 1, count: 10) or List([1, 2, 3])");
    refuse("seeds: ¦List([])", "there must be at least one seed");
    refuse("seeds: ¦Range(first: 18446744073709551615, count: 2)", "lower first");
    refuse("tasks: ¦0", "this must be a number of tasks from 1 to 1000");
    refuse("task_seconds: ¦0", "a number of CPU seconds above 0");
    refuse("axes: ¦(defense: [])", "`axes` must be a list in square brackets");
    refuse("axes: [¦Axis(defense: [])]", "the axis defense has no values");
    refuse("axes: [¦Axis(loss: [0.1], nodes: [3])]", "Axis takes one field; write Zip");
    refuse("axes: [¦Zip(name: \"a\")]", "Zip needs a name and labelled values");
    refuse("axes: [Zip(name: \"a\", values: [¦(loss: 0.2)])]", "Zip needs a name and labelled values");
    refuse("axes: [Zip(name: ¦\"A b\", values: [])]", "the name of an axis is a word");
    refuse("axes: [Axis(loss: [(¦\"β\", 0.1)])]", "a label has a letter or a digit");
    refuse("skip: [¦()]", "this would leave out every run");
    refuse("axes: [Axis(loss: [0.1 ¦0.2])]", "a comma or a closing bracket is missing before this");
}

#[test]
fn a_value_of_a_zip_keeps_the_bases_fields_that_it_does_not_name() {
    let text = sweep("axes: [Zip(name: \"a\", values: [(\"as it is\", ()), (\"lossy\", (loss: 0.2)), (\"few\", (nodes: 7))])]");
    let sweep = SweepFile::parse(&text, "sweep.ron", Path::new("no/such")).expect("it is right");
    let fields: Vec<Vec<(String, String)>> = sweep.axes[0].axis.values.iter().map(|value| value.fields.clone()).collect();
    let base = |field: &str| (field.to_string(), sweep.base.value(field).unwrap_or_else(|| "None".into()));
    let own = |field: &str, value: &str| (field.to_string(), value.to_string());
    assert_eq!(fields[0], [base("loss"), base("nodes")]);
    assert_eq!(fields[1..], [[own("loss", "0.2"), base("nodes")], [base("loss"), own("nodes", "7")]]);
}

#[test]
fn the_base_is_read_where_it_stands() {
    let refuse = |text: &str, expect: &str| {
        let message = SweepFile::parse(text, "sweep.ron", Path::new("no/such")).expect_err(text).to_string();
        assert!(message.contains(expect), "{message}");
    };
    refuse("(name: \"x\")", "sweep.ron:1:1: missing field `base`; add for example `base: \"scenario.ron\"`");
    refuse("(base: (nodes: 3))", "missing field `name`");
    refuse("(name: \"a/b\", base: \"x.ron\")", "sweep.ron:1:8: this must be 1 to 100 letters");
    refuse("(name: \"x\", base: \"gone.ron\")", "no/such/gone.ron: cannot be read");
    refuse("(name: \"x\",\n base: (nodse: 3))", "sweep.ron:2:9: unknown field `nodse`; did you mean `nodes`?");
    refuse("", "sweep.ron: holds no sweep");
}

proptest::proptest! {
    #[test]
    fn any_mangled_sweep_gets_an_answer(from in 0usize..2000, len in 0usize..30, by in "[a-z0-9.:,\"()\\[\\]{}/*\\n#κ -]{0,6}") {
        let mut text = sweep("axes: [Axis(loss: [0.1, (\"β2\", 0.2)]), Zip(name: \"z\", values: [(\"a\", (nodes: 10))])], skip: [(z: \"a\")]");
        let floor = |at: usize| (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let range = floor(from % text.len())..floor(from % text.len() + len);
        text.replace_range(range, &by);
        if let Err(error) = SweepFile::parse(&text, "sweep.ron", Path::new("no/such")) {
            let message = error.to_string();
            assert!(message.starts_with("sweep.ron:") || message.starts_with("no/such/"), "{message}");
        }
    }
}
