//! Collects what is wrong with a scenario, so that all of it is reported at once.

use crate::error::{Error, Result};
use std::fmt::Display;

#[derive(Default)]
pub struct Problems(Vec<String>);

impl Problems {
    /// Notes `field is value; it must be …` unless it is so. `must_be` may end with the remedy.
    pub fn require(&mut self, is_so: bool, field: &str, value: impl Display, must_be: &str) {
        if !is_so {
            self.0.push(format!("{field} is {value}; it must be {must_be}"));
        }
    }

    /// Notes a problem that is not one of a single value.
    pub fn refuse_if(&mut self, is_wrong: bool, problem: impl FnOnce() -> String) {
        if is_wrong {
            self.0.push(problem());
        }
    }

    pub fn probability(&mut self, field: &str, value: f64) {
        self.require((0.0..=1.0).contains(&value), field, value, "between 0 and 1");
    }

    pub fn positive(&mut self, field: &str, value: f64) {
        self.require(value.is_finite() && value > 0.0, field, value, "a finite number above 0");
    }

    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// One line per problem, each with the file's name.
    pub fn into_result(self, origin: &str) -> Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(Error::input(self.0.iter().map(|problem| format!("{origin}: {problem}")).collect::<Vec<_>>().join("\n"))),
        }
    }
}
