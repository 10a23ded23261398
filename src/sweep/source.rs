//! The text of a sweep file, and how one walks through it. Values of scenario fields stay text: only their own types can read them.

use crate::error::{Error, Result};
use crate::fields::options;
use crate::files;
use crate::scenario::ron_text::{Group, Item, check_syntax, group, list, nearest, pointed, tokens};
use serde::de::DeserializeOwned;
use std::ops::Range;
use std::path::Path;

/// A text with its name in messages.
#[derive(Debug)]
pub struct Source {
    pub text: String,
    pub origin: String,
}

impl Source {
    /// Reads a file and checks its syntax.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = files::read(path, files::WRITTEN_BY_HAND).map_err(|source| Error::cannot_read(path, &source))?;
        let origin = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|error| {
            Error::input(format!("{origin}: byte {} is not UTF-8; save the file as UTF-8", error.utf8_error().valid_up_to()))
        })?;
        Self::new(text.strip_prefix('\u{feff}').unwrap_or(&text), &origin)
    }

    /// A text of which at least the syntax is right.
    pub fn new(text: &str, origin: &str) -> Result<Self> {
        let source = Self { text: text.to_owned(), origin: origin.to_owned() };
        if tokens(text).next().is_none() {
            return Err(Error::input(format!(
                "{origin}: holds no sweep; write at least ( name: \"…\", base: \"scenario.ron\", axes: [] )"
            )));
        }
        check_syntax(text).map_err(|(at, message)| source.refuse(at, &message))?;
        Ok(source)
    }

    /// The error about a place in the text.
    pub fn refuse(&self, at: usize, message: &str) -> Error {
        Error::input(pointed(&self.text, &self.origin, at, message))
    }

    /// The fields in round brackets of a value, none of them twice. `what` says what the brackets hold.
    pub fn fields(&self, value: Range<usize>, what: &str) -> Result<Vec<(&str, Range<usize>)>> {
        let at = value.start;
        let items = self.items(value, false).filter(|items| items.iter().all(|item| item.name.is_some()));
        let items = items.ok_or_else(|| self.refuse(at, &format!("{what} needs its fields by name in round brackets")))?;
        let fields: Vec<(&str, Range<usize>)> = items.into_iter().map(|item| (item.name.unwrap_or_default(), item.value)).collect();
        for (nth, (name, _)) in fields.iter().enumerate() {
            if fields[..nth].iter().any(|(earlier, _)| earlier == name) {
                return Err(self.refuse(self.place_of(name), &format!("`{name}` is given twice; keep one of them")));
            }
        }
        Ok(fields)
    }

    /// The elements of a list in square brackets.
    pub fn list(&self, value: Range<usize>, what: &str) -> Result<Vec<Range<usize>>> {
        let at = value.start;
        let items = self.items(value, true).ok_or_else(|| self.refuse(at, &format!("{what} must be a list in square brackets")))?;
        Ok(items.into_iter().map(|item| item.value).collect())
    }

    /// The items of a value that is nothing but its brackets, after an optional name.
    pub fn items(&self, value: Range<usize>, as_list: bool) -> Option<Vec<Item<'_>>> {
        let Group { is_list, items, .. } = group(&self.text, value)?;
        (is_list == as_list).then_some(items)
    }

    /// The name before the brackets of a value, such as `Axis` in `Axis(…)`, or its only word.
    pub fn word(&self, value: &Range<usize>) -> &str {
        let first = tokens(&self.text[value.clone()]).next().map_or("", |(_, token)| token);
        if first.starts_with(|c: char| c.is_alphabetic()) { first } else { "" }
    }

    /// A value of a type that is not a scenario's.
    pub fn value<T: DeserializeOwned>(&self, value: &Range<usize>, must_be: &str) -> Result<T> {
        options().from_str(&self.text[value.clone()]).map_err(|_| self.refuse(value.start, &format!("this must be {must_be}")))
    }

    /// Where a part of the text begins.
    pub fn place_of(&self, part: &str) -> usize {
        (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize).filter(|at| *at < self.text.len()).unwrap_or(0)
    }

    /// The error about a name that is none of those there are.
    pub fn unknown(&self, at: usize, what: &str, found: &str, names: &[&str]) -> Error {
        let remedy = nearest(found, names).unwrap_or_else(|| format!("choose {}", list(names, "or")));
        self.refuse(at, &format!("unknown {what} `{found}`; {remedy}"))
    }

    /// The text up to the end of a value, with everything before it blank, so that its places stay the same.
    pub fn alone(&self, value: &Range<usize>) -> String {
        let before: String = self.text[..value.start].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        before + &self.text[value.clone()]
    }
}
