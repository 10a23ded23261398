//! The way most lines are read: four tokens at a time, guessed to be the next four features with plain decimals. Where the guess is wrong these four
//! are read one by one, where necessary by the rules in `tokens`, so nothing depends on which way was taken.

use super::kernel::{Tokens, Wide, Work};
use super::names::Names;
use super::tokens::{Sink, is_blank, pair, refuse_duplicates, scan_anywhere};
use std::ops::Range;

/// A line to be read: see `scan`.
pub struct Swift<'a, S> {
    pub text: &'a [u8],
    pub body: Range<usize>,
    pub largest: f64,
    pub sink: S,
}

impl<S: Sink> Work for Swift<'_, S> {
    type Result = Result<u32, String>;

    #[inline(always)]
    fn run(self, wide: Option<Wide>) -> Self::Result {
        // A body begins with the blank after its query, and ends with one if a comment follows: without them, the first four tokens are those of
        // the first four features, and the last is not empty.
        let blank = |byte: Option<&u8>| usize::from(byte.is_some_and(|&byte| is_blank(byte)));
        let start = self.body.start + blank(self.text[self.body.clone()].first());
        let end = self.body.end - blank(self.text[start..self.body.end].last());
        match wide.and_then(|wide| wide.tokens(self.text, start..end)) {
            Some(tokens) => self.read(tokens),
            None => scan_anywhere(self.text, self.body, self.largest, self.sink),
        }
    }
}

impl<S: Sink> Swift<'_, S> {
    #[inline(always)]
    fn read(mut self, mut tokens: Tokens) -> Result<u32, String> {
        let mut met = Met { highest: 0, ascending: true };
        'line: loop {
            if let Some(values) = Names::after(met.highest).and_then(|names| tokens.four(names)) {
                self.sink.put_four(met.highest, values);
                met.highest += 4;
                continue;
            }
            for _ in 0..4 {
                if let Some(value) = Names::after(met.highest).and_then(|name| tokens.one(name)) {
                    met.highest += 1;
                    self.sink.put(met.highest, value);
                } else if let Some(token) = tokens.any() {
                    met = self.take(token, met)?;
                } else {
                    break 'line;
                }
            }
        }
        if !met.ascending {
            refuse_duplicates(&self.text[self.body])?;
        }
        Ok(met.highest)
    }

    /// Any token.
    #[inline(never)]
    fn take(&mut self, token: Range<usize>, met: Met) -> Result<Met, String> {
        if token.is_empty() {
            return Ok(met);
        }
        let (feature, value) = pair(self.text, token, met.highest, self.largest)?;
        self.sink.put(feature, value);
        Ok(Met { highest: met.highest.max(feature), ascending: met.ascending && feature > met.highest })
    }
}

/// The features of a line so far.
#[derive(Clone, Copy)]
struct Met {
    highest: u32,
    /// Rising numbers cannot repeat: only other lines are looked through for duplicates.
    ascending: bool,
}
