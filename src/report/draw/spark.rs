//! A line without axes, as small as a word, for a strip of figures.

use super::super::Colour;
use super::canvas::{Canvas, colour as class};
use super::path;
use super::scale::usable;
use super::thin::{Places, thin};

/// Its size; a page stretches it.
const SIZE: (f64, f64) = (160.0, 32.0);

/// A small line over equal steps, from the least value at the bottom to the largest at the top. Missing values are gaps.
pub fn sparkline(values: &[Option<f64>], colour: Colour) -> String {
    let shown = || values.iter().flatten().copied().filter(|v| usable(*v));
    let (low, high) = shown().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let step = (SIZE.0 - 8.0) / (values.len().max(2) - 1) as f64;
    let height = |v: f64| if high > low { (v / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) } else { 0.5 };
    let place = |(i, v): (usize, &Option<f64>)| {
        let v = v.filter(|v| usable(*v))?;
        Some((4.0 + i as f64 * step, SIZE.1 - 4.0 - height(v) * (SIZE.1 - 8.0)))
    };
    let places: Places = values.iter().enumerate().map(place).collect();
    let mut canvas = Canvas::default();
    canvas.path(&path::line(&thin(&places)), "line");
    if let Some(end) = places.iter().flatten().next_back() {
        canvas.circle(*end, 2.5, "last");
    }
    let (width, tall) = (path::tenth(SIZE.0), path::tenth(SIZE.1));
    format!(
        "<svg class=\"spark {}\" viewBox=\"0 0 {width} {tall}\" preserveAspectRatio=\"xMinYMid\" aria-hidden=\"true\">{}</svg>",
        class(colour),
        canvas.body
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_least_is_below_and_the_largest_above() {
        let svg = sparkline(&[Some(1.0), Some(3.0), None, Some(2.0)], Colour::Honest);
        assert!(svg.contains("class=\"spark honest\""), "{svg}");
        assert!(svg.contains("d=\"M4 28l50.7-24M156 16h0\""), "{svg}");
        assert!(svg.contains("cx=\"156\" cy=\"16\""), "{svg}");
    }

    #[test]
    fn nothing_to_show_is_no_line() {
        for values in [&[][..], &[None], &[Some(f64::NAN)], &[Some(f64::INFINITY)]] {
            let svg = sparkline(values, Colour::Nth(7));
            assert!(!svg.contains("path") && !svg.contains("NaN") && svg.contains("spark n7"), "{svg}");
        }
    }

    proptest! {
        #[test]
        fn any_values_can_be_shown(values in prop::collection::vec(prop::option::of(any::<f64>()), 0..50)) {
            let svg = sparkline(&values, Colour::Reference);
            prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
