//! Tests every number of a scenario at its extremes: zero, too small to matter, too large to compute with, and not a number at all.
//!
//! The declared limits decide which are accepted. An accepted number has an effect and does not overflow.

use crate::fields::{Choice, Declared, Field, Form, Kind, Limits, Type};
use crate::scenario::parse::tests::{GOOD, good};
use crate::scenario::{Estimate, Scenario};

const EXTREMES: [&str; 7] = ["0", "-0.0", "1e308", "-1e308", "1e-320", "NaN", "inf"];

/// A number somewhere in a scenario.
struct Leaf {
    /// Its path as in messages.
    path: String,
    kind: Kind,
    limits: Limits,
    /// The outermost field, with `@` for the number.
    line: String,
}

/// All numbers in a value of this kind; `write` makes the line of its text.
fn leaves(kind: Kind, limits: Limits, path: &str, within: &[&str], write: &dyn Fn(&str) -> String) -> Vec<Leaf> {
    match kind {
        Kind::Number | Kind::Whole { .. } | Kind::Quantity(_) => vec![Leaf { path: path.into(), kind, limits, line: write("@") }],
        Kind::Switch | Kind::Text => vec![],
        Kind::List(inner) => leaves(inner(), limits, &format!("{path}[0]"), within, &|text| write(&format!("[{text}]"))),
        Kind::Optional(inner) => leaves(inner(), limits, path, within, write),
        Kind::Pair(first, second) => {
            let first = simplest(first());
            leaves(second(), limits, path, within, &|text| write(&format!("({first}, {text})")))
        }
        Kind::Named(of) if within.contains(&of.name) => vec![],
        Kind::Named(of) => in_type(of, path, &[within, &[of.name]].concat(), write),
    }
}

fn in_type(of: &'static Type, path: &str, within: &[&str], write: &dyn Fn(&str) -> String) -> Vec<Leaf> {
    match of.form {
        Form::Fields(fields) => in_fields("", fields, path, within, write),
        Form::Choices(choices) => {
            choices.iter().flat_map(|Choice { name, fields, .. }| in_fields(name, fields, path, within, write)).collect()
        }
    }
}

/// The numbers in these fields. While one is tested, the other fields have the values of their examples.
fn in_fields(name: &str, fields: &'static [Field], path: &str, within: &[&str], write: &dyn Fn(&str) -> String) -> Vec<Leaf> {
    let inside = |field: &'static Field| {
        let path = if field.name.is_empty() { path.to_owned() } else { format!("{path}.{}", field.name) };
        let line = |text: &str| {
            let value = |other: &Field| if other.name == field.name { other.with(text) } else { other.line() };
            write(&format!("{name}({})", fields.iter().map(value).collect::<Vec<_>>().join(", ")))
        };
        leaves((field.kind)(), field.limits, &path, within, &line)
    };
    fields.iter().flat_map(inside).collect()
}

fn simplest(kind: Kind) -> &'static str {
    match kind {
        Kind::Named(Type { form: Form::Choices(choices), .. }) => choices[0].name,
        _ => unreachable!("pairs begin with a choice"),
    }
}

fn all() -> Vec<Leaf> {
    let Kind::Named(Type { form: Form::Fields(fields), .. }) = Scenario::kind() else { unreachable!("a scenario has fields") };
    let of = |field: &'static Field| leaves((field.kind)(), field.limits, field.name, &[], &|text| field.with(text));
    fields.iter().flat_map(of).collect()
}

/// GOOD with this line in place of its line for the same field.
fn with(line: &str) -> String {
    let field = &line[..=line.find(':').expect("a field")];
    let others: String = GOOD.lines().filter(|l| !l.trim_start().starts_with(field) && *l != ")").map(|l| format!("{l}\n")).collect();
    format!("{others}{line}\n)")
}

#[test]
fn numbers_at_their_extremes_are_refused_in_few_words_or_meant() {
    let leaves = all();
    assert!(leaves.len() > 80, "{}", leaves.len());
    for Leaf { path, kind, limits, line } in leaves {
        for extreme in EXTREMES {
            let Some((number, text)) = as_read(kind, extreme) else { continue };
            let line = line.replace('@', &text);
            let outcome = Scenario::parse(&with(&line), "x.ron");
            let message = outcome.as_ref().err().map(ToString::to_string).unwrap_or_default();
            let is_told = message.lines().any(|line| line.contains(&format!(": {path} is ")) && line.contains(&limits.words_for(kind)));
            assert_eq!(!limits.contain(number), is_told && limits.are_given(), "{line}: {message}");
            assert!(message.len() < 1_000 && message.lines().all(|line| line.starts_with("x.ron")), "{line}: {message}");
            if let Ok(scenario) = outcome {
                check_shown(&scenario, &line);
            }
        }
    }
}

/// The number that a text spells, and the text as its type writes it; `None` if the type cannot hold the number.
fn as_read(kind: Kind, text: &str) -> Option<(f64, String)> {
    match kind {
        Kind::Whole { .. } => text.parse::<u64>().ok().map(|number| (number as f64, text.into())),
        Kind::Quantity(quantity) => (text == "0").then(|| (0.0, format!("{:?}", (quantity.show)(0.0)))),
        _ => text.parse().ok().map(|number| (number, text.into())),
    }
}

/// Checks that the scenario can be printed and estimated.
fn check_shown(scenario: &Scenario, line: &str) {
    let (canonical, estimate) = (scenario.canonical(), Estimate::of(scenario, None).to_string());
    assert!(canonical.lines().all(|line| line.len() < 400), "{canonical}");
    assert!(!canonical.contains("-0.0,") && !canonical.contains("-0.0)"), "{canonical}");
    assert!(!estimate.contains("NaN") && !estimate.contains("inf "), "{line}:\n{estimate}");
}

#[test]
fn what_is_made_in_code_is_refused_like_text() {
    for (wrong, expect) in [
        (Scenario { shown: 40, ..good() }, "good: shown is 40; it must be between 1 and 16"),
        (Scenario { malicious_share: 1.5, ..good() }, "good: malicious_share is 1.5; it must be at least 0 and below 1"),
        (Scenario { stop: crate::units::Extent::Sessions(0), ..good() }, "good: stop is Sessions(0); it must be at least 1"),
        (Scenario { loss: f64::NAN, ..good() }, "good: loss is NaN; it must be between 0 and 1"),
        (
            Scenario { weight_limit: Some(f64::NAN), ..good() },
            "good: weight_limit is NaN; it must be above 0; a limit of inf takes models of any size",
        ),
        (Scenario { name: String::new(), ..good() }, "scenario: name is \"\"; it must be 1 to 100 letters"),
        (Scenario { nodes: 1, ..good() }, "good: malicious_share is 0.2, which makes 0 of 1 node"),
    ] {
        let message = wrong.check().expect_err(expect).to_string();
        assert!(message.contains(expect), "{message}");
    }
    assert_eq!(good().check(), Ok(()));
}
