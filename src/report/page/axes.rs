//! Axes and lines, as all figures of a page declare them.

use super::super::figure::{Axis, Colour, Lines, Mark, Series, Stroke, Unit};

/// A second scale: its name, and its values at places of the axis.
pub type Scale = (String, Vec<(f64, f64)>);

/// An axis with the range of its data.
pub fn axis(label: impl Into<String>, unit: Unit) -> Axis {
    Axis { label: label.into(), unit, range: None, is_logarithmic: false }
}

/// A line without a band.
pub fn series(name: impl Into<String>, colour: Colour, stroke: Stroke, points: Vec<(f64, Option<f64>)>) -> Series {
    Series { name: name.into(), colour, stroke, points, band: Vec::new(), is_step: false }
}

/// Lines over virtual time, with what all figures of that axis share: the second scale and the marks.
pub fn over_time(clock: &Clock, y: Axis, series: Vec<Series>) -> Lines {
    let (second, marks) = (clock.sessions.clone(), clock.marks.clone());
    let x = Axis { range: Some((0.0, clock.end_ns)), ..axis("virtual time", Unit::Time) };
    Lines { x, second, y, series, is_stacked: false, marks }
}

/// What belongs to the axis of virtual time.
#[derive(Debug, Clone, PartialEq)]
pub struct Clock {
    pub sessions: Option<Scale>,
    pub marks: Vec<Mark>,
    /// The end of the run; all figures of this axis reach from 0 to there.
    pub end_ns: f64,
    /// Says that marks were left out.
    pub note: Option<String>,
}

/// Whether a series has a value at all.
pub fn has_values(points: &[(f64, Option<f64>)]) -> bool {
    points.iter().any(|(_, y)| y.is_some_and(f64::is_finite))
}

/// A range that holds all finite values, rounded outwards to multiples of `step`; `None` if there is no value.
pub fn range(values: impl Iterator<Item = f64>, step: f64) -> Option<(f64, f64)> {
    let (low, high) = values.filter(|v| v.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    (low <= high).then(|| ((low / step).floor() * step, ((high / step).ceil() * step).max((low / step).floor() * step + step)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_rounded_outwards_and_never_empty() {
        assert_eq!(range([0.12, 0.3, f64::NAN].into_iter(), 0.25), Some((0.0, 0.5)));
        assert_eq!(range([0.5].into_iter(), 0.25), Some((0.5, 0.75)));
        assert_eq!(range([f64::NAN].into_iter(), 0.25), None);
    }
}
