//! The tokenizer reads `<feature>:<value>` pairs from bytes, nearly as fast as memory can be read.
//!
//! `fast_line` reads most lines; this module holds the exact rules and reads all other lines. `decimal` reads common values, and
//! `fast_float2` reads all others.

use super::decimal::decimal;
use super::fast_line::{Read, Swift};
use super::kernel;
use super::names::Names;
use crate::error::{QUOTED, clip};
use std::ops::Range;

/// The highest feature number. No public set comes near it: a higher number means a damaged line, and no memory is allocated for it.
pub const MAX_FEATURE: u32 = 1_000_000;

/// Receives the values of a line.
pub trait Sink: Sized {
    /// Takes the value of a feature.
    fn put(&mut self, feature: u32, value: f64);

    /// Takes the values of the four features after `last`.
    #[inline(always)]
    fn put_four(&mut self, last: u32, values: [f64; 4]) {
        put_each(self, last, values);
    }
}

/// Puts the values of the four features after `last` one by one.
// Written out, because a loop over the values would keep them in memory.
#[inline(always)]
pub fn put_each(sink: &mut impl Sink, last: u32, [a, b, c, d]: [f64; 4]) {
    sink.put(last + 1, a);
    sink.put(last + 2, b);
    sink.put(last + 3, c);
    sink.put(last + 4, d);
}

impl<P: FnMut(u32, f64)> Sink for P {
    #[inline(always)]
    fn put(&mut self, feature: u32, value: f64) {
        self(feature, value);
    }
}

/// Puts every token of `text[body]` into `sink` and returns the highest feature, or 0 if there is none. The body holds neither label nor
/// comment; it ends where its line, a comment or the text ends.
///
/// Values are finite and at most `largest` in magnitude. The text around the body is needed only to load whole words.
///
/// # Errors
/// Fails at the first broken token. The message says what is wrong with it and how to correct it.
#[inline]
pub fn scan(text: &[u8], body: Range<usize>, largest: f64, sink: impl Sink) -> Result<u32, String> {
    kernel::run(Swift { text, start: body.start, end: Some(body.end), largest, sink }).map(|read| read.highest)
}

/// The same for a body whose end is not known.
///
/// # Errors
/// Fails as `scan` does.
#[inline]
pub fn scan_line(text: &[u8], start: usize, largest: f64, sink: impl Sink) -> Result<Read, String> {
    kernel::run(Swift { text, start, end: None, largest, sink })
}

/// The same for any processor, and for bodies near the ends of the text.
#[inline(never)]
pub fn scan_anywhere(text: &[u8], body: Range<usize>, largest: f64, mut sink: impl Sink) -> Result<u32, String> {
    let mut start = body.start;
    let mut highest = 0;
    let mut ascending = true;
    // The ends of tokens come from a mask per block, not from reading each token to its end, so that the processor can work on several
    // tokens at once. The end of the body counts as one more separator, in a last block that may be empty.
    for block in (body.start..=body.end).step_by(64) {
        let mut ends = separators(text, block);
        if body.end - block < 64 {
            ends = (ends | 1 << (body.end - block)) & (!0 >> (63 - (body.end - block)));
        }
        while ends != 0 {
            let end = block + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            if end > start {
                let (feature, value) = pair(text, start..end, highest, largest)?;
                // Rising numbers cannot repeat, so only other lines are searched for duplicates.
                ascending &= feature > highest;
                highest = highest.max(feature);
                sink.put(feature, value);
            }
            start = end + 1;
        }
    }
    if !ascending {
        refuse_duplicates(&text[body])?;
    }
    Ok(highest)
}

/// The feature of the last token of a line. It is a cheap guess at the highest feature, and right wherever features rise.
pub fn last_feature(body: &[u8]) -> u32 {
    let end = body.iter().rposition(|&b| !is_blank(b)).map_or(0, |p| p + 1);
    let start = body[..end].iter().rposition(|&b| is_blank(b)).map_or(0, |p| p + 1);
    feature(body, start).map_or(0, |(feature, _)| feature)
}

/// Whether a byte separates tokens.
pub fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The value of a token, if the whole token is a number of any form.
pub fn number(token: &[u8]) -> Option<f64> {
    fast_float2::parse::<f64, _>(token).ok()
}

