//! Collects the problems of a scenario, so that all are reported at once.

use crate::error::{Error, QUOTED, Result, clip};
use crate::fields::{At, Declared};
use crate::scenario::Scenario;
use crate::scenario::written::Written;
use std::fmt::Display;

pub struct Problems(Vec<String>);

impl Problems {
    /// The problems of single fields: values out of their declared limits.
    pub fn of(scenario: &Scenario) -> Self {
        let mut found = Vec::new();
        Declared::check(scenario, &At::ROOT, &mut found);
        Self(found)
    }

    /// No problems so far.
    pub fn none() -> Self {
        Self(Vec::new())
    }

    /// Notes `field is value; it must be …` unless `is_so` holds. `must_be` may end with the remedy.
    pub fn require(&mut self, is_so: bool, field: &str, value: impl Display, must_be: &str) {
        self.refuse_if(!is_so, || format!("{field} is {}; it must be {must_be}", clip(&value.to_string(), QUOTED)));
    }

    /// Notes a problem that concerns more than one value. It begins with a field nevertheless, so that its place can be found.
    pub fn refuse_if(&mut self, is_wrong: bool, problem: impl FnOnce() -> String) {
        if is_wrong {
            self.0.push(problem());
        }
    }

    /// Whether a problem of `field`, or of one inside it, is known already.
    pub fn concern(&self, field: &str) -> bool {
        let concerns = |problem: &String| problem.strip_prefix(field).is_some_and(|rest| rest.starts_with([' ', '.', '[']));
        self.0.iter().any(concerns)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One line per problem, each with its place.
    pub fn into_result(self, written: &Written) -> Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => {
                let lines: Vec<String> = self.0.iter().map(|problem| format!("{}: {problem}", written.place_of(problem))).collect();
                Err(Error::input(lines.join("\n")))
            }
        }
    }
}
