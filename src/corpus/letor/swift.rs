//! The way most lines are read: four tokens at a time, guessed to be the next four features with plain decimals. Where the guess is wrong the rules in
//! `tokens` take over for those four, so nothing depends on which way was taken.

use super::kernel::{Token, Tokens, Wide, Work};
use super::names::Name;
use super::tokens::{is_blank, pair, refuse_duplicates, scan_anywhere};
use std::ops::Range;

/// A line to be read: see `scan`.
pub struct Swift<'a, P> {
    pub text: &'a [u8],
    pub body: Range<usize>,
    pub largest: f64,
    pub put: P,
}

impl<P: FnMut(u32, f64)> Work for Swift<'_, P> {
    type Result = Result<u32, String>;

    #[inline(always)]
    fn run(self, wide: Option<Wide>) -> Self::Result {
        // A body begins with the blank after its query, and ends with one if a comment follows: without them, the first four tokens are those of
        // the first four features, and the last is not empty.
        let blank = |byte: Option<&u8>| usize::from(byte.is_some_and(|&byte| is_blank(byte)));
        let start = self.body.start + blank(self.text[self.body.clone()].first());
        let end = self.body.end - blank(self.text[start..self.body.end].last());
        match wide.and_then(|wide| Some((wide, wide.tokens(self.text, start..end)?))) {
            Some((wide, tokens)) => self.read(wide, tokens),
            None => scan_anywhere(self.text, self.body, self.largest, self.put),
        }
    }
}

impl<P: FnMut(u32, f64)> Swift<'_, P> {
    #[inline(always)]
    fn read(mut self, wide: Wide, mut tokens: Tokens) -> Result<u32, String> {
        let mut met = Met { highest: 0, ascending: true };
        loop {
            if let Some(four) = tokens.four() {
                match expected_four(wide, &four, met.highest) {
                    Some(values) => values.into_iter().for_each(|value| (self.put)(met.next(), value)),
                    None => four.map(|token| token.start..token.end).into_iter().try_for_each(|token| self.take(token, &mut met))?,
                }
            } else if let Some(token) = tokens.next() {
                match Name::after(met.highest).and_then(|name| expected(wide, &token, name)) {
                    Some(value) => (self.put)(met.next(), value),
                    None => self.take(token.start..token.end, &mut met)?,
                }
            } else {
                break;
            }
        }
        if !met.ascending {
            refuse_duplicates(&self.text[self.body])?;
        }
        Ok(met.highest)
    }

    /// Any token. Not inlined, and given no `Token`, because then those would be kept in memory for it.
    #[inline(never)]
    fn take(&mut self, token: Range<usize>, met: &mut Met) -> Result<(), String> {
        if token.is_empty() {
            return Ok(());
        }
        let (feature, value) = pair(self.text, token, met.highest, self.largest)?;
        met.meet(feature);
        (self.put)(feature, value);
        Ok(())
    }
}

/// The features of a line so far.
struct Met {
    highest: u32,
    /// Rising numbers cannot repeat: only other lines are looked through for duplicates.
    ascending: bool,
}

impl Met {
    /// One more than the highest so far.
    #[inline(always)]
    fn next(&mut self) -> u32 {
        self.highest += 1;
        self.highest
    }

    fn meet(&mut self, feature: u32) {
        self.ascending &= feature > self.highest;
        self.highest = self.highest.max(feature);
    }
}

/// The values of four tokens of the features after `last`, if they are plain decimals.
#[inline(always)]
fn expected_four(wide: Wide, [a, b, c, d]: &[Token; 4], last: u32) -> Option<[f64; 4]> {
    let [k, l, m, n] = Name::four_after(last)?;
    Some([expected(wide, a, k)?, expected(wide, b, l)?, expected(wide, c, m)?, expected(wide, d, n)?])
}

/// The value of a token of that name, if it is a plain decimal.
#[inline(always)]
fn expected(wide: Wide, token: &Token, name: &Name) -> Option<f64> {
    if !name.begins(token.head) {
        return None;
    }
    let n = token.end.wrapping_sub(token.start + name.len);
    let first = (u64::from_le_bytes(token.head) >> (8 * name.len)) as u8;
    // One digit is worth a branch of its own: whole columns of public sets consist of them.
    if n == 1 {
        return first.is_ascii_digit().then(|| f64::from(first - b'0'));
    }
    let negative = first == b'-';
    wide.decimal(token.tail, n.wrapping_sub(usize::from(negative)), negative)
}