/// The feature that begins at `at`, such as 12 for `12:`, and where its value starts.
#[inline(always)]
fn feature(text: &[u8], mut at: usize) -> Option<(u32, usize)> {
    let mut feature: u32 = 0;
    loop {
        let byte = *text.get(at)?;
        at += 1;
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return (byte == b':' && feature > 0).then_some((feature, at));
        }
        feature = feature * 10 + u32::from(digit);
        if feature > MAX_FEATURE {
            return None;
        }
    }
}

/// The feature and the value of a token of any form.
#[inline(always)]
pub fn pair(text: &[u8], token: Range<usize>, last: u32, largest: f64) -> Result<(u32, f64), String> {
    match plain_pair(text, token.start, token.end, last) {
        Some(pair) => Ok(pair),
        None => any_pair(&text[token], largest),
    }
}

/// Feature and value of the token `text[start..end]`, if it has the common form. Its feature is mostly the one after `last`.
#[inline(always)]
fn plain_pair(text: &[u8], start: usize, end: usize, last: u32) -> Option<(u32, f64)> {
    let head = *text[start..].first_chunk()?;
    let (feature, value_at) = match Names::<1>::after(last) {
        Some(name) if name.begins(head) => (last + 1, start + name.len()),
        _ => feature(text, start)?,
    };
    Some((feature, decimal(text, value_at, end)?))
}

/// A word with a bit for each blank among the 64 bytes from `at`; bytes beyond the end have none.
#[inline(always)]
fn separators(text: &[u8], at: usize) -> u64 {
    kernel::blanks(&text[at..text.len().min(at + 64)])
}

/// The general case: exponents, many digits and unusual forms.
#[inline(never)]
fn any_pair(token: &[u8], largest: f64) -> Result<(u32, f64), String> {
    let pair = feature(token, 0).and_then(|(feature, value_at)| Some((feature, number(&token[value_at..])?)));
    let Some((feature, value)) = pair else { return Err(broken(token)) };
    let shown = || quoted(token);
    if !value.is_finite() {
        return Err(format!("`{}` is not a finite number; remove the document or give the feature a value", shown()));
    }
    if value.abs() > largest {
        return Err(format!("`{}` does not fit single precision; use normalize: PerQuery", shown()));
    }
    Ok((feature, value))
}

/// A token as messages quote it.
#[cold]
pub fn quoted(token: &[u8]) -> String {
    clip(&String::from_utf8_lossy(token), QUOTED).into_owned()
}

#[cold]
fn broken(token: &[u8]) -> String {
    let text = String::from_utf8_lossy(token);
    let number = text.split_once(':').and_then(|(feature, _)| feature.parse::<u64>().ok());
    let token = quoted(token);
    match number {
        Some(0) => format!("`{token}`: features are numbered from 1"),
        Some(n) if n > u64::from(MAX_FEATURE) => format!("`{token}`: at most {MAX_FEATURE} features can be held"),
        _ => format!("`{token}` is not <feature>:<value>, such as 12:0.5"),
    }
}

