use super::*;
use crate::fields::walk::types;
use crate::scenario::brackets;
use crate::scenario::parse::tests::good;
use std::path::Path;

/// The answer about `name` says all of `expect`.
#[track_caller]
fn check(name: &str, expect: &[&str]) {
    let text = reference(Some(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    expect.iter().for_each(|part| assert!(text.contains(part), "no {part:?} in\n{text}"));
}

#[test]
fn a_name_is_looked_up() {
    check(
        "latency",
        &["latency: one of Zero, Constant,", "by default Zero", "How long a message travels.", "sigma: number, between 0 and 10"],
    );
    check("latency.sigma", &["latency.sigma (of LogNormal): number, between 0 and 10; it must be given", "Example: sigma: 0.6"]);
    check("defense.kappa", &["defense.kappa (of RankGuard)", "defense.kappa (of RankGuardRand)", "The steepness κ"]);
    check(
        "LogNormal",
        &["latency: LogNormal(median: \"80ms\", sigma: 0.6)", "arrivals.rates: LogNormal(sigma: 1.0)", "churn.online: LogNormal("],
    );
    check("decay", &["ranker.decay (of Linear): number, between 0.01 and 1; by default 1.0"]);
    check("stop", &["stop: one of Sessions, Time; it must be given", "It holds a duration, above 0."]);
    check("messages.age", &["absence.messages.age (of Mailbox)"]);
    assert!(!reference(Some("stop")).expect("it is there").contains("users"), "the scenario's own field comes first");
    let all = reference(None).expect("all are there");
    assert!(fields().iter().all(|field| all.contains(&format!("\n{}: ", field.name)) || all.starts_with(field.name)));
}

#[test]
fn an_unknown_name_gets_the_nearest() {
    let message = |name: &str| reference(Some(name)).expect_err("nothing is called so");
    assert_eq!(message("latency.sgima").to_string(), "nothing in a scenario is called `latency.sgima`; did you mean `latency.sigma`?");
    assert_eq!(message("zzzzz").to_string(), "nothing in a scenario is called `zzzzz`; `rankguard fields` lists all");
    assert_eq!(message("zzzzz").exit_code(), 2);
}

#[test]
fn defaults_are_those_of_serde() {
    let default = |path: &str| {
        let all = entries(Scenario::kind());
        let found = all.iter().find(|entry| entry.path == path).and_then(|entry| entry.field.map(|field| (entry, field)));
        found.and_then(|(entry, field)| super::default(entry.of, entry.choice, field))
    };
    for (path, expect) in [
        ("loss", Some("0.0")),
        ("nodes", None),
        ("peers", Some("(among: All, fanout: Log2)")),
        ("weight_limit", Some("none")),
        ("ranker.hidden", Some("64")),
        ("absence.messages", Some("Lost")),
        ("attack.kappa", Some("none")),
        ("crowds.within", Some("\"0s\"")),
    ] {
        assert_eq!(default(path).as_deref(), expect, "{path}");
    }
}

#[test]
fn the_page_is_what_the_declarations_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/FIELDS.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, page()).expect("it can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page(), "scenarios/FIELDS.md is out of date; write it with UPDATE_GOLDEN=1");
    let anchors = |mark: &str| written.lines().filter_map(|line| line.strip_prefix(mark)).map(str::to_lowercase).collect::<Vec<_>>();
    let headings = [anchors("## "), anchors("### ")].concat();
    for link in written.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert_eq!(headings.iter().filter(|heading| *heading == link).count(), 1, "#{link}");
    }
}

#[test]
fn serde_and_the_declarations_know_the_same_names() {
    let all = types(Scenario::kind());
    assert!(all.len() > 40, "{}", all.len());
    for of in all {
        match of.form {
            Form::Fields(fields) => {
                assert_eq!((of.expected)("(unheard: 1)"), fields.iter().map(|f| f.name).collect::<Vec<_>>(), "{}", of.name)
            }
            Form::Choices(choices) => {
                assert_eq!((of.expected)("Unheard"), choices.iter().map(|choice| choice.name).collect::<Vec<_>>(), "{}", of.name);
                for choice in choices.iter().filter(|choice| choice.inner().is_none() && !choice.fields.is_empty()) {
                    let expect: Vec<&str> = choice.fields.iter().map(|field| field.name).collect();
                    assert_eq!((of.expected)(&format!("{}(unheard: 1)", choice.name)), expect, "{}", choice.name);
                }
            }
        }
    }
}

#[test]
fn everything_has_a_meaning_and_an_example_and_every_number_its_limits() {
    for of in types(Scenario::kind()) {
        assert!(!of.docs.is_empty(), "{}", of.name);
        for field in of.all_fields() {
            let place = format!("{}.{}", of.name, field.name);
            assert!(field.name.is_empty() || !field.meaning().is_empty(), "{place} has no meaning");
            let must_be_limited = matches!((field.kind)().peeled(), Kind::Number | Kind::Text);
            assert!(!must_be_limited || field.limits.are_given(), "{place} has no limits");
        }
        if let Form::Choices(choices) = of.form {
            choices.iter().for_each(|choice| assert!(!choice.docs.is_empty(), "{}.{} has no meaning", of.name, choice.name));
        }
    }
}

/// A good scenario with one field written as `line`.
#[track_caller]
fn reads(line: &str) {
    let field = format!("    {}", &line[..=line.find(':').expect("a field")]);
    let others: String = good().canonical().lines().filter(|l| !l.starts_with(&field) && *l != ")").map(|l| format!("{l}\n")).collect();
    let scenario: Scenario = brackets::from_str(&format!("{others}{line})")).unwrap_or_else(|error| panic!("{line}: {error:?}"));
    let mut found = Vec::new();
    Declared::check(&scenario, &crate::fields::At::ROOT, &mut found);
    assert!(found.is_empty(), "{line}: {found:?}");
}

#[test]
fn examples_can_be_copied() {
    for field in fields() {
        reads(&field.line());
        let kind = (field.kind)();
        let Kind::Named(Type { form: Form::Choices(choices), .. }) = kind.peeled() else { continue };
        for example in choices.iter().map(Choice::example) {
            reads(&field.with(&if matches!(kind, Kind::List(_)) { format!("[{example}]") } else { example }));
        }
    }
}

#[test]
fn a_field_is_found_by_every_name_that_messages_have_for_it() {
    let shown = |name: &str| reference(Some(name)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(shown("faults[0].at"), shown("faults.at"));
    assert_eq!(shown("latency.LogNormal.sigma"), shown("latency.sigma"));
    assert_eq!(shown("latency.jitter.sigma").matches("latency.jitter.sigma").count(), 1, "{}", shown("latency.jitter.sigma"));
    assert!(reference(Some("")).is_err_and(|error| error.to_string().ends_with("`rankguard fields` lists all")));
}
