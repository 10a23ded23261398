//! Turns the parser's errors into messages that a person can act on: the place, the problem, and the nearest valid name.

use super::Scenario;
use super::brackets::Mistake;
use super::source::{Place, last_word_before, line_column, place, skip_blank};
use crate::error::{QUOTED, clip};
use crate::fields::{self, Declared, Field, Kind};

/// `file:line:col: message`, the line, and a caret under the place.
pub fn explain(text: &str, origin: &str, mistake: &Mistake) -> String {
    if mistake.code != ron::Error::UnclosedBlockComment && skip_blank(text, 0) == text.len() {
        return format!("{origin}: holds no scenario; begin with a copy of scenarios/quickstart.ron");
    }
    let (at, message) = diagnose(text, mistake);
    pointed(text, origin, at, &message)
}

/// The message about a byte offset of a text: `file:line:col: message`, the line, and a caret under the place.
pub fn pointed(text: &str, origin: &str, at: usize, message: &str) -> String {
    let (line, column) = line_column(text, at);
    let (source, before) = excerpt(text.lines().nth(line - 1).unwrap_or(""), column);
    let indent: String = source.chars().take(before).map(|c| if c == '\t' { c } else { ' ' }).collect();
    format!("{origin}:{line}:{column}: {message}\n{source}\n{indent}^")
}

/// A line, or the part around its 1-based column if the line is long, and the number of characters of this text before the column.
fn excerpt(line: &str, column: usize) -> (String, usize) {
    const WHOLE: usize = 2 * QUOTED;
    const AROUND: usize = QUOTED / 2;
    if line.chars().nth(WHOLE).is_none() {
        return (line.to_owned(), column - 1);
    }
    let skipped = (column - 1).saturating_sub(AROUND);
    let mut rest = line.chars().skip(skipped);
    let shown: String = rest.by_ref().take(QUOTED).collect();
    let (head, tail) = (if skipped > 0 { "…" } else { "" }, if rest.next().is_some() { "…" } else { "" });
    (format!("{head}{shown}{tail}"), column - 1 - skipped + usize::from(skipped > 0))
}

/// The place of a mistake as a byte offset, and the message.
pub fn diagnose(text: &str, mistake: &Mistake) -> (usize, String) {
    use ron::Error as E;
    let at = skip_blank(text, mistake.at);
    let here = place(text, at);
    if let Some(quote) = here.torn_string {
        return (quote, "this text does not end on its line; close it with `\"`".into());
    }
    let message = match &mistake.code {
        E::NoSuchStructField { expected, found, outer } => unknown_field(found, expected, outer.as_deref().unwrap_or("it")),
        E::NoSuchEnumVariant { expected, found, .. } => {
            format!(
                "{} cannot be `{}`; {}",
                here.path,
                clip(found, QUOTED),
                nearest(found, expected).unwrap_or_else(|| format!("choose {}", list(expected, "or")))
            )
        }
        E::MissingStructField { field, outer } => {
            missing(field, outer.as_deref(), &here.open.map(|open| place(text, open).path).unwrap_or_default())
        }
        E::ExceededRecursionLimit => "this is nested too deeply; a scenario needs a dozen levels of brackets at most".into(),
        E::DuplicateStructField { field, .. } => format!("`{field}` is given twice; keep one of them"),
        E::IntegerOutOfBounds => out_of_bounds(text, &here),
        E::ExpectedInteger | E::InvalidIntegerDigit { .. } | E::UnderscoreAtBeginning => wrong(text, &here, "a whole number"),
        E::ExpectedFloat | E::FloatUnderscore => wrong(text, &here, "a number"),
        E::ExpectedArray => wrong(text, &here, "a list in square brackets"),
        E::ExpectedString => no_string(text, &here),
        E::ExpectedIdentifier | E::SuggestRawIdentifier(_) | E::InvalidIdentifier(_) => no_name(text, at, &here),
        E::ExpectedComma | E::ExpectedStructLikeEnd | E::ExpectedArrayEnd => no_end(text, at, &here),
        E::ExpectedStructLike if here.path.is_empty() => whole(),
        E::ExpectedStructLike => format!("`{}` lacks its values in round brackets{}", quoted(&here), as_in(text, &here)),
        E::ExpectedNamedStructLike(_) | E::ExpectedDifferentStructName { .. } if here.path.is_empty() => whole(),
        E::ExpectedNamedStructLike(_) | E::ExpectedDifferentStructName { .. } => wrong(text, &here, "fields in round brackets"),
        E::ExpectedMapColon => "expected `:` between the field's name and its value".into(),
        E::Eof => return (here.open.unwrap_or(at), "this bracket is never closed".into()),
        E::UnclosedBlockComment => "this comment never ends; close it with `*/` or begin it with `//`".into(),
        E::TrailingCharacters => "the scenario's brackets are closed before this; remove it, or a `)` too many above".into(),
        E::Message(message) => return (here.value_from, format!("{}: {}", here.path, shorten(message, here.value))),
        other => clip(&other.to_string(), 3 * QUOTED).into(),
    };
    (if before_sign(text, at) { at - 1 } else { at }, message)
}

