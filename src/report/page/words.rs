//! Numbers as the page writes them: three digits after the point, thin spaces between thousands, units that fit.

use crate::units;

/// Groups thousands, and never breaks at the end of a line.
const THIN_SPACE: &str = "\u{202f}";

/// An nDCG, an α or any other number of that size: 0.544.
pub fn three(value: f64) -> String {
    signed(value, &format!("{:.3}", value.abs()))
}

/// A share in per cent: 48.9 %, 100 %.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let decimals = usize::from(percent != percent.round() && percent.abs() < 99.95);
    signed(percent, &format!("{:.decimals$}{THIN_SPACE}%", percent.abs()))
}

/// A true minus sign, but none before a zero.
fn signed(value: f64, digits: &str) -> String {
    let is_zero = !digits.contains(|digit: char| ('1'..='9').contains(&digit));
    if value < 0.0 && !is_zero { format!("−{digits}") } else { digits.into() }
}

/// A whole number: 24 850.
pub fn grouped(n: u64) -> String {
    units::count(n).replace(',', THIN_SPACE)
}

/// A number with its noun: 1 search, 24 850 searches.
pub fn counted(n: u64, noun: &str) -> String {
    units::counted(n, noun).replace(',', THIN_SPACE)
}

/// Two numbers where the first may be a part of the second: 80 honest nodes, or 100 of 8 000 honest nodes.
pub fn some_of(n: u64, of: u64, noun: &str) -> String {
    if n < of { format!("{} of {}", grouped(n), counted(of, noun)) } else { counted(of, noun) }
}

/// Units of time from large to small, each with its length and the shortest time for which it is used.
const TIMES: [(&str, f64, f64); 6] =
    [("d", 86_400e9, 2.0), ("h", 3_600e9, 2.0), ("min", 60e9, 2.0), ("s", 1e9, 1.0), ("ms", 1e6, 1.0), ("µs", 1e3, 1.0)];

/// A length of virtual time in nanoseconds, with at most three digits: 7 d, 36 h, 4.19 d, 80 ms.
pub fn time(ns: f64) -> String {
    let Some((unit, length, _)) = TIMES.iter().find(|(_, length, least)| ns.abs() >= least * length) else {
        return if ns == 0.0 { format!("0{THIN_SPACE}s") } else { format!("{ns:.0}{THIN_SPACE}ns") };
    };
    let value = ns / length;
    let decimals = [10.0, 100.0].iter().filter(|limit| value.abs() < **limit).count();
    let digits = format!("{value:.decimals$}");
    let short = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { &digits };
    format!("{short}{THIN_SPACE}{unit}")
}

/// A number of bytes: 95.7 MB.
pub fn bytes(n: f64) -> String {
    units::size(n).replace(' ', THIN_SPACE)
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
        let check = |text: String, expect: &str| assert_eq!(text.replace(THIN_SPACE, " "), expect);
        check(three(0.5441), "0.544");
        check(three(-0.0161), "−0.016");
        check(three(-0.0001), "0.000");
        check(percent(0.48863), "48.9 %");
        check(percent(1.0), "100 %");
        check(percent(-0.125), "−12.5 %");
        check(grouped(173_950), "173 950");
        check(counted(1, "search"), "1 search");
        check(counted(24_850, "search"), "24 850 searches");
        check(some_of(80, 80, "node"), "80 nodes");
        check(some_of(1_000, 8_000, "node"), "1 000 of 8 000 nodes");
        check(bytes(95_700_000.0), "95.7 MB");
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        let check = |ns: f64, expect: &str| assert_eq!(time(ns).replace(THIN_SPACE, " "), expect);
        check(7.0 * 86_400e9, "7 d");
        check(4.1888 * 86_400e9, "4.19 d");
        check(36.0 * 3_600e9, "36 h");
        check(30.0 * 3_600e9, "30 h");
        check(90.0 * 60e9, "90 min");
        check(90e9, "90 s");
        check(80e6, "80 ms");
        check(213.5e6, "214 ms");
        check(0.0, "0 s");
        check(12.0, "12 ns");
        check(100.0 * 86_400e9, "100 d");
    }

    #[test]
    fn lists_end_with_and() {
        let list = |words: &[&str]| super::list(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        assert_eq!([list(&[]), list(&["a"]), list(&["a", "b"]), list(&["a", "b", "c"])], ["", "a", "a and b", "a, b and c"]);
    }
}