/// Fails if a feature stands twice in a line.
#[cold]
pub fn refuse_duplicates(body: &[u8]) -> Result<(), String> {
    let mut seen = Vec::new();
    for token in body.split(|&b| is_blank(b)).filter(|token| !token.is_empty()) {
        let feature = feature(token, 0).map_or(0, |(feature, _)| feature);
        match seen.binary_search(&feature) {
            Ok(_) => return Err(format!("feature {feature} stands twice in the line; keep one")),
            Err(place) => seen.insert(place, feature),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    const HEAD: &str = "0 qid:1";

    /// Reads a body at the end of a text, where only the general way is open, and in the middle of one.
    fn read(body: &str) -> Result<Vec<(u32, f64)>, String> {
        let [end, middle] =
            [format!("{HEAD}{body}"), format!("0 qid:1 1:1 2:2\n{HEAD}{body}\n{}", "1 qid:1 3:4\n".repeat(9))].map(|text| {
                let mut pairs = Vec::new();
                let start = text.rfind(&format!("{HEAD}{body}")).expect("there") + HEAD.len();
                let put = |feature, value| pairs.push((feature, value));
                scan(text.as_bytes(), start..start + body.len(), f64::from(f32::MAX), put).map(|highest| (highest, pairs))
            });
        assert_eq!(end, middle, "{body}");
        end.map(|(_, pairs)| pairs)
    }

    #[track_caller]
    fn check(body: &str, expect: &[(u32, f64)]) {
        assert_eq!(read(body).as_deref(), Ok(expect));
    }

    #[track_caller]
    fn refuse(body: &str, why: &str) {
        let message = read(body).expect_err(body);
        assert!(message.contains(why), "{message}");
    }

    #[test]
    fn tokens_are_pairs_of_feature_and_value() {
        check("", &[]);
        check("  \t ", &[]);
        check("1:0.007477 2:0", &[(1, 0.007477), (2, 0.0)]);
        check("\t3:-1.5\t 136:12 ", &[(3, -1.5), (136, 12.0)]);
        check("7:1e3 8:.5 9:+2 10:1.", &[(7, 1000.0), (8, 0.5), (9, 2.0), (10, 1.0)]);
        check("46:0.1234567890123456789", &[(46, 0.123_456_789_012_345_68)]);
        check("1:12345678901234567890", &[(1, 12_345_678_901_234_567_890.0)]);
    }

    #[test]
    fn features_stand_in_any_order_but_once() {
        check("3:1 1:2 2:3", &[(3, 1.0), (1, 2.0), (2, 3.0)]);
        refuse("3:1 1:2 3:3", "feature 3 stands twice");
        refuse("1:1 1:1", "feature 1 stands twice");
    }

    #[test]
    fn broken_tokens_are_quoted() {
        for body in ["12:abc", "12", ":3", "12:", "1:0.5x", "1:0.5:3", "a:1", "-1:2", "1 :2", "1:1e", "1:--2"] {
            refuse(body, "is not <feature>:<value>");
        }
        refuse("1:1 12:abc 3:1", "`12:abc`");
        refuse("0:1", "numbered from 1");
        refuse("4000000000:1", "at most 1000000");
        refuse("99999999999999999999999:1", "is not <feature>:<value>");
    }

    #[test]
    fn values_must_be_finite_and_fit() {
        refuse("1:nan", "not a finite number");
        refuse("1:-inf", "not a finite number");
        refuse("1:1e999", "not a finite number");
        refuse("1:1.797e308", "use normalize: PerQuery");
        assert!(scan(b"1:1.797e308", 0..11, f64::MAX, |_, _| ()).is_ok());
    }

    #[test]
    fn the_last_token_tells_the_dimension() {
        for (body, expect) in [("", 0), ("1:2", 1), ("1:2 46:0.5  ", 46), ("1:2 x", 0)] {
            assert_eq!(last_feature(body.as_bytes()), expect, "{body}");
        }
    }

    proptest! {
        #[test]
        fn where_a_line_stands_does_not_show(tokens in proptest::collection::vec("([1-9]?[0-9]:-?[0-9]{0,9}(\\.[0-9]{0,9})?|[-+0-9.e:/x\\t ]{0,20})", 0..9)) {
            let _ = read(&tokens.join(" "));
        }

        #[test]
        fn rising_features_are_read_alike_everywhere(
            values in proptest::collection::vec("(-?[0-9]{1,9}(\\.[0-9]{0,9})?|[0-9]|0\\.[0-9]{6}|[0-9]{1,3}e-?[0-9])", 0..40), gap in 0..3usize
        ) {
            let pairs: Vec<String> = values.iter().enumerate().map(|(i, value)| format!(" {}:{value}", i + 1 + i * gap / 7)).collect();
            let expect: Vec<u64> = values.iter().map(|value| value.parse::<f64>().expect("a number").to_bits()).collect();
            let read: Vec<u64> = read(&pairs.concat()).expect("well formed").into_iter().map(|(_, value)| value.to_bits()).collect();
            prop_assert_eq!(read, expect);
        }

        #[test]
        fn every_number_is_read_as_the_standard_library_reads_it(
            sign in "-?", whole in "[0-9]{1,12}", decimals in "(|\\.[0-9]{0,20})", exponent in "(|e-?[0-9]{1,2})"
        ) {
            let text = format!("{sign}{whole}{decimals}{exponent}");
            let expect: f64 = text.parse().expect("a number");
            let mut values = Vec::new();
            let body = format!("5:{text} 6:{text}");
            scan(body.as_bytes(), 0..body.len(), f64::MAX, |_, value: f64| values.push(value.to_bits())).expect("well formed");
            prop_assert_eq!(values, [expect.to_bits(); 2], "{}", text);
        }
    }
}
