//! Collects what is wrong with a scenario, so that all of it is reported at once.

use crate::error::{Error, QUOTED, Result, clip};
use crate::scenario::written::Written;
use std::fmt::Display;

#[derive(Default)]
pub struct Problems(Vec<String>);

impl Problems {
    /// Notes `field is value; it must be …` unless it is so. `must_be` may end with the remedy.
    pub fn require(&mut self, is_so: bool, field: &str, value: impl Display, must_be: &str) {
        if !is_so {
            self.0.push(format!("{field} is {}; it must be {must_be}", plain(&value.to_string())));
        }
    }

    /// Notes a problem that is not one of a single value. It begins with its field all the same, so that its place can be told.
    pub fn refuse_if(&mut self, is_wrong: bool, problem: impl FnOnce() -> String) {
        if is_wrong {
            self.0.push(problem());
        }
    }

    pub fn probability(&mut self, field: &str, value: f64) {
        self.require((0.0..=1.0).contains(&value), field, value, "between 0 and 1");
    }

    pub fn count(&self) -> usize {
        self.0.len()
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

/// A number as people write it: 1e308 and 1e-320, not three hundred digits; 0, not -0.
pub fn number(value: f64) -> String {
    plain(&value.to_string())
}

fn plain(shown: &str) -> String {
    const MOST_DIGITS: usize = 20;
    match shown.parse::<f64>() {
        Ok(0.0) => "0".into(),
        Ok(number) if shown.len() > MOST_DIGITS => format!("{number:e}"),
        _ => clip(shown, QUOTED).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (value, shown) in [
            (1e308, "1e308"),
            (1e-320, "1e-320"),
            (-1e300, "-1e300"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e6, "1000000"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), shown);
        }
        assert_eq!((plain("18446744073709551615"), plain("\"x\"")), ("18446744073709551615".into(), "\"x\"".into()));
    }
}
