//! The declarations of plain values: numbers, text, and lists of them.

use super::{At, Declared, Kind, Limits};
use crate::error::{QUOTED, clip};

impl At {
    /// Notes `path is shown; it must be …` if the value is out of the limits at this position. `show` writes a limit like the value.
    pub fn require(&self, value: f64, shown: &str, show: impl Fn(f64) -> String, found: &mut Vec<String>) {
        if !self.limits.contain(value) {
            self.refuse(shown, &self.limits.must_be(show), found);
        }
    }

    /// The same for a number with its unit.
    pub fn require_quantity(&self, value: f64, shown: &str, show: impl Fn(f64) -> String, found: &mut Vec<String>) {
        let shown = if self.choice.is_some() { format!("{shown:?}") } else { shown.to_owned() };
        self.require(value, &shown, show, found);
    }

    fn refuse(&self, shown: &str, must_be: &str, found: &mut Vec<String>) {
        let shown = self.choice.map_or(shown.to_owned(), |choice| format!("{choice}({shown})"));
        found.push(format!("{} is {shown}; it must be {must_be}", self.path));
    }
}

impl Limits {
    /// The limits in words for a value of this kind; empty if there are none.
    pub fn words_for(&self, kind: Kind) -> String {
        match kind {
            Kind::Number => self.words(limit),
            Kind::Whole { .. } | Kind::Switch | Kind::Text | Kind::Named(_) => self.words(whole),
            Kind::Quantity(quantity) => self.words(quantity.show),
            Kind::List(inner) | Kind::Optional(inner) | Kind::Pair(_, inner) => self.words_for(inner()),
        }
    }
}

/// A number as people write it: 1e308 and 1e-320 instead of three hundred digits, and 0 instead of -0.
pub fn number(value: f64) -> String {
    const MOST_DIGITS: usize = 20;
    let shown = value.to_string();
    match value {
        0.0 => "0".into(),
        _ if shown.len() > MOST_DIGITS => format!("{value:e}"),
        _ => shown,
    }
}

/// A limit as people write it: 0.01 and 10000, but 1e6 and 1e-12.
fn limit(value: f64) -> String {
    let (plain, short) = (value.to_string(), format!("{value:e}"));
    if plain.trim_start_matches('-').len() > 6 && short.len() < plain.len() { short } else { plain }
}

fn whole(value: f64) -> String {
    format!("{value:.0}")
}

impl Declared for f64 {
    fn kind() -> Kind {
        Kind::Number
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        at.require(*self, &number(*self), limit, found);
    }
}

impl Declared for u32 {
    fn kind() -> Kind {
        Kind::Whole { max: u32::MAX.into() }
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        at.require(f64::from(*self), &self.to_string(), whole, found);
    }
}

impl Declared for u64 {
    fn kind() -> Kind {
        Kind::Whole { max: u64::MAX }
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        at.require(*self as f64, &self.to_string(), whole, found);
    }
}

impl Declared for bool {
    fn kind() -> Kind {
        Kind::Switch
    }

    fn check(&self, _: &At, _: &mut Vec<String>) {}
}

impl Declared for String {
    fn kind() -> Kind {
        Kind::Text
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        if !at.limits.accept(self) {
            at.refuse(&clip(&format!("{self:?}"), QUOTED), &at.limits.must_be(whole), found);
        }
    }
}

impl<T: Declared> Declared for Vec<T> {
    fn kind() -> Kind {
        Kind::List(T::kind)
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        self.iter().enumerate().for_each(|(nth, item)| item.check(&at.item(nth), found));
    }
}

impl<T: Declared> Declared for Option<T> {
    fn kind() -> Kind {
        Kind::Optional(T::kind)
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        self.iter().for_each(|value| value.check(at, found));
    }
}

impl<A: Declared, B: Declared> Declared for (A, B) {
    fn kind() -> Kind {
        Kind::Pair(A::kind, B::kind)
    }

    fn check(&self, at: &At, found: &mut Vec<String>) {
        self.0.check(at, found);
        self.1.check(at, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_people_write_them() {
        for (value, shown) in [
            (1e308, "1e308"),
            (1e-320, "1e-320"),
            (-1e300, "-1e300"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e6, "1000000"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), shown);
        }
    }

    #[test]
    fn limits_are_short() {
        for (value, shown) in
            [(1e6, "1e6"), (10_000.0, "10000"), (0.01, "0.01"), (1e-12, "1e-12"), (-1e6, "-1e6"), (2_147_483_647.0, "2147483647")]
        {
            assert_eq!(limit(value), shown);
        }
        assert_eq!(whole(1e6), "1000000");
    }
}
