//! The way most lines are read: four tokens at a time, each guessed to be the next feature with a plain decimal. Where a guess is wrong the rules in
//! `tokens` take over for that token, so nothing depends on which way was taken.

use super::kernel::{Token, Tokens, Wide, Work};
use super::names::Name;
use super::tokens::{any_pair, feature, is_blank, refuse_duplicates, scan_anywhere};
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
        // A body begins with the blank after its query: without it, the first four tokens are those of the first four features.
        let start = self.body.start + usize::from(self.text[self.body.clone()].first().is_some_and(|&byte| is_blank(byte)));
        match wide.and_then(|wide| Some((wide, wide.tokens(self.text, start..self.body.end)?))) {
            Some((wide, tokens)) => self.read(wide, tokens),
            None => scan_anywhere(self.text, self.body, self.largest, self.put),
        }
    }
}

impl<P: FnMut(u32, f64)> Swift<'_, P> {
    /// Where the processor has the instructions, and away from the ends of the text.
    #[inline(always)]
    fn read(mut self, wide: Wide, mut tokens: Tokens) -> Result<u32, String> {
        let mut met = Met { highest: 0, ascending: true };
        loop {
            if let Some([a, b, c, d]) = tokens.four() {
                self.take(wide, a, &mut met)?;
                self.take(wide, b, &mut met)?;
                self.take(wide, c, &mut met)?;
                self.take(wide, d, &mut met)?;
            } else if let Some(token) = tokens.next() {
                self.take(wide, token, &mut met)?;
            } else {
                break;
            }
        }
        if !met.ascending {
            refuse_duplicates(&self.text[self.body])?;
        }
        Ok(met.highest)
    }

    #[inline(always)]
    fn take(&mut self, wide: Wide, token: Token, met: &mut Met) -> Result<(), String> {
        if let Some(value) = expected(wide, &token, met.highest) {
            met.highest += 1;
            (self.put)(met.highest, value);
        } else if token.end > token.start {
            let (feature, value) = unexpected(wide, self.text, &token, self.largest)?;
            met.meet(feature);
            (self.put)(feature, value);
        }
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
    #[inline(always)]
    fn meet(&mut self, feature: u32) {
        self.ascending &= feature > self.highest;
        self.highest = self.highest.max(feature);
    }
}

/// The value of a token of the feature after `last`, which is the usual next one, if it is a plain decimal.
#[inline(always)]
fn expected(wide: Wide, token: &Token, last: u32) -> Option<f64> {
    let name = Name::after(last).filter(|name| name.begins(token.head))?;
    plain_value(wide, token, name.len, (u64::from_le_bytes(token.head) >> (8 * name.len)) as u8)
}

/// A token of any feature and value.
#[inline(never)]
fn unexpected(wide: Wide, text: &[u8], token: &Token, largest: f64) -> Result<(u32, f64), String> {
    let plain = feature(text, token.start)
        .and_then(|(feature, value_at)| Some((feature, plain_value(wide, token, value_at - token.start, *text.get(value_at)?)?)));
    match plain {
        Some(pair) => Ok(pair),
        None => any_pair(&text[token.start..token.end], largest),
    }
}

/// The value that begins `at` bytes into the token with the byte `first`.
#[inline(always)]
fn plain_value(wide: Wide, token: &Token, at: usize, first: u8) -> Option<f64> {
    let n = token.end.wrapping_sub(token.start + at);
    // One digit is worth a branch of its own: whole columns of public sets consist of them.
    if n == 1 {
        return first.is_ascii_digit().then(|| f64::from(first - b'0'));
    }
    let negative = first == b'-';
    wide.decimal(token.tail, n.wrapping_sub(usize::from(negative)), negative)
}
