//! A scenario whose top-level fields are replaced later, as the axes of a sweep do.
//!
//! Its types are right, but it is neither checked nor complete: defaults that depend on other fields are filled in only after the fields
//! were replaced, so that `defense: Undefended` gets the limits of an undefended network whatever the template says.

use super::Scenario;
use super::brackets::{self, Mistake};
use super::explain::{diagnose, explain};
use super::locate::locate;
use super::parse::{of_manifest, text_of};
use super::written::Written;
use crate::error::{Error, QUOTED, Result, clip};
use crate::fields::{At, Declared};
use crate::files;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A scenario whose fields can still be replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Template(Scenario);

/// A field with its value in RON.
pub type FieldText = (String, String);

/// A value that a field does not take: where in the value's text, as a byte offset, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The place in the text of the value.
    pub at: usize,
    /// What is wrong there, and what to do.
    pub message: String,
}

impl Template {
    /// Reads a scenario file or the manifest of a result.
    ///
    /// # Errors
    /// The file cannot be read, or a field has a wrong name or type.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = files::read(path, files::WRITTEN_BY_HAND).map_err(|source| Error::cannot_read(path, &source))?;
        let origin = path.display().to_string();
        Self::parse(&text_of(bytes, &origin)?, &origin)
    }

    /// Parses the text of a scenario; `origin` names it in messages.
    ///
    /// # Errors
    /// A field has a wrong name or type.
    pub fn parse(text: &str, origin: &str) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let held = of_manifest(text);
        let text = held.as_deref().unwrap_or(text);
        brackets::from_str(text).map(Self).map_err(|mistake| Error::input(explain(text, origin, &mistake)))
    }

    /// The fields one per line. Equal templates have equal texts.
    pub fn text(&self) -> String {
        self.0.text()
    }

    /// The seed of the scenario.
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// The value of a top-level field as it is written in [`Template::text`]; `None` if it is an optional field without a value.
    pub fn value(&self, field: &str) -> Option<String> {
        let text = self.text();
        locate(&text, field).map(|value| text[value].to_owned())
    }

    /// The scenario with these top-level fields, which is not checked yet.
    ///
    /// # Errors
    /// A field does not take its value.
    pub fn with(&self, fields: &[FieldText]) -> Result<Template> {
        let mut text = self.text();
        for (field, value) in fields {
            text = replaced(&text, field, value).0;
        }
        brackets::from_str(&text).map(Self).map_err(|mistake| Error::input(diagnose(&text, &mistake).1))
    }

    /// The same with one field. If the field does not take the value, the outcome tells where in the value's text and why.
    ///
    /// # Errors
    /// The value has a wrong type or is out of its limits.
    pub fn try_value(&self, field: &str, value: &str) -> std::result::Result<Template, Misfit> {
        let (text, start) = replaced(&self.text(), field, value);
        let inside = |at: usize| at.saturating_sub(start).min(value.len());
        let changed: Scenario = brackets::from_str(&text).map_err(|mistake: Mistake| {
            let (at, message) = diagnose(&text, &mistake);
            Misfit { at: inside(at), message }
        })?;
        match problem_of(&changed, field) {
            Some((path, message)) => Err(Misfit { at: locate(&text, &path).map_or(0, |found| inside(found.start)), message }),
            None => Ok(Self(changed)),
        }
    }

    /// The same with one field given as `field=value` or `field.inside=value`, as the command line does.
    ///
    /// # Errors
    /// There is no such field, or its value has a wrong type or is out of its limits.
    pub fn set(&self, replacement: &str) -> Result<Template> {
        let changed = self.0.set(replacement, &mut Written::new("", ""))?;
        match problem_of(&changed, top_level(replacement)) {
            Some((_, message)) => Err(Error::input(format!("--set {}: {message}", clip(replacement, QUOTED)))),
            None => Ok(Self(changed)),
        }
    }

    /// The checked scenario with this name and seed.
    ///
    /// # Errors
    /// Fields contradict each other; every line begins with the name.
    pub fn scenario(&self, name: &str, seed: u64) -> Result<Scenario> {
        let scenario = Scenario { name: name.to_owned(), seed, ..self.0.clone() };
        scenario.check()?;
        Ok(scenario.with_defaults())
    }
}

