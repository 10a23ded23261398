//! Replaces fields of a scenario by those of the command line: `--set defense=Undefended`, `--set defense.kappa=8`.

use super::Scenario;
use super::brackets;
use super::explain::{diagnose, list, nearest};
use super::locate::{Group, Item, follow, group};
use super::source::tokens;
use super::written::Written;
use crate::error::{self, Error, QUOTED, clip};
use crate::fields::{Declared, Field, find};

impl Scenario {
    /// This scenario with one field given as `field=value`, where the field may stand inside another: `absence.messages.age="1h"`.
    pub(super) fn set(&self, replacement: &str, written: &mut Written) -> error::Result<Scenario> {
        let refuse = |what: String| Error::input(format!("--set {}: {what}", clip(replacement, QUOTED)));
        let (field, value) = parts(replacement).map_err(refuse)?;
        let text = replace(&self.text(), field, value).map_err(refuse)?;
        let changed = brackets::from_str(&text).map_err(|mistake| refuse(diagnose(&text, &mistake).1))?;
        written.note_set(field.split('.').next().unwrap_or(field), replacement);
        Ok(changed)
    }
}

fn parts(replacement: &str) -> Result<(&str, &str), String> {
    let Some((field, value)) = replacement.split_once('=').map(|(field, value)| (field.trim(), value.trim())) else {
        return Err("write a field and its value, such as --set defense=Undefended".into());
    };
    if field.contains('[') {
        return Err(no_elements(&field[..field.find('[').unwrap_or(0)]));
    }
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match field.split('.').all(is_name) {
        true => Ok((field, one_value(value)?)),
        false => Err("write a field of the scenario and its value, such as --set defense=Undefended or --set defense.kappa=8".into()),
    }
}

/// The value without comments around it.
fn one_value(text: &str) -> Result<&str, String> {
    let (mut depth, mut range) = (0i64, None);
    for (from, token) in tokens(text) {
        match token.as_bytes()[0] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => return Err("write one value; another field needs a --set of its own".into()),
            _ => {}
        }
        if depth < 0 {
            break;
        }
        range = Some((range.map_or(from, |(start, _)| start), from + token.len()));
    }
    match range {
        _ if depth != 0 => Err("the brackets of the value do not match; the shell may need quotes around it all".into()),
        None => Err("the value is missing".into()),
        Some((start, end)) => Ok(&text[start..end]),
    }
}

/// `text` with another value of `field`. The parser decides later whether the field accepts it.
fn replace(text: &str, field: &str, value: &str) -> Result<String, String> {
    let names: Vec<&str> = field.split('.').collect();
    let found = follow(text, field);
    let outer = names[..found.n_steps].join(".");
    if found.n_steps == names.len() {
        return Ok(format!("{}{value}{}", &text[..found.value.start], &text[found.value.end..]));
    }
    let (missing, is_last) = (names[found.n_steps], found.n_steps + 1 == names.len());
    match group(text, found.value.clone()) {
        Some(Group { is_list: true, .. }) => Err(no_elements(&outer)),
        Some(Group { items, .. })
            if outer.is_empty() && is_last && declared(missing).is_none() && inside(text, &items, missing).is_some() =>
        {
            let there = inside(text, &items, missing).unwrap_or_default();
            Err(format!("unknown field `{missing}`; did you mean `{there}`?"))
        }
        // The field is an optional one that is not written, or its name is wrong.
        Some(Group { inside, .. }) if is_last => {
            let head = text[..inside.end].trim_end().trim_end_matches(',');
            let comma = if head.len() > inside.start { ", " } else { "" };
            Ok(format!("{head}{comma}{missing}: {value}{}", &text[inside.end..]))
        }
        Some(Group { items, .. }) => {
            let there: Vec<&str> = items.iter().filter_map(|item| item.name).collect();
            Err(no_field(&outer, missing, &there))
        }
        None => Err(format!("{outer} is {}, which has no field `{missing}`{}", clip(&text[found.value], QUOTED), whole(&outer))),
    }
}