fn unknown_field(found: &str, expected: &[&str], outer: &str) -> String {
    let remedy = match nearest(found, expected) {
        Some(near) => near,
        None if outer != "Scenario" && fields::find(Scenario::kind(), found, None).is_some() => {
            format!("`{outer}` has no such field, but the scenario has: is a closing `)` missing before it?")
        }
        None if expected.is_empty() => format!("`{outer}` has no fields"),
        None => format!("`{outer}` has {}", list(expected, "and")),
    };
    format!("unknown field `{}`; {remedy}", clip(found, QUOTED))
}

fn missing(field: &str, choice: Option<&str>, outer: &str) -> String {
    match fields::find(Scenario::kind(), format!("{outer}.{field}").trim_start_matches('.'), choice) {
        Some(declared) => format!("missing field `{field}`: {}; add for example `{}`", declared.meaning(), declared.line()),
        None => format!("missing field `{field}`"),
    }
}

/// The declaration of the field whose value is being read.
fn declared(text: &str, here: &Place) -> Option<&'static Field> {
    let choice = here.open.and_then(|open| last_word_before(text, open)).map(|(_, word)| word);
    fields::find(Scenario::kind(), &here.path, choice)
}

/// The kind that the value must have. For a choice that holds one value without a name, it is the kind of this value.
fn kind(text: &str, here: &Place) -> Option<Kind> {
    let kind = (declared(text, here)?.kind)().peeled();
    let name = here.value.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    Some(kind.choice(name).and_then(|choice| choice.inner()).map_or(kind, |inner| (inner.kind)().peeled()))
}

fn out_of_bounds(text: &str, here: &Place) -> String {
    let max = if let Some(Kind::Whole { max }) = kind(text, here) { max } else { u64::from(u32::MAX) };
    wrong(text, here, &format!("a whole number from 0 to {max}"))
}

/// The message if text was expected, or a quantity in quotes.
fn no_string(text: &str, here: &Place) -> String {
    match kind(text, here) {
        Some(Kind::Quantity(quantity)) => wrong(text, here, &format!("a {} in quotes with a unit", quantity.name)),
        _ => wrong(text, here, "text in quotes"),
    }
}

/// The message if the name of a field or of a choice was expected.
fn no_name(text: &str, at: usize, here: &Place) -> String {
    if text[at..].starts_with('#') {
        "comments begin with `//`".into()
    } else if at == here.value_from {
        wrong(text, here, "a choice by its name, without quotes")
    } else if here.path.is_empty() {
        "expected the name of a field without quotes, as in `nodes: 100`".into()
    } else {
        format!("{} needs its fields by name{}", here.path, as_in(text, here))
    }
}

/// The message if the text goes on after a complete value.
fn no_end(text: &str, at: usize, here: &Place) -> String {
    let is_in_value = !text[here.value_from.min(at)..at].contains(char::is_whitespace);
    match text[at..].chars().next() {
        Some('.') => wrong(text, here, "a whole number"),
        Some('(') => format!("`{}` takes no values; write it without brackets", clip(text[here.value_from..at].trim_end(), QUOTED)),
        Some(sign) if is_in_value => format!("{} cannot be {}: unexpected `{sign}`{}", here.path, quoted(here), as_in(text, here)),
        _ => "a comma or a closing bracket is missing before this".into(),
    }
}

fn wrong(text: &str, here: &Place, must_be: &str) -> String {
    format!("{} is {}; it must be {must_be}{}", here.path, quoted(here), as_in(text, here))
}

/// Shortens a long value that a message quotes.
fn shorten(message: &str, value: &str) -> String {
    let written = value.trim_matches('"');
    let shorter = if written.len() > QUOTED { message.replace(written, &clip(written, QUOTED)) } else { message.to_owned() };
    clip(&shorter, 4 * QUOTED).into()
}

