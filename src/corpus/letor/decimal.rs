//! Reads short plain decimals such as `0.007477` or `12`. Almost every value of a text is one.
//!
//! A mantissa below 2⁵³ and a power of ten up to 10²² are exact in f64, so their quotient is correctly rounded and no general parser is
//! needed. All functions here treat eight bytes as one word.

/// The value of `text[start..end]`, if it is a plain decimal of few digits.
///
/// The two most common forms, `3` and `0.007477`, come first. For the others no branch depends on the place of the point: it differs from
/// token to token, and a mispredicted branch costs more than the arithmetic.
#[inline(always)]
pub fn decimal(text: &[u8], start: usize, end: usize) -> Option<f64> {
    match end.wrapping_sub(start) {
        1 => text[start].is_ascii_digit().then(|| f64::from(text[start] - b'0')),
        n @ 2..=8 => {
            let word = eight_before(text, end)?;
            six_decimals(word, n).or_else(|| short_decimal(word, n)).or_else(|| long_decimal(text, start, end))
        }
        9..=18 => long_decimal(text, start, end),
        _ => None,
    }
}

/// The value of a decimal with one digit before the point and six after it, such as `0.007477`.
#[inline(always)]
fn six_decimals(word: u64, n: usize) -> Option<f64> {
    if n != 8 || word >> 8 & 0xFF != u64::from(b'.') {
        return None;
    }
    let x = word ^ ZEROS;
    let x = (x & !0xFFFF) | (x & 0xFF) << 8;
    (others(x) == 0).then(|| number_of(x) as i64 as f64 / 1e6)
}

/// The value of the last `n` bytes of a word, `n` ≥ 2, if they are digits with at most one point among them.
#[inline(always)]
fn short_decimal(word: u64, n: usize) -> Option<f64> {
    const POINT: u64 = (b'.' ^ b'0') as u64;
    let x = (word ^ ZEROS) & LAST[n];
    let others = others(x);
    // Without a point, all digits count as below it and none moves.
    let point = others >> 7;
    let below = point.wrapping_sub(1);
    let above = !(others << 1).wrapping_sub(1);
    if point & below != 0 || (x & !below & !above) != point.wrapping_mul(POINT) {
        return None;
    }
    // The digits before the point move up by one, into its place.
    let shift = 8 * u32::from(others != 0);
    let mantissa = number_of((x & above) | (x & below) << shift);
    let n_decimals = others.leading_zeros() as usize / 8;
    Some(mantissa as i64 as f64 / DIVISORS[0][n_decimals])
}

/// The value of `text[start..end]`, if it is a decimal with at most eight digits before the point and seven after it.
#[inline(never)]
fn long_decimal(text: &[u8], start: usize, end: usize) -> Option<f64> {
    let tail = eight_before(text, end)?;
    let point = (zero_bytes(tail ^ (ONES * u64::from(b'.'))).leading_zeros() / 8) as usize;
    let has_point = point < 8 && point < end - start;
    let n_decimals = if has_point { point } else { 0 };
    let whole_end = end - n_decimals - usize::from(has_point);
    let negative = usize::from(text[start] == b'-');
    let n_whole = whole_end.wrapping_sub(start + negative);
    if n_whole.wrapping_sub(1) >= 8 {
        return None;
    }
    let decimals = last_digits(tail, n_decimals)?;
    let whole = last_digits(eight_before(text, whole_end)?, n_whole)?;
    let mantissa = whole * POWERS[n_decimals] + decimals;
    Some(mantissa as i64 as f64 / DIVISORS[negative][n_decimals])
}

const POWERS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
/// Divisors by sign and number of decimals. The entry for eight decimals stands for a word of eight bytes without a point.
const DIVISORS: [[f64; 9]; 2] = [[1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1.0], [-1.0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1.0]];
const ONES: u64 = 0x0101_0101_0101_0101;
const ZEROS: u64 = ONES * b'0' as u64;

/// Sets the top bit of each byte that is 0, and no other bit.
#[inline(always)]
fn zero_bytes(word: u64) -> u64 {
    !(((word & (ONES * 0x7F)) + ONES * 0x7F) | word) & (ONES * 0x80)
}

/// The eight bytes before `end` as a word; the last byte is the highest.
#[inline(always)]
fn eight_before(text: &[u8], end: usize) -> Option<u64> {
    text[..end].last_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The number that the last `n` bytes of a word spell; `None` if one of them is not a digit.
#[inline(always)]
fn last_digits(word: u64, n: usize) -> Option<u64> {
    let x = (word ^ ZEROS) & LAST[n];
    (others(x) == 0).then(|| number_of(x))
}

/// Masks of the last n bytes of a word.
const LAST: [u64; 9] = [0, !0 << 56, !0 << 48, !0 << 40, !0 << 32, !0 << 24, !0 << 16, !0 << 8, !0];

/// Sets the top bit of each byte above 9. A byte that is not ASCII may carry, but that only disturbs the bytes above it.
#[inline(always)]
fn others(x: u64) -> u64 {
    (x.wrapping_add(ONES * 0x76) | x) & (ONES * 0x80)
}

/// The number that eight digits spell, the last digit in the highest byte. Neighbours are added up in pairs, then fours, then all eight.
#[inline(always)]
fn number_of(x: u64) -> u64 {
    let pairs = x.wrapping_mul(10).wrapping_add(x >> 8);
    let low = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(0x000F_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00FF_0000_00FF).wrapping_mul(0x0000_2710_0000_0001);
    low.wrapping_add(high) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The decimal after eight bytes of something else, as in a line.
    fn read(text: &str) -> Option<f64> {
        let line = format!("0 qid:1 {text} ");
        decimal(line.as_bytes(), 8, 8 + text.len())
    }

    #[test]
    fn common_forms_are_read() {
        for (text, expect) in [
            ("0", 0.0),
            ("7", 7.0),
            ("0.007477", 0.007477),
            ("156", 156.0),
            ("22.076928", 22.076928),
            ("-3.5", -3.5),
            ("1.", 1.0),
            (".5", 0.5),
        ] {
            assert_eq!(read(text), Some(expect), "{text}");
        }
        assert_eq!(read("-0").map(f64::to_bits), Some((-0.0f64).to_bits()));
        assert_eq!(read("12345678.1234567"), Some(12_345_678.123_456_7));
    }

    #[test]
    fn others_are_left_to_the_general_parser() {
        for text in
            ["", ".", "..", "-", "x", "1e3", "1..2", "1.2.3", "0.0074x7", "+1", "123456789", "0.12345678", "--1", "1-", "1\u{e9}", "nan"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_the_standard_library_reads(text in "-?[0-9]{1,9}(\\.[0-9]{0,9})?") {
            if let Some(value) = read(&text) {
                prop_assert_eq!(value.to_bits(), text.parse::<f64>().expect("a number").to_bits(), "{}", text);
            }
        }

        #[test]
        fn what_is_read_is_a_number(text in "[-+0-9.eE:/ x]{1,9}") {
            prop_assert!(read(&text).is_none() || text.parse::<f64>().is_ok(), "{}", text);
        }
    }
}