/// The path of a field of this name that stands inside another.
fn inside(text: &str, items: &[Item], name: &str) -> Option<String> {
    let paths = items.iter().filter_map(|item| Some(format!("{}.{name}", item.name?)));
    paths.into_iter().find(|path| follow(text, path).n_steps == 2)
}

fn no_field(outer: &str, missing: &str, there: &[&str]) -> String {
    let path = format!("{outer}.{missing}");
    match (nearest(missing, there), declared(path.trim_start_matches('.'))) {
        (Some(near), _) => format!("unknown field `{missing}`; {near}"),
        (None, Some(field)) if !outer.is_empty() => {
            format!("{outer} has no `{missing}` yet; set all of it, such as --set '{path}={}'", field.example())
        }
        _ if outer.is_empty() => format!("unknown field `{missing}`; `rankguard fields` lists all fields"),
        _ => format!("unknown field `{missing}`; {outer} has {}", list(there, "and")),
    }
}

fn no_elements(field: &str) -> String {
    format!("{field} is a list, whose elements cannot be set one by one{}", whole(field))
}

fn whole(field: &str) -> String {
    declared(field).map_or(String::new(), |declared| format!("; set the whole field, such as --set '{field}={}'", declared.example()))
}

fn declared(path: &str) -> Option<&'static Field> {
    find(Scenario::kind(), path, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse::tests::GOOD;

    fn read(replacements: &[&str]) -> error::Result<Scenario> {
        Scenario::read_from(GOOD.as_bytes(), "good.ron", &replacements.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(replacements: &[&str], expect: &[&str]) {
        let text = read(replacements).unwrap_or_else(|error| panic!("{error}")).canonical();
        for line in expect {
            assert!(text.contains(line), "no {line} in\n{text}");
        }
    }

    #[test]
    fn whole_fields_are_replaced_or_added() {
        check(
            &["defense = Cs(center: Median)", "name=\"x\"", "history=Last(5)"],
            &["defense: Cs(assumed: ShareOfNodes, center: Median),", "name: \"x\",", "history: Last(5),", "nodes: 100,"],
        );
        check(&["defense=Krum"], &["defense: Krum(assumed: ShareOfNodes),"]);
        check(&["defense=FlTrust() // without brackets"], &["defense: FlTrust,"]);
        check(&["regions=Weights([(London, 2.0)])", "stop=Time(\n\"2d\")"], &["regions: Weights([(London, 2.0)]),", "stop: Time(\"2d\"),"]);
        check(&[], &["name: \"good\","]);
    }

    #[test]
    fn fields_inside_are_replaced_or_added() {
        check(&["defense.kappa=8"], &["defense: RankGuard(kappa: 8.0, when_undecided: 0.5, empty_sessions: Count, calibrate: false),"]);
        check(
            &["defense.calibrate=true", "defense.kappa=1"],
            &["RankGuard(kappa: 1.0, when_undecided: 0.5, empty_sessions: Count, calibrate: true)"],
        );
        check(&["churn.online.shape=0.5"], &["online: Weibull(shape: 0.5, scale: \"2h\")"]);
        check(
            &["arrivals.day=(amplitude: 0.5, peak: \"20h\")", "arrivals.day.zones=ByRegion"],
            &["day: (amplitude: 0.5, peak: \"20h\", zones: ByRegion)"],
        );
        check(&["record.models=Last", "peers.fanout=Fixed(3)"], &["models: Last)", "peers: (among: All, fanout: Fixed(3)),"]);
        let windows = "attackers.active=Windows(on: \"1h\", off: \"2h\", meanwhile: Silent)";
        check(&[windows, "attackers.active.on=\"3h\""], &["active: Windows(first: \"0s\", on: \"3h\", off: \"2h\", meanwhile: Silent)"]);
        check(
            &["absence.messages=Mailbox(at_most: 3, age: \"1h\")", "absence.messages.age=\"2h\""],
            &["messages: Mailbox(at_most: 3, age: \"2h\")"],
        );
        check(
            &["users=Custom(click: [0,0,0,0,1], stop: [0,0,0,0,0])", "users.click=[0, 0, 0, 0.5, 1]"],
            &["click: [0.0, 0.0, 0.0, 0.5, 1.0]"],
        );
        check(&["dataset.train_queries=7"], &["train_queries: 7, test_queries: 10"]);
    }

    #[track_caller]
    fn refuse(replacement: &str, expect: &str) {
        let error = read(&[replacement]).expect_err(replacement);
        assert!(error.to_string().contains(expect) && error.exit_code() == 2, "{error}");
    }

    #[test]
    fn what_cannot_be_replaced_says_why() {
        refuse("defense", "--set defense: write a field and its value");
        refuse("defense.=3", "write a field of the scenario and its value");
        refuse("defence=Undefended", "--set defence=Undefended: unknown field `defence`; did you mean `defense`?");
        refuse("defense=Undefendet", "--set defense=Undefendet: defense cannot be `Undefendet`; did you mean `Undefended`?");
        refuse("nodes=0", "--set nodes=0: nodes is 0; it must be between 1 and");
        refuse("nodes=(", "--set nodes=(: the brackets of the value do not match");
        refuse("nodes=3, seed: 5", "write one value");
        refuse("nodes=", "--set nodes=: the value is missing");
        refuse("nodes= // none", "the value is missing");
        refuse("name=\"x", "--set name=\"x: this text does not end");
    }

    #[test]
    fn what_is_not_inside_says_what_is() {
        refuse("kappa=8", "--set kappa=8: unknown field `kappa`; did you mean `defense.kappa`?");
        refuse("defense.kapa=8", "--set defense.kapa=8: unknown field `kapa`; did you mean `kappa`?");
        refuse("latency.shape=2", "--set latency.shape=2: unknown field `shape`; `LogNormal` has `median` and `sigma`");
        refuse("defense.kappa=-1", "--set defense.kappa=-1: defense.kappa is -1; it must be between 0 and 1e6");
        refuse("defense.kappa=x", "defense.kappa is x; it must be a number, as in `kappa: 4.0`");
        refuse("attack.epsilon=3", "attack is Flip, which has no field `epsilon`; set the whole field, such as --set 'attack=Flip'");
        refuse(
            "attackers.active.on=\"1h\"",
            "attackers.active is Always, which has no field `on`; set the whole field, such as --set 'attackers.active=Windows(",
        );
        refuse("absence.messages.age=\"1h\"", "absence.messages is Lost, which has no field `age`");
        refuse("nodes.many=3", "nodes is 100, which has no field `many`");
        refuse("churn.onlin.shape=1", "unknown field `onlin`; did you mean `online`?");
        refuse("arrivals.day.peak=\"1h\"", "arrivals has no `day` yet; set all of it, such as --set 'arrivals.day=(amplitude: 0.8");
        refuse("churn.zzz.shape=1", "unknown field `zzz`; churn has `online` and `offline`");
        refuse("defence.kappa=1", "unknown field `defence`; did you mean `defense`?");
        refuse("zzz.kappa=1", "unknown field `zzz`; `rankguard fields` lists all fields");
        refuse(
            "faults[0].at=\"1h\"",
            "faults is a list, whose elements cannot be set one by one; set the whole field, such as --set 'faults=[",
        );
        refuse("crowds.0.at=\"1h\"", "crowds is a list, whose elements cannot be set one by one");
    }

    #[test]
    fn what_the_file_says_is_shown_in_the_file() {
        let error = read(&["nodes=2"]).expect_err("a fifth of two is nobody").to_string();
        assert!(error.starts_with("good.ron:6:22: malicious_share is 0.2"), "{error}");
    }
}