fn quoted<'a>(here: &Place<'a>) -> std::borrow::Cow<'a, str> {
    clip(here.value, QUOTED)
}

fn whole() -> String {
    "a scenario is its fields in round brackets: ( name: \"…\", seed: 1, nodes: 100, … )".into()
}

fn as_in(text: &str, here: &Place) -> String {
    declared(text, here).map_or(String::new(), |field| format!(", as in `{}`", field.with(&field.example_like(here.value))))
}

fn before_sign(text: &str, at: usize) -> bool {
    text[..at].ends_with('-') && text[at..].starts_with(|c: char| c.is_ascii_digit())
}

/// The name that was probably meant: it is few edits away, without regard to case and underscores.
pub fn nearest(found: &str, names: &[&str]) -> Option<String> {
    nearest_of(found, names).first().map(|near| format!("did you mean `{near}`?"))
}

/// The nearest names, in their order; empty if no name is near.
pub fn nearest_of<'a>(found: &str, names: &[&'a str]) -> Vec<&'a str> {
    // No name is longer, and a comparison takes the product of both lengths.
    if found.len() > QUOTED {
        return Vec::new();
    }
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let distance = |name: &&&str| strsim::damerau_levenshtein(&plain(found), &plain(name));
    let Some(least) = names.iter().map(|name| distance(&name)).min() else { return Vec::new() };
    let is_near = least <= 1 + found.chars().count() / 4;
    names.iter().filter(|name| is_near && distance(name) == least).copied().collect()
}

