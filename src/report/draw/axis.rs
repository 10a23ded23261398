//! Axes: ticks with their labels, a thin grid, and a second scale above.

use super::super::{Axis, Unit};
use super::canvas::{Anchor, Area, Canvas};
use super::scale::{Range, Scale};
use super::text::{LINE, fitted, widest, width};
use super::ticks::Tick;

/// Room for the labels of a vertical axis.
pub fn left_margin(range: &Range) -> f64 {
    let ticks = range.ticks();
    widest(ticks.iter().map(|tick| tick.label.as_str())) + 10.0
}

/// Grid and labels of the vertical axis at the left; labels only if wanted.
pub fn vertical(canvas: &mut Canvas, scale: &Scale, area: Area, has_labels: bool) {
    for tick in scale.range.ticks() {
        let y = scale.within(tick.at);
        canvas.line((area.left, y), (area.right(), y), "grid");
        if has_labels {
            canvas.text((area.left - 7.0, y + 4.0), Anchor::End, "tick", &tick.label);
        }
    }
    canvas.body.push('\n');
}

/// Ticks and labels of the horizontal axis below.
pub fn horizontal(canvas: &mut Canvas, scale: &Scale, area: Area) {
    canvas.line((area.left, area.bottom()), (area.right(), area.bottom()), "axis");
    let ticks = scale.range.ticks();
    let places: Vec<(f64, Tick)> = ticks.into_iter().map(|tick| (scale.within(tick.at), tick)).collect();
    for (x, tick) in apart(places) {
        canvas.line((x, area.bottom()), (x, area.bottom() + 4.0), "axis");
        canvas.text((x, area.bottom() + 5.0 + LINE), Anchor::Middle, "tick", &tick.label);
    }
    canvas.body.push('\n');
}

/// The second scale above a plot: its values where the horizontal axis reaches them. Its name stands at its right end, on the line of the vertical axis' name.
pub fn second(canvas: &mut Canvas, name: &str, pairs: &[(f64, f64)], scale: &Scale, area: Area) {
    let axis = Axis { label: String::new(), unit: Unit::Count, range: None, is_logarithmic: false };
    let ticks = Range::exact(&axis, pairs.iter().map(|(_, value)| *value)).ticks();
    let places = ticks.into_iter().filter_map(|tick| Some((scale.at(place_of(tick.at, pairs)?)?, tick)));
    let shown = places.filter(|(x, _)| (area.left - 0.1..=area.right() + 0.1).contains(x)).collect();
    for (x, tick) in apart(shown) {
        canvas.line((x, area.top - 4.0), (x, area.top), "axis");
        canvas.text((x, area.top - 8.0), Anchor::Middle, "tick", &tick.label);
    }
    canvas.text((area.right(), area.top - 2.0 * LINE - 2.0), Anchor::End, "name", &fitted(name, area.width / 2.0));
    canvas.body.push('\n');
}

/// Where on the horizontal axis the second scale reaches a value, between two of its pairs on a straight line.
fn place_of(value: f64, pairs: &[(f64, f64)]) -> Option<f64> {
    let between = pairs.windows(2).find(|pair| pair[0].1 <= value && value <= pair[1].1)?;
    let ((x0, low), (x1, high)) = (between[0], between[1]);
    let share = if high > low { (value - low) / (high - low) } else { 0.0 };
    Some(x0 + share * (x1 - x0))
}

/// Every tick, or every second, third, … so that no two labels touch.
fn apart(places: Vec<(f64, Tick)>) -> Vec<(f64, Tick)> {
    let reach = |(_, tick): &(f64, Tick)| width(&tick.label) / 2.0 + 3.0;
    let touches = |every: usize| {
        let kept: Vec<&(f64, Tick)> = places.iter().step_by(every).collect();
        kept.windows(2).any(|pair| pair[1].0 - pair[0].0 < reach(pair[0]) + reach(pair[1]))
    };
    let every = (1..places.len().max(2)).find(|every| !touches(*every)).unwrap_or(places.len().max(1));
    places.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_scale_follows_its_pairs() {
        let pairs = [(0.0, 0.0), (10.0, 100.0), (20.0, 100.0), (30.0, 400.0)];
        let places = [-1.0, 0.0, 50.0, 100.0, 250.0, 400.0, 401.0].map(|value| place_of(value, &pairs));
        assert_eq!(places, [None, Some(0.0), Some(5.0), Some(10.0), Some(25.0), Some(30.0), None]);
        assert_eq!(place_of(1.0, &[]), None);
    }

    #[test]
    fn labels_do_not_touch() {
        let at = |xs: &[f64]| apart(xs.iter().map(|x| (*x, Tick { at: *x, label: "100 000".into() })).collect());
        assert_eq!(at(&[0.0, 100.0, 200.0]).len(), 3);
        assert_eq!(at(&[0.0, 40.0, 80.0, 120.0]).iter().map(|(x, _)| *x).collect::<Vec<_>>(), [0.0, 80.0]);
        assert_eq!(at(&[0.0, 1.0]).len(), 1);
        assert_eq!(at(&[]).len(), 0);
    }
}
