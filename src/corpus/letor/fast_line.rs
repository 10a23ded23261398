//! The way most lines are read: four tokens at a time, guessed to be the next four features with plain decimals. Where the guess is wrong tokens
//! are read one by one, where necessary by the rules in `tokens`, so nothing depends on which way was taken.

use super::kernel::{Tokens, Wide, Work};
use super::lines::body_end;
use super::names::Names;
use super::tokens::{Sink, is_blank, pair, refuse_duplicates, scan_anywhere};
use std::ops::Range;

/// A line to be read: see `scan`.
pub struct Swift<'a, S> {
    pub text: &'a [u8],
    pub start: usize,
    /// If it is not known, it is found on the way.
    pub end: Option<usize>,
    pub largest: f64,
    pub sink: S,
}

/// What a line has turned out to be.
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
        // A line whose features are sparse, or whose numbers are long, is not guessed at again and again.
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