/// `a`, `b` and `c`
pub fn list(names: &[&str], joint: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {joint} {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::parse::tests::{message, refuse};

    #[test]
    fn a_message_shows_the_line_and_the_place() {
        let expect =
            "x.ron:14:24: unknown field `kapa`; did you mean `kappa`?\n    defense: RankGuard(kapa: 4.0),\n                       ^";
        assert_eq!(message("kappa", "kapa"), expect);
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let (before, after) = ("x".repeat(10_000), "y".repeat(10_000));
        let message = message("seed: 1,", &format!("/*{before}*/ sed: 1, /*{after}*/"));
        let lines: Vec<&str> = message.lines().collect();
        assert_eq!(lines[0], "x.ron:4:10010: unknown field `sed`; did you mean `seed`?");
        assert_eq!(lines[1], format!("…{}*/ sed: 1, /*{}…", "x".repeat(37), "y".repeat(30)));
        assert_eq!(lines[2], format!("{}^", " ".repeat(41)));
    }

    #[test]
    fn no_message_quotes_a_huge_word() {
        let huge = "Z".repeat(1_000_000);
        let short = |part: &str, by: &str, expect: &str| {
            let message = message(part, by);
            assert!(message.len() < 1_000 && message.contains(expect), "{} bytes: {}", message.len(), &message[..500.min(message.len())]);
        };
        short("kappa: 4.0", &format!("{huge}: 4.0"), "ZZZ…ZZZ");
        short("attack: Flip", &format!("attack: {huge}"), "ZZZ…ZZZ");
        short("nodes: 100", &format!("nodes: \"{huge}\""), "nodes is \"ZZZ");
        short("nodes: 100", &format!("nodes: {}", "1".repeat(100_000)), "nodes is 111");
        short("\"10min\"", &format!("\"{huge}\""), "is not a duration");
        short("\"good\"", &format!("\"{huge}\""), "name is \"ZZZ");
        short("\n(", &format!("\n{huge}("), "a scenario is its fields in round brackets");
    }

    #[test]
    fn deep_nesting_is_shown_where_it_becomes_too_deep() {
        let deep = format!("attack: {}Flip", "Mix([(share: 0.5, attack: ".repeat(500));
        refuse("attack: Flip", &deep, "x.ron:15:…: this is nested too deeply; a scenario needs a dozen levels of brackets at most");
        refuse("nodes: 100", &format!("crowds: {}", "[".repeat(100_000)), "x.ron:5:");
    }

    #[test]
    fn wrong_names_get_the_nearest_or_all() {
        refuse("nodes: 100", "node: 100", ":5:5: unknown field `node`; did you mean `nodes`?");
        refuse("receipts:", "reciepts:", ":21:14: unknown field `reciepts`; did you mean `receipts`?");
        refuse(
            "kappa: 4.0",
            "zzz: 4.0",
            "unknown field `zzz`; `RankGuard` has `kappa`, `when_undecided`, `empty_sessions` and `calibrate`",
        );
        refuse("kappa: 4.0)", "kappa: 4.0", ":15:5: unknown field `attack`…is a closing `)` missing");
        refuse("attack: Flip", "attack: Flop", ":15:13: attack cannot be `Flop`; did you mean `Flip`?");
        refuse("RankGuard(", "rank_guard(", "defense cannot be `rank_guard`; did you mean `RankGuard`?");
        refuse("Web30k", "Web10k", "dataset.like cannot be `Web10k`; did you mean `Web30k`?");
        refuse(
            "attack: Flip",
            "attack: Poison",
            "attack cannot be `Poison`; choose `NoAttack`, `Flip`, `Lie`, `Ipm`, `Adapt`, `Shrink`, `Noise`, `Stale` or `Mix`",
        );
        refuse("Never", "Sometimes", "malicious_aggregate cannot be `Sometimes`; choose `Never`, `Always` or `PooledOnly`");
        refuse("Weibull", "Wiebull", "churn.online cannot be `Wiebull`; did you mean `Weibull`?");
    }

    #[test]
    fn missing_fields_are_explained() {
        refuse("nodes: 100,", "", "missing field `nodes`: how many nodes the network has; add for example `nodes: 100`");
        refuse("kappa: 4.0", "", ":14:24: missing field `kappa`: the steepness κ…`kappa: 4.0`");
        refuse("RankGuard(", "RankGuardRand(", "missing field `share`: the share of the history");
        refuse("users: Perfect", "users: Custom(click: [0.1])", "missing field `stop`: P(stop after a click)");
        refuse("shape: 0.6, ", "", "missing field `shape`: the shape of the Weibull");
        refuse("kappa: 4.0", "kappa: 4.0, kappa: 3.0", ":14:36: `kappa` is given twice");
    }

    #[test]
    fn wrong_types_name_the_field() {
        refuse("nodes: 100", "nodes: \"100\"", ":5:12: nodes is \"100\"; it must be a whole number, as in `nodes: 100`");
        refuse("nodes: 100", "nodes: 1e3", ":5:12: nodes is 1e3; it must be a whole number");
        refuse("nodes: 100", "nodes: 10.5", "nodes is 10.5; it must be a whole number");
        refuse("Time(\"1d\")", "Sessions(1.5)", "stop is Sessions(1.5); it must be a whole number");
        refuse("kappa: 4.0", "kappa: \"x\"", ":14:31: defense.kappa is \"x\"; it must be a number, as in `kappa: 4.0`");
        refuse(
            "malicious_share: 0.2",
            "malicious_share: 20%",
            "malicious_share cannot be 20%: unexpected `%`, as in `malicious_share: 0.2`",
        );
        refuse("\"good\"", "good", "name is good; it must be text in quotes, as in `name: \"quickstart\"`");
        refuse("users: Perfect", "users: Custom(click: 3, stop: [])", "users.click is 3; it must be a list in square brackets");
        refuse(
            "attack: Flip",
            "attack: \"Flip\"",
            "attack is \"Flip\"; it must be a choice by its name, without quotes, as in `attack: Flip`",
        );
        refuse("Time(\"1d\")", "1000", "stop is 1000; it must be a choice by its name…`stop: Sessions(30000)`");
        refuse("Time(\"1d\")", "Sessions", "`Sessions` lacks its values in round brackets, as in `stop: Sessions(30000)`");
        refuse("attack: Flip", "attack: Flip(0.5)", "`Flip` takes no values; write it without brackets");
        refuse(
            "RankGuard(kappa: 4.0)",
            "RankGuard(4.0)",
            ":14:24: defense needs its fields by name, as in `defense: RankGuard(kappa: 4.0)`",
        );
        refuse("(receipts: OneIn(10))", "All", "record is All; it must be fields in round brackets, as in `record: (receipts: OneIn(10))`");
    }

    #[test]
    fn wrong_attacks_get_an_example_of_their_kind() {
        let refuse_attack = |attack: &str, expect: &str| refuse("attack: Flip", &format!("attack: {attack}"), expect);
        refuse_attack("Stale(\"2h\")", "attack needs its fields by name, as in `attack: Stale(age: \"2h\")`");
        refuse_attack("Stale(age: 2h)", "attack.age is 2h; it must be a duration in quotes with a unit, as in `age: \"2h\"`");
        refuse_attack("Mix", "`Mix` lacks its values in round brackets, as in `attack: Mix([(share: 0.5");
        refuse_attack("Mix(Flip)", "attack is Mix(Flip); it must be a list in square brackets, as in `attack: Mix([(share: 0.5");
        refuse_attack("Mix([Flip, Flip])", "it must be fields in round brackets, as in `attack: Mix([(share: 0.5");
        refuse_attack("Mix([(share: 0.5)])", "missing field `attack`: what malicious nodes do");
        refuse_attack("Mix([(share: 0.5, attack: Flop)])", "attack.attack cannot be `Flop`; did you mean `Flip`?");
        refuse("loss: 0.001", "attackers: (rates: 3)", "unknown field `rates`; did you mean `rate`?");
        let windows = "attackers: (active: Windows(on: \"1h\", off: \"1h\"))";
        refuse(
            "loss: 0.001",
            windows,
            "missing field `meanwhile`: what attackers do outside of the windows; add for example `meanwhile: Honest`",
        );
    }

    #[test]
    fn integers_out_of_range_say_their_range() {
        refuse("nodes: 100", "nodes: -1", ":5:12: nodes is -1; it must be a whole number from 0 to 4294967295");
        refuse("nodes: 100", "nodes: 5000000000", "nodes is 5000000000; it must be a whole number from 0 to 4294967295");
        refuse("seed: 1", "seed: 18446744073709551616", "seed is 18446744073709551616;…from 0 to 18446744073709551615");
        refuse("OneIn(10)", "OneIn(-1)", "record.receipts is OneIn(-1); it must be a whole number from 0");
    }

    #[test]
    fn durations_need_quotes_and_units() {
        refuse("\"10min\"", "10", ":17:30: arrivals.every is 10; it must be a duration in quotes…as in `every: \"10min\"`");
        refuse("\"10min\"", "10min", "arrivals.every is 10min; it must be a duration in quotes");
        refuse("\"10min\"", "\"10\"", ":17:30: arrivals.every: `10` is not a duration: the unit is missing");
        refuse("\"10min\"", "\"10 parsecs\"", "`parsecs` is not one of w, d, h");
        refuse("Time(\"1d\")", "Time(1)", "stop is Time(1); it must be a duration in quotes with a unit, as in `stop: Time(\"7d\")`");
    }

    #[test]
    fn speeds_need_quotes_and_units() {
        let limited = |upload: &str| format!("bandwidth: Limited(upload: {upload}, download: \"1Mbit/s\")");
        refuse(
            "loss: 0.001",
            &limited("5"),
            "bandwidth.upload is 5; it must be a speed in quotes with a unit, as in `upload: \"5Mbit/s\"`",
        );
        refuse("loss: 0.001", &limited("\"5\""), "bandwidth.upload: `5` is not a speed: `` is not one of Gbit/s, Mbit/s");
        refuse(
            "loss: 0.001",
            "bandwidth: Limited(upload: \"1Mbit/s\")",
            "missing field `download`: how fast a node receives; add for example",
        );
        refuse("loss: 0.001", "bursts: GilbertElliot(good: \"1s\")", "bursts cannot be `GilbertElliot`; did you mean `GilbertElliott`?");
        refuse("loss: 0.001", "order: Fifo", "order cannot be `Fifo`; choose `AsTheyCome` or `FifoPerLink`");
    }

    #[test]
    fn broken_syntax_is_shown_where_it_begins() {
        refuse("nodes: 100,", "nodes: 100", ":6:5: a comma or a closing bracket is missing before this");
        refuse("nodes: 100", "nodes = 100", ":5:11: expected `:`");
        refuse("\"good\"", "\"good", ":3:11: this text does not end on its line");
        refuse("\n)\n", "\n", ":2:1: this bracket is never closed");
        refuse("\n)\n", "\n)\nmore", ":23:1: the scenario's brackets are closed before this");
        refuse("seed: 1", "# seed: 1", ":4:5: comments begin with `//`");
        refuse("seed:", "\"seed\":", ":4:5: expected the name of a field without quotes");
        refuse("// A good one.\n(", "{", ":1:1: a scenario is its fields in round brackets");
        refuse("// A good one.", "/* A good one.", ":1:4: this comment never ends");
    }
}
