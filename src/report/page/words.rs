//! Numbers as the page writes them: three digits after the point for an nDCG or an α, and everything else as figures write it.

use super::super::draw::value;
use super::super::figure::Unit;
use crate::units;

/// An nDCG, an α or any other number of that size: 0.544.
pub fn three(value: f64) -> String {
    let digits = format!("{:.3}", value.abs());
    // A true minus sign, but none before a zero.
    if value < 0.0 && digits != "0.000" { format!("−{digits}") } else { digits }
}

/// A share in per cent: 48.9 %.
pub fn percent(share: f64) -> String {
    value(Unit::Share, share)
}

/// A whole number: 24 850.
pub fn grouped(n: u64) -> String {
    value(Unit::Count, n as f64)
}

/// A length of virtual time in nanoseconds: 7 d, 36 h, 4.19 d, 80 ms.
pub fn time(ns: f64) -> String {
    // Below a second more than three digits say nothing.
    let short = if ns.abs() < 1e9 { format!("{ns:.2e}").parse().unwrap_or(ns) } else { ns };
    value(Unit::Time, short)
}

/// The size of a sample, which never breaks at the end of a line: n = 80.
pub fn n_of(n: u64) -> String {
    format!("n\u{a0}=\u{a0}{}", grouped(n))
}

/// A number of bytes: 95.7 MB.
pub fn bytes(n: f64) -> String {
    value(Unit::Bytes, n)
}

/// A number with its noun: 1 search, 24 850 searches.
pub fn counted(n: u64, noun: &str) -> String {
    let words = units::counted(n, noun);
    words.split_once(' ').map_or(words.clone(), |(_, noun)| format!("{} {noun}", grouped(n)))
}

/// Two numbers where the first may be a part of the second: 80 honest nodes, or 100 of 8 000 honest nodes.
pub fn some_of(n: u64, of: u64, noun: &str) -> String {
    if n < of { format!("{} of {}", grouped(n), counted(of, noun)) } else { counted(of, noun) }
}

/// Words joined as people do: a, b and c.
pub fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_grouped() {
        let check = |text: String, expect: &str| assert_eq!(text.replace('\u{202f}', "_"), expect);
        check(three(0.5441), "0.544");
        check(three(-0.0161), "−0.016");
        check(three(-0.0001), "0.000");
        check(percent(0.48863), "48.9_%");
        check(grouped(173_950), "173_950");
        check(counted(1, "search"), "1 search");
        check(counted(24_850, "search"), "24_850 searches");
        check(some_of(80, 80, "honest node"), "80 honest nodes");
        check(some_of(1_000, 18_000, "node"), "1000 of 18_000 nodes");
        check(time(4.1888 * 86_400e9), "4.19_d");
        check(time(324_610_000.0), "325_ms");
        check(bytes(95_700_000.0), "95.7_MB");
    }

    #[test]
    fn lists_end_with_and() {
        let list = |words: &[&str]| super::list(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        assert_eq!([list(&[]), list(&["a"]), list(&["a", "b"]), list(&["a", "b", "c"])], ["", "a", "a and b", "a, b and c"]);
    }
}