/// A template's text with another value of a field, and where that value begins.
fn replaced(text: &str, field: &str, value: &str) -> (String, usize) {
    // A comment at the end of the value must not swallow what follows.
    match locate(text, field) {
        Some(old) => (format!("{}{value}\n{}", &text[..old.start], &text[old.end..]), old.start),
        None => {
            let head = format!("{}    {field}: ", text.trim_end().trim_end_matches(')'));
            (format!("{head}{value}\n,)\n"), head.len())
        }
    }
}

/// The top-level field that `field=value` or `field.inside=value` replaces.
pub fn top_level(replacement: &str) -> &str {
    replacement.split(['=', '.']).next().unwrap_or_default().trim()
}

/// The first value of a field that is out of its limits: its path, and what is wrong.
fn problem_of(scenario: &Scenario, field: &str) -> Option<(String, String)> {
    let mut problems = Vec::new();
    Declared::check(scenario, &At::ROOT, &mut problems);
    problems.into_iter().find_map(|problem| of_field(&problem, field).map(str::to_owned).map(|path| (path, problem)))
}

/// The path that a problem begins with, if it is of this field.
fn of_field<'a>(problem: &'a str, field: &str) -> Option<&'a str> {
    let path = problem.split_whitespace().next()?.trim_end_matches(':');
    let is_inside = path.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    is_inside.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::parse::tests::GOOD;

    fn good() -> Template {
        Template::parse(GOOD, "good.ron").expect("it is good")
    }

    #[test]
    fn defaults_follow_the_replaced_fields() {
        let fields = [("defense".to_owned(), "Undefended // none".to_owned()), ("weight_limit".into(), "7".into())];
        let limit = |fields: &[FieldText]| {
            good().with(fields).and_then(|template| template.scenario("x", 3)).map(|scenario| (scenario.weight_limit, scenario.seed))
        };
        assert_eq!(limit(&[]), Ok((Some(1e6), 3)));
        assert_eq!(limit(&fields[..1]), Ok((Some(f64::INFINITY), 3)));
        assert_eq!(limit(&fields), Ok((Some(7.0), 3)));
    }

    #[track_caller]
    fn refuse(field: &str, value: &str, at: usize, expect: &str) {
        let misfit = good().try_value(field, value).expect_err(value);
        assert!(misfit.at == at && misfit.message.contains(expect), "{misfit:?}");
    }

    #[test]
    fn a_misfit_has_its_place_in_the_value() {
        refuse("defense", "RankGard(kappa: 4.0)", 0, "defense cannot be `RankGard`; did you mean `RankGuard`?");
        refuse("defense", "RankGuard(kapa: 4.0)", 10, "unknown field `kapa`; did you mean `kappa`?");
        refuse("defense", "RankGuard(kappa: -4.0)", 17, "defense.kappa is -4; it must be between 0 and");
        refuse("nodes", "0", 0, "nodes is 0; it must be between 1 and");
        refuse("weight_limit", "-1", 0, "weight_limit is -1; it must be above 0");
        refuse("weight_limit", "many", 0, "weight_limit is many; it must be a number");
    }

    #[test]
    fn the_command_line_sets_fields_and_fields_inside() {
        let set = |replacement: &str, field: &str| good().set(replacement).map(|template| template.value(field).unwrap_or_default());
        assert_eq!(set("nodes=50", "nodes"), Ok("50".into()));
        assert_eq!(set(" nodes = 50", "nodes"), Ok("50".into()));
        assert_eq!(set("stop=Sessions(9)", "stop"), Ok("Sessions(9)".into()));
        assert_eq!(set("dataset.test_queries=7", "dataset").map(|dataset| dataset.contains("test_queries: 7")), Ok(true));
        for (replacement, expect) in [
            ("nodes=0", "--set nodes=0: nodes is 0; it must be between 1 and"),
            ("dataset.test_queries=0", "--set dataset.test_queries=0: dataset.test_queries is 0; it must be"),
            ("node=3", "--set node=3: unknown field `node`; did you mean `nodes`?"),
            ("nodes", "--set nodes: write a field and its value"),
        ] {
            let problem = good().set(replacement).expect_err(replacement);
            assert!(problem.to_string().starts_with(expect) && problem.exit_code() == 2, "{problem}");
        }
    }

    #[test]
    fn equal_values_have_equal_texts() {
        let value = |text: &str| good().try_value("defense", text).expect(text).value("defense");
        assert_eq!(value("FlTrust()"), value(" FlTrust /* x */"));
        assert_eq!(value("RankGuard(kappa: 4)"), value("RankGuard( kappa: 4.0, calibrate: false )"));
        assert_eq!(good().value("weight_limit"), None);
    }
}
