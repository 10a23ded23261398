//! Writes an estimate as an aligned table with readable units.

use super::Estimate;
use crate::units::{Duration, scaled, size};
use std::fmt;

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "expected events")?;
        line(f, "virtual time", &Duration::from_secs_f64(self.seconds).to_string())?;
        let counts = [
            ("searches", self.searches),
            ("messages sent", self.sent),
            ("messages delivered", self.delivered),
            ("joins and leaves", self.changes),
            ("evaluations", self.evaluations),
        ];
        counts.iter().try_for_each(|(name, number)| line(f, name, &count(*number)))?;
        if self.between > 0.0 {
            line(f, "extra broadcasts", &count(self.between))?;
        }
        writeln!(f, "expected rows")?;
        self.rows.iter().try_for_each(|(table, rows)| line(f, table, &count(*rows)))?;
        let Some(memory) = self.memory else { return writeln!(f, "memory: unknown until the data is read") };
        writeln!(f, "expected memory")?;
        let mut parts = memory.parts().into_iter().chain([("total", memory.total())]);
        parts.try_for_each(|(name, bytes)| line(f, name, &size(bytes)))
    }
}

fn line(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    writeln!(f, "  {name:<20}{value:>14}")
}

/// A count for people: whole below ten thousand, with three digits and a word above.
pub(super) fn count(n: f64) -> String {
    // Rounding may make zero slightly negative.
    if n < 0.5 {
        "0".into()
    } else if n < 10_000.0 {
        format!("{n:.0}")
    } else {
        scaled(n, &["", "thousand", "million", "billion", "trillion"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (n, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-1e-9, "0"),
            (9_999.4, "9999"),
            (12_345.0, "12.3 thousand"),
            (999_950.0, "1.00 million"),
            (4e12, "4.00 trillion"),
        ] {
            assert_eq!(count(n), text);
        }
    }
}
