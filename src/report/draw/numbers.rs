//! Numbers as a page shows them: three digits for an nDCG, per cent for shares, thin spaces between thousands, time in human units.

use super::super::Unit;
use crate::units;

/// Units of virtual time from long to short, each with its length in nanoseconds.
pub const TIME_UNITS: [(&str, f64); 8] =
    [("w", 6.048e14), ("d", 8.64e13), ("h", 3.6e12), ("min", 6e10), ("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)];

/// Separates thousands, and a number from its unit: thin, and never at the end of a line.
pub const THIN_SPACE: char = '\u{202f}';

/// A value in a table or beside a cursor.
pub fn value(unit: Unit, v: f64) -> String {
    if !v.is_finite() {
        return "–".into();
    }
    match unit {
        Unit::Number => number(v),
        Unit::Share => format!("{}{THIN_SPACE}%", fixed(v * 100.0, 1)),
        Unit::Count => fixed(v, if v.fract() == 0.0 { 0 } else { 1 }),
        Unit::Time => time(v),
        Unit::Bytes => signed(v, units::size(v.abs()).replace(' ', &THIN_SPACE.to_string())),
    }
}

/// A length of time in the given unit of [`TIME_UNITS`], with as many decimals as it needs, at most two.
pub fn time_in(v: f64, (name, length): (&str, f64)) -> String {
    format!("{}{THIN_SPACE}{name}", trimmed(fixed(v / length, 2)))
}

/// The unit in which a length of time is at least two, so that a minute and a half is 90 s.
pub fn time_unit(v: f64) -> (&'static str, f64) {
    *TIME_UNITS.iter().find(|(_, length)| v.abs() >= 2.0 * length).unwrap_or(if v == 0.0 { &TIME_UNITS[4] } else { &TIME_UNITS[7] })
}

/// A number with a fixed number of decimals and its thousands separated; one beyond 10¹⁵, or too small to be seen so, with its power of ten.
pub fn fixed(v: f64, decimals: usize) -> String {
    if v.abs() >= 1e15 {
        return scientific(v);
    }
    let digits = format!("{:.decimals$}", v.abs());
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let is_zero = digits.bytes().all(|digit| !digit.is_ascii_digit() || digit == b'0');
    signed(if is_zero { 0.0 } else { v }, format!("{}{rest}", grouped(whole)))
}

/// Three significant digits and a power of ten, such as 2.5e−7.
pub fn scientific(v: f64) -> String {
    let text = format!("{:.2e}", v.abs());
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    signed(v, format!("{}e{}", trimmed(digits.into()), power.replace('-', "−")))
}

fn time(v: f64) -> String {
    time_in(v, time_unit(v))
}

fn number(v: f64) -> String {
    match v.abs() {
        0.0 => "0.000".into(),
        size if !(0.000_5..1e9).contains(&size) => scientific(v),
        size => fixed(v, if size >= 1000.0 { 0 } else { 3 }),
    }
}

fn signed(v: f64, text: String) -> String {
    if v < 0.0 { format!("−{text}") } else { text }
}

/// Four digits read well without a space; five do not.
fn grouped(digits: &str) -> String {
    if digits.len() < 5 {
        return digits.into();
    }
    let groups: Vec<String> = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    groups.join(&THIN_SPACE.to_string())
}

/// Without zeros at the end of its decimals.
fn trimmed(text: String) -> String {
    if text.contains('.') && !text.contains('e') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(unit: Unit, rows: &[(f64, &str)]) {
        for (v, expect) in rows {
            assert_eq!(value(unit, *v).replace(THIN_SPACE, "_"), *expect, "{v}");
        }
    }

    #[test]
    fn numbers_have_three_digits_after_the_point() {
        check(Unit::Number, &[(0.54, "0.540"), (0.0, "0.000"), (-0.0264, "−0.026"), (1234.56, "1235"), (12_345.0, "12_345")]);
        check(Unit::Number, &[(2.5e-7, "2.5e−7"), (-3e12, "−3e12"), (f64::NAN, "–"), (f64::INFINITY, "–"), (f64::MAX, "1.8e308")]);
    }

    #[test]
    fn shares_are_per_cent_and_counts_have_thin_spaces() {
        check(Unit::Share, &[(0.2, "20.0_%"), (-0.00001, "0.0_%"), (1.0, "100.0_%")]);
        check(Unit::Count, &[(0.0, "0"), (1234.0, "1234"), (1_234_567.0, "1_234_567"), (2.5, "2.5"), (-20_000.0, "−20_000")]);
        check(Unit::Bytes, &[(1536.0, "1.54_kB"), (0.0, "0_B")]);
    }

    #[test]
    fn times_have_units_that_fit() {
        check(Unit::Time, &[(90e9, "90_s"), (36.0 * 3.6e12, "36_h"), (7.0 * 8.64e13, "7_d"), (4.0 * 6.048e14, "4_w"), (0.0, "0_s")]);
        check(Unit::Time, &[(1.5e6, "1500_µs"), (-5.4e12, "−90_min"), (0.25, "0.25_ns"), (2.345_678e9, "2.35_s")]);
    }
}
