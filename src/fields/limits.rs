//! The values that a field may have, declared as in `at_least(0.0).below(1.0)`. Messages and the reference use the same words.

/// The values that a field may have, and a remedy for other values.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    low: Option<Bound>,
    high: Option<Bound>,
    is_finite: bool,
    text: Option<Text>,
    remedy: &'static str,
}

#[derive(Debug, Clone, Copy)]
struct Bound {
    value: f64,
    is_allowed: bool,
}

/// A condition on text, and the words for it.
#[derive(Debug, Clone, Copy)]
struct Text {
    accepts: fn(&str) -> bool,
    must_be: &'static str,
}

/// From `low` to `high`, both allowed.
pub const fn between(low: f64, high: f64) -> Limits {
    at_least(low).at_most(high)
}

/// `low` and everything larger.
pub const fn at_least(low: f64) -> Limits {
    Limits { low: Some(Bound { value: low, is_allowed: true }), ..Limits::ANY }
}

/// Everything larger than `low`.
pub const fn above(low: f64) -> Limits {
    Limits { low: Some(Bound { value: low, is_allowed: false }), ..Limits::ANY }
}

/// Everything smaller than `high`.
pub const fn below(high: f64) -> Limits {
    Limits::ANY.below(high)
}

/// Everything up to `high`.
pub const fn at_most(high: f64) -> Limits {
    Limits::ANY.at_most(high)
}

/// Every number but infinite ones and NaN.
pub const fn finite() -> Limits {
    Limits::ANY.finite()
}

/// Text that `accepts` takes; `must_be` says which.
pub const fn text(accepts: fn(&str) -> bool, must_be: &'static str) -> Limits {
    Limits { text: Some(Text { accepts, must_be }), ..Limits::ANY }
}

/// Text that is not blank; `must_be` says what it names.
pub const fn naming(must_be: &'static str) -> Limits {
    text(is_filled, must_be)
}

fn is_filled(text: &str) -> bool {
    !text.trim().is_empty()
}

impl Limits {
    /// Every value of the type.
    pub const ANY: Limits = Limits { low: None, high: None, is_finite: false, text: None, remedy: "" };

    /// The same limits, and below `high`.
    pub const fn below(self, high: f64) -> Self {
        Self { high: Some(Bound { value: high, is_allowed: false }), ..self }
    }

    /// The same limits, and at most `high`.
    pub const fn at_most(self, high: f64) -> Self {
        Self { high: Some(Bound { value: high, is_allowed: true }), ..self }
    }

    /// The same limits without infinite values.
    pub const fn finite(self) -> Self {
        Self { is_finite: true, ..self }
    }

    /// The same limits with a remedy or a reason, which messages add.
    pub const fn or(self, remedy: &'static str) -> Self {
        Self { remedy, ..self }
    }

    /// Whether a number is within the limits.
    pub fn contain(&self, value: f64) -> bool {
        let above = |low: Bound| value > low.value || low.is_allowed && value == low.value;
        let below = |high: Bound| value < high.value || high.is_allowed && value == high.value;
        self.low.is_none_or(above) && self.high.is_none_or(below) && (!self.is_finite || value.is_finite())
    }

    /// Whether text satisfies the condition.
    pub fn accept(&self, value: &str) -> bool {
        self.text.is_none_or(|text| (text.accepts)(value))
    }

    /// Whether there are any limits.
    pub fn are_given(&self) -> bool {
        self.low.is_some() || self.high.is_some() || self.is_finite || self.text.is_some()
    }

    /// The limits in words: `between 0 and 1`, `above 0`; empty if there are none.
    pub fn words(&self, show: impl Fn(f64) -> String) -> String {
        let show = |bound: Bound| if bound.value == 0.0 { "0".into() } else { show(bound.value) };
        let low = |low: Bound| format!("{} {}", if low.is_allowed { "at least" } else { "above" }, show(low));
        let high = |high: Bound| format!("{} {}", if high.is_allowed { "at most" } else { "below" }, show(high));
        let bounds = match (self.low, self.high) {
            (None, None) => String::new(),
            (Some(bound), None) => low(bound),
            (None, Some(bound)) => high(bound),
            (Some(a), Some(b)) if a.is_allowed && b.is_allowed => format!("between {} and {}", show(a), show(b)),
            (Some(a), Some(b)) => format!("{} and {}", low(a), high(b)),
        };
        let finite = if self.is_finite { "a finite number" } else { "" };
        let text = self.text.map_or("", |text| text.must_be);
        [finite, text, &bounds].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(", ")
    }

    /// The same with the remedy.
    pub fn must_be(&self, show: impl Fn(f64) -> String) -> String {
        let words = self.words(show);
        if self.remedy.is_empty() { words } else { format!("{words}; {}", self.remedy) }
    }

    /// The remedy or reason; empty if there is none.
    pub fn remedy(&self) -> &'static str {
        self.remedy
    }

    /// The bounds that numbers are drawn between in tests.
    pub(super) fn ends(&self) -> (Option<f64>, Option<f64>) {
        (self.low.map(|bound| bound.value), self.high.map(|bound| bound.value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(limits: Limits, words: &str, within: &[f64], out: &[f64]) {
        assert_eq!(limits.must_be(|value| value.to_string()), words);
        within.iter().for_each(|&value| assert!(limits.contain(value), "{value} is {words}"));
        out.iter().chain(&[f64::NAN]).for_each(|&value| assert!(!limits.contain(value), "{value} is not {words}"));
    }

    #[test]
    fn limits_are_said_as_they_are_held() {
        check(between(0.0, 1.0), "between 0 and 1", &[0.0, -0.0, 1e-320, 1.0], &[-1e-320, 1.1]);
        check(at_least(0.0).below(1.0), "at least 0 and below 1", &[0.0, 0.99], &[1.0, -1.0]);
        check(above(0.0).at_most(1.0), "above 0 and at most 1", &[1e-320, 1.0], &[0.0, -0.0, 1.1]);
        check(above(0.0).or("inf takes all"), "above 0; inf takes all", &[1.0, f64::INFINITY], &[0.0]);
        check(finite(), "a finite number", &[-1e308, 1e308], &[f64::INFINITY]);
        check(at_least(0.0).finite(), "a finite number, at least 0", &[0.0, 1e308], &[-1.0, f64::INFINITY]);
        check(below(3.0), "below 3", &[-5.0], &[3.0]);
    }
}
