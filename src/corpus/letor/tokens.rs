//! The tokenizer: `<feature>:<value>` pairs from bytes, at a good part of the speed at which memory can be read.
//!
//! Almost every value in these files is a short plain decimal such as `0.007477` or `12`. A mantissa below 2⁵³ divided by a power of ten up to 10²²
//! is correctly rounded, since both are exact in f64, so that path needs no general parser. Everything else goes to `fast_float2`.

/// No public set comes near; a number above this is a damaged line, not a dimension to allocate.
pub const MAX_FEATURE: u32 = 1_000_000;

/// Calls `put(feature, value)` for every token of `body`, which holds neither label nor comment, and returns the highest feature, 0 if there is none.
///
/// Values are finite and at most `largest` in magnitude.
///
/// # Errors
/// What is wrong with the first broken token, and what to do.
#[inline]
pub fn scan(body: &[u8], largest: f64, mut put: impl FnMut(u32, f64)) -> Result<u32, String> {
    let mut at = 0;
    let mut highest = 0;
    let mut ascending = true;
    loop {
        while body.get(at).is_some_and(|&b| is_blank(b)) {
            at += 1;
        }
        if at >= body.len() {
            break;
        }
        let Some((feature, value_at)) = feature(body, at) else { return Err(broken(body, at)) };
        let (value, end) = match decimal(body, value_at) {
            Some(read) => read,
            None => any_number(body, at, value_at, largest)?,
        };
        // Rising numbers cannot repeat: only other lines are looked through for duplicates.
        ascending &= feature > highest;
        highest = highest.max(feature);
        put(feature, value);
        at = end;
    }
    if !ascending {
        refuse_duplicates(body)?;
    }
    Ok(highest)
}

/// The highest number among the last token of a line: a cheap guess at its dimension, right wherever features rise.
pub fn last_feature(body: &[u8]) -> u32 {
    let end = body.iter().rposition(|&b| !is_blank(b)).map_or(0, |p| p + 1);
    let start = body[..end].iter().rposition(|&b| is_blank(b)).map_or(0, |p| p + 1);
    feature(body, start).map_or(0, |(feature, _)| feature)
}

pub fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The token that starts at `at`, for messages.
fn token(bytes: &[u8], at: usize) -> &[u8] {
    let rest = &bytes[at..];
    &rest[..rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len())]
}

/// Any number as f64, if the whole token is one.
pub fn number(token: &[u8]) -> Option<f64> {
    fast_float2::parse::<f64, _>(token).ok()
}

/// `12:` at `at` as (12, where its value starts).
#[inline]
fn feature(bytes: &[u8], mut at: usize) -> Option<(u32, usize)> {
    let mut feature: u32 = 0;
    while let Some(&byte) = bytes.get(at) {
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
    None
}

/// A plain decimal that ends at a blank or the end, if the exact division applies, and where it ends.
#[inline]
fn decimal(bytes: &[u8], mut at: usize) -> Option<(f64, usize)> {
    let negative = bytes.get(at) == Some(&b'-');
    at += usize::from(negative);
    let (mut mantissa, n_whole) = digits(eight(bytes, at));
    at += n_whole;
    let mut n_decimals = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let (decimals, n) = digits(eight(bytes, at));
        mantissa = mantissa * POWERS[n] + decimals;
        n_decimals = n;
        at += n;
    }
    let ended = bytes.get(at).is_none_or(|&b| is_blank(b));
    if n_whole == 0 || !ended || mantissa >= 1 << 53 {
        return None;
    }
    let value = mantissa as f64 / POWERS[n_decimals] as f64;
    Some((if negative { -value } else { value }, at))
}

const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// The eight bytes at `at`, the first one lowest; blanks beyond the end.
#[inline]
fn eight(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..at + 8) {
        Some(word) => u64::from_le_bytes(word.try_into().expect("eight bytes")),
        None => {
            let mut word = [b' '; 8];
            let rest = bytes.get(at..).unwrap_or_default();
            word[..rest.len()].copy_from_slice(rest);
            u64::from_le_bytes(word)
        }
    }
}

