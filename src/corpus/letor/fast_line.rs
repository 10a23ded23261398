//! Reads most lines quickly: it takes four tokens at a time and guesses that they are the next four features with plain decimals.
//!
//! Where the guess is wrong, it reads the tokens one by one, if necessary by the rules in `tokens`. Both ways give the same values.

use super::kernel::{Tokens, Wide, Work};
use super::lines::body_end;
use super::names::Names;
use super::tokens::{Sink, is_blank, pair, refuse_duplicates, scan_anywhere};
use std::ops::Range;

/// A line to be read; `tokens::scan` describes how.
pub struct Swift<'a, S> {
    /// The whole text.
    pub text: &'a [u8],
    /// Where the features of the line begin.
    pub start: usize,
    /// Where they end. If this is not known yet, it is found while reading.
    pub end: Option<usize>,
    /// The largest magnitude that a value may have.
    pub largest: f64,
    /// The receiver of the values.
    pub sink: S,
}

/// The result of reading a line.
pub struct Read {
    /// Its highest feature.
    pub highest: u32,
    /// Where its features end.
    pub end: usize,
}

impl<S: Sink> Work for Swift<'_, S> {
    type Result = Result<Read, String>;

    #[inline(always)]
    fn run(self, wide: Option<Wide>) -> Self::Result {
        let blank_first = self.text.get(self.start).is_some_and(|&byte| is_blank(byte));
        match wide.filter(|_| blank_first).and_then(|wide| wide.tokens(self.text, self.start)) {
            Some(tokens) => self.read(tokens),
            None => {
                let end = self.end_from(self.start);
                scan_anywhere(self.text, self.start..end, self.largest, self.sink).map(|highest| Read { highest, end })
            }
        }
    }
}

impl<S: Sink> Swift<'_, S> {
    #[inline(always)]
    fn read(mut self, mut tokens: Tokens) -> Result<Read, String> {
        let mut met = Met { highest: 0, ascending: true };
        // Where guesses fail, because features are sparse or numbers long, more tokens are read one by one before the next guess.
        let mut patience = 4;
        'line: loop {
            while let Some(values) = Names::after(met.highest).and_then(|names| tokens.four(names)) {
                self.sink.put_four(met.highest, values);
                met.highest += 4;
            }
            tokens.end_at(|start| *self.end.get_or_insert_with(|| body_end(self.text, start).0));
            let mut in_a_row = 0;
            while in_a_row < patience {
                let Some(token) = tokens.next() else { break 'line };
                if let Some(value) = Names::after(met.highest).and_then(|name| tokens.value(&token, name)) {
                    met.highest += 1;
                    self.sink.put(met.highest, value);
                    in_a_row += 1;
                } else {
                    met = self.take(token, met)?;
                    in_a_row = 0;
                }
            }
            patience *= 2;
        }
        let end = self.end_from(self.start);
        if !met.ascending {
            refuse_duplicates(&self.text[self.start..end])?;
        }
        Ok(Read { highest: met.highest, end })
    }

    fn end_from(&self, start: usize) -> usize {
        self.end.unwrap_or_else(|| body_end(self.text, start).0)
    }

    /// Reads a token of any form.
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
    /// Whether their numbers rise. Rising numbers cannot repeat, so only other lines are searched for duplicates.
    ascending: bool,
}
