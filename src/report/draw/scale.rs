//! What an axis shows, and where values lie in pixels.

use super::super::{Axis, Unit};

/// The range of an axis, of which both ends are finite and differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The lower end; above 0 if the axis is logarithmic.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether equal ratios have equal lengths.
    pub is_logarithmic: bool,
    /// How values are written.
    pub unit: Unit,
}

impl Range {
    /// The range of the values, as they are.
    pub fn exact(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let range = |low, high| Self { low, high, is_logarithmic: axis.is_logarithmic, unit: axis.unit };
        let fits = |low: f64, high: f64| usable(low) && usable(high) && low < high && (low > 0.0 || !axis.is_logarithmic);
        if let Some((low, high)) = axis.range.filter(|(low, high)| fits(*low, *high)) {
            return range(low, high).widened();
        }
        let shown = values.filter(|v| usable(*v) && (*v > 0.0 || !axis.is_logarithmic));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        match (low.is_finite(), axis.is_logarithmic) {
            (true, _) => range(low, high).widened(),
            (false, true) => range(1.0, 10.0),
            (false, false) => range(0.0, 1.0),
        }
    }

    /// The range of the values, rounded outwards to ticks. Quantities of which there can be none begin at 0.
    pub fn rounded(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let zero = (axis.unit != Unit::Number && !axis.is_logarithmic).then_some(0.0);
        let exact = Self::exact(axis, values.chain(zero));
        if axis.range == Some((exact.low, exact.high)) || exact.is_logarithmic {
            return exact;
        }
        let step = exact.step();
        let ends = ((exact.low / step + 1e-9).floor() * step, (exact.high / step - 1e-9).ceil() * step);
        if ends.0 < ends.1 { Self { low: ends.0, high: ends.1, ..exact } } else { exact }
    }

    /// Where a value lies, from 0 at the lower end to 1 at the upper; beyond them outside. `None` for a value that cannot be shown.
    pub fn fraction(&self, v: f64) -> Option<f64> {
        if !usable(v) || (self.is_logarithmic && v <= 0.0) {
            return None;
        }
        let place = |v: f64| if self.is_logarithmic { libm::log10(v) } else { v };
        // Halved first, because the difference of two large numbers may be too large.
        let fraction = (place(v) / 2.0 - place(self.low) / 2.0) / (place(self.high) / 2.0 - place(self.low) / 2.0);
        Some(fraction.clamp(-10.0, 11.0))
    }

    /// A range whose ends can be told apart.
    fn widened(self) -> Self {
        let size = self.low.abs().max(self.high.abs());
        if self.high / 2.0 - self.low / 2.0 > size * 1e-9 {
            return self;
        }
        let by = if size == 0.0 { 1.0 } else { size * 0.1 };
        if self.is_logarithmic {
            return Self { low: self.low / 2.0, high: self.high * 2.0, ..self };
        }
        Self { low: self.low - by, high: self.high + by, ..self }
    }
}

/// A range laid along pixels; upwards if it ends above where it begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// What is shown.
    pub range: Range,
    /// Where the lower end lies.
    pub from: f64,
    /// Where the upper end lies.
    pub to: f64,
}

impl Scale {
    /// Where a value lies, maybe outside; `None` if it cannot be shown.
    pub fn at(&self, v: f64) -> Option<f64> {
        self.range.fraction(v).map(|fraction| self.from + fraction * (self.to - self.from))
    }

    /// Where a value lies that has to be shown: at the nearer end if it is outside, at the lower one if it cannot be shown.
    pub fn within(&self, v: f64) -> f64 {
        let fraction = self.range.fraction(v).unwrap_or(0.0).clamp(0.0, 1.0);
        self.from + fraction * (self.to - self.from)
    }
}

/// Whether a number can be drawn: differences and products of such numbers stay finite.
pub fn usable(v: f64) -> bool {
    v.is_finite() && v.abs() <= 1e290 && (v == 0.0 || v.abs() >= 1e-290)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn axis(unit: Unit, range: Option<(f64, f64)>, is_logarithmic: bool) -> Axis {
        Axis { label: String::new(), unit, range, is_logarithmic }
    }

    #[test]
    fn data_decides_where_no_range_is_given() {
        let fixed = |v: f64| (v * 1e6).round() / 1e6;
        let ends = |unit, values: &[f64]| {
            let range = Range::rounded(&axis(unit, None, false), values.iter().copied());
            (fixed(range.low), fixed(range.high))
        };
        assert_eq!(ends(Unit::Number, &[0.31, 0.52, f64::NAN]), (0.3, 0.55));
        assert_eq!(ends(Unit::Count, &[70.0, 98.0]), (0.0, 100.0));
        assert_eq!(ends(Unit::Number, &[]), (0.0, 1.0));
        assert_eq!(ends(Unit::Number, &[0.5, 0.5]), (0.44, 0.56), "equal values get room");
        assert_eq!(ends(Unit::Number, &[f64::INFINITY]), (0.0, 1.0));
    }

    #[test]
    fn a_range_that_is_none_is_ignored() {
        for range in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            let range = Range::exact(&axis(Unit::Number, Some(range), false), [3.0, 4.0].into_iter());
            assert_eq!((range.low, range.high), (3.0, 4.0));
        }
        let log = Range::exact(&axis(Unit::Number, Some((0.0, 1.0)), true), [0.0, 3.0, 4.0].into_iter());
        assert_eq!((log.low, log.high), (3.0, 4.0));
    }

    fn units() -> impl Strategy<Value = Unit> {
        prop::sample::select(vec![Unit::Number, Unit::Share, Unit::Count, Unit::Time, Unit::Bytes])
    }

    proptest! {
        #[test]
        fn any_numbers_give_finite_places(unit in units(), values in prop::collection::vec(any::<f64>(), 0..6), v: f64, is_log: bool) {
            let axis = axis(unit, None, is_log);
            for range in [Range::exact(&axis, values.iter().copied()), Range::rounded(&axis, values.iter().copied())] {
                prop_assert!(range.low < range.high && range.low.is_finite() && range.high.is_finite(), "{range:?}");
                prop_assert!(range.fraction(v).is_none_or(f64::is_finite));
                prop_assert!(range.ticks().len() <= 21);
            }
        }
    }
}
