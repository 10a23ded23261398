//! Decides what is compared if the user did not say, or checks what was said.

use super::experiment::{Experiment, NONE, differing, once};
use crate::error::{Error, QUOTED, Result, clip};

/// The names whose values are the sides.
///
/// # Errors
/// A name stands for nothing in any run, or nothing was named and the runs differ in several ways.
pub fn by(experiments: &[Experiment], named: &[String]) -> Result<Vec<String>> {
    match named.iter().find(|name| experiments.iter().all(|experiment| experiment.value(name).is_none())) {
        Some(unknown) => Err(Error::input(format!(
            "--by {}: no run has such a field or axis; {}",
            clip(unknown, QUOTED),
            match ways(experiments) {
                ways if ways.is_empty() => "all runs are of one experiment".into(),
                ways => format!("the runs differ in\n{}", ways.join("\n")),
            }
        ))),
        None if named.is_empty() => found(experiments),
        None => Ok(once(named.iter().cloned())),
    }
}

/// What the runs differ in: one field, all fields of two experiments, or the one axis of a sweep.
fn found(experiments: &[Experiment]) -> Result<Vec<String>> {
    let fields = differing(experiments);
    let distinct = once(experiments.iter().map(|experiment| &experiment.fields));
    match &axes(experiments)[..] {
        _ if fields.is_empty() => Err(Error::input(
            "there is nothing to compare: all runs are of one experiment and differ in their seeds alone; name folders of another one too",
        )),
        _ if fields.len() == 1 || distinct.len() == 2 => Ok(fields),
        [axis] => Ok(vec![axis.clone()]),
        _ => Err(Error::input(format!(
            "the runs differ in several ways; choose what is compared with --by, such as --by {}:\n{}",
            fields[0],
            ways(experiments).join("\n")
        ))),
    }
}

/// The axes on which the runs differ, if all runs have them.
fn axes(experiments: &[Experiment]) -> Vec<String> {
    let names = once(experiments.iter().flat_map(|experiment| &experiment.labels).map(|(axis, _)| axis.clone()));
    let labels = |axis: &String| once(experiments.iter().map(|experiment| experiment.label(axis)));
    names.into_iter().filter(|axis| labels(axis).len() > 1 && !labels(axis).contains(&None)).collect()
}

/// Every field and axis that differs, with its values.
fn ways(experiments: &[Experiment]) -> Vec<String> {
    let fields = differing(experiments);
    let further = axes(experiments).into_iter().filter(|axis| !fields.contains(axis)).collect::<Vec<_>>();
    let line = |name: &String| {
        let values = once(experiments.iter().map(|experiment| experiment.value(name).unwrap_or(NONE.into())));
        let shown: Vec<String> = values.iter().take(5).map(|value| clip(value, QUOTED).into_owned()).collect();
        let more = if values.len() > 5 { format!(" and {} more", values.len() - 5) } else { String::new() };
        format!("  {name}: {}{more}", shown.join(" | "))
    };
    fields.iter().chain(&further).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::experiment::tests::experiment;
    use super::*;

    #[track_caller]
    fn check(runs: &[&str], named: &[&str], expect: std::result::Result<&[&str], &[&str]>) {
        let experiments: Vec<Experiment> = runs.iter().map(|text| experiment(text)).collect();
        let named: Vec<String> = named.iter().map(|name| name.to_string()).collect();
        match (by(&experiments, &named), expect) {
            (Ok(found), Ok(expect)) => assert_eq!(found, expect),
            (Err(error), Err(words)) => {
                let missing: Vec<_> = words.iter().filter(|word| !error.to_string().contains(**word)).collect();
                assert!(missing.is_empty(), "{missing:?} not in {error}");
            }
            (found, _) => panic!("{found:?}"),
        }
    }

    #[test]
    fn one_difference_is_found() {
        check(&["a=1; b=2", "a=1; b=3", "a=1; b=4"], &[], Ok(&["b"]));
        check(&["a=1; b=2", "a=2; b=3"], &[], Ok(&["a", "b"]));
        check(&["a=1; b=2; @place=near", "a=2; b=2; @place=far", "a=2; b=3; @place=edge"], &[], Ok(&["place"]));
    }

    #[test]
    fn several_differences_are_listed() {
        check(&["a=1; b=2", "a=1; b=3", "a=2; b=3"], &[], Err(&["--by a:", "  a: 1 | 2", "  b: 2 | 3"]));
        check(&["a=1; b=2", "a=1; b=2"], &[], Err(&["one experiment", "seeds alone"]));
        let axes = ["a=1; b=1; c=1; @place=near; @a=x", "a=1; b=2; c=2; @place=far; @a=x", "a=2; b=2; c=2; @place=far; @a=y"];
        check(&axes, &[], Err(&["  place: near | far"]));
    }

    #[test]
    fn what_is_named_must_be_there() {
        check(&["a=X(k: 1)", "a=Y"], &["a.k", "a.k"], Ok(&["a.k"]));
        check(&["a=1; b=2", "a=1; b=3"], &["c"], Err(&["--by c: no run has such a field", "b: 2 | 3"]));
    }
}
