//! Numbers as people read them: grouped by thousands, with a noun, or with a unit.

/// Groups the digits of a number: 1234567 becomes "1,234,567".
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> = digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits are ASCII")).collect();
    groups.join(",")
}

/// A number with its noun, such as "1 search", "0 searches" or "2,000 queries". The caller gives the noun in the singular.
pub fn counted(n: u64, noun: &str) -> String {
    format!("{} {}", count(n), if n == 1 { noun.into() } else { plural(noun) })
}

/// A number of bytes with a fitting unit: 1536 becomes "1.54 kB".
pub fn size(bytes: f64) -> String {
    scaled(bytes, &["B", "kB", "MB", "GB", "TB", "PB"])
}

/// `n` with three significant digits in the largest of `units` that fits. Each unit is a thousand times the one before it.
pub fn scaled(n: f64, units: &[&str]) -> String {
    let (mut value, mut unit) = (n.abs(), 0);
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let decimals = match value {
        _ if unit == 0 => 0,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.decimals$} {}", units[unit])
}

fn plural(noun: &str) -> String {
    match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        None => format!("{noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (n, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(n), text);
        }
    }

    #[test]
    fn sizes_have_three_digits() {
        for (n, text) in [(-0.0, "0 B"), (999.0, "999 B"), (1_536.0, "1.54 kB"), (65_280_000.0, "65.3 MB"), (2e18, "2000 PB")] {
            assert_eq!(size(n), text);
        }
    }

    #[test]
    fn one_of_a_kind_is_not_many() {
        for (n, noun, text) in [
            (1, "search", "1 search"),
            (0, "search", "0 searches"),
            (2_000, "query", "2,000 queries"),
            (2, "day", "2 days"),
            (1, "honest node", "1 honest node"),
            (7, "honest node", "7 honest nodes"),
        ] {
            assert_eq!(counted(n, noun), text);
        }
    }
}