/// The digits that a word begins with, as a number, and how many there are: all eight bytes at once.
#[inline]
fn digits(word: u64) -> (u64, usize) {
    let x = word ^ 0x3030_3030_3030_3030;
    // The top bit of a byte is set where x > 9. A carry can only spoil bytes above the first such one, and that one is all we look for.
    let other = (x.wrapping_add(0x7676_7676_7676_7676) | x) & 0x8080_8080_8080_8080;
    let n = (other.trailing_zeros() / 8) as usize;
    if n == 0 {
        return (0, 0);
    }
    // Move the digits to the end, as if zeros stood before them; then add neighbours in pairs, fours, eights.
    let x = x << (64 - 8 * n);
    let pairs = x.wrapping_mul(10).wrapping_add(x >> 8);
    let low = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(0x000F_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00FF_0000_00FF).wrapping_mul(0x0000_2710_0000_0001);
    (low.wrapping_add(high) >> 32, n)
}

/// The general case: signs, exponents, many digits.
#[cold]
fn any_number(body: &[u8], token_at: usize, value_at: usize, largest: f64) -> Result<(f64, usize), String> {
    let text = token(body, value_at);
    let Some(value) = number(text) else { return Err(broken(body, token_at)) };
    let shown = String::from_utf8_lossy(token(body, token_at)).into_owned();
    if !value.is_finite() {
        return Err(format!("`{shown}` is not a finite number; remove the document or give the feature a value"));
    }
    if value.abs() > largest {
        return Err(format!("`{shown}` does not fit single precision; use normalize: PerQuery"));
    }
    Ok((value, value_at + text.len()))
}

#[cold]
fn broken(body: &[u8], at: usize) -> String {
    let token = String::from_utf8_lossy(token(body, at));
    let number = token.split_once(':').and_then(|(feature, _)| feature.parse::<u64>().ok());
    match number {
        Some(0) => format!("`{token}`: features are numbered from 1"),
        Some(n) if n > u64::from(MAX_FEATURE) => format!("`{token}`: at most {MAX_FEATURE} features can be held"),
        _ => format!("`{token}` is not <feature>:<value>, such as 12:0.5"),
    }
}

#[cold]
fn refuse_duplicates(body: &[u8]) -> Result<(), String> {
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

    fn read(body: &str) -> Result<Vec<(u32, f64)>, String> {
        let mut pairs = Vec::new();
        scan(body.as_bytes(), f64::from(f32::MAX), |feature, value| pairs.push((feature, value))).map(|_| pairs)
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
        assert!(scan(b"1:1.797e308", f64::MAX, |_, _| ()).is_ok());
    }

    #[test]
    fn the_last_token_tells_the_dimension() {
        for (body, expect) in [("", 0), ("1:2", 1), ("1:2 46:0.5  ", 46), ("1:2 x", 0)] {
            assert_eq!(last_feature(body.as_bytes()), expect, "{body}");
        }
    }

    proptest! {
        #[test]
        fn every_decimal_is_read_as_the_standard_library_reads_it(
            sign in "-?", whole in "[0-9]{1,12}", decimals in proptest::option::of("[0-9]{0,20}"), rest in "(|e-?[0-9]{1,2})"
        ) {
            let text = format!("{sign}{whole}{}{rest}", decimals.map(|d| format!(".{d}")).unwrap_or_default());
            let expect: f64 = text.parse().expect("a number");
            let pairs = scan_all(&format!("5:{text} 6:{text}"));
            prop_assert_eq!(pairs.iter().map(|(_, v)| v.to_bits()).collect::<Vec<_>>(), vec![expect.to_bits(); 2], "{}", text);
        }
    }

    fn scan_all(body: &str) -> Vec<(u32, f64)> {
        let mut pairs = Vec::new();
        scan(body.as_bytes(), f64::MAX, |feature, value| pairs.push((feature, value))).expect("well formed");
        pairs
    }
}
