//! A forest plot: on each line the difference of every pair as a dot, their mean with its interval, and both in words.

use super::super::{Interval, Intervals};
use super::axis;
use super::canvas::{Anchor, Area, Canvas, Drawing, WIDTH};
use super::scale::{Range, Scale, usable};
use super::text::{LINE, widest, wrapped};

/// The height of a line: two lines of text and some air.
const ROW: f64 = 36.0;

/// Draws the lines from top to bottom, with 0 in sight.
pub fn draw(intervals: &Intervals) -> Drawing {
    let labels = widest(intervals.rows.iter().map(|row| row.label.as_str())).clamp(40.0, 180.0);
    let texts = widest(intervals.rows.iter().map(|row| row.text.as_str())).min(200.0);
    let (left, right) = (labels + 16.0, texts + 20.0);
    let area = Area { left, top: 6.0, width: WIDTH - left - right, height: ROW * intervals.rows.len().max(1) as f64 };
    let scale = Scale { range: range(intervals), from: area.left + 6.0, to: area.right() - 6.0 };
    let mut canvas = Canvas::default();
    for tick in scale.range.ticks() {
        canvas.line((scale.within(tick.at), area.top), (scale.within(tick.at), area.bottom()), "grid");
    }
    if let Some(zero) = scale.at(0.0).filter(|x| (area.left..=area.right()).contains(x)) {
        canvas.line((zero, area.top), (zero, area.bottom()), "zero");
    }
    canvas.body.push('\n');
    for (i, row) in intervals.rows.iter().enumerate() {
        let y = area.top + (i as f64 + 0.5) * ROW;
        canvas.lines((0.0, y), Anchor::Start, "", &wrapped(&row.label, labels, 2));
        line(&mut canvas, row, &scale, y);
        canvas.fitted((area.right() + 14.0, y + 4.0), Anchor::Start, "tick", &row.text, texts + 6.0);
        canvas.body.push('\n');
    }
    axis::horizontal(&mut canvas, &scale, area);
    canvas.fitted(
        (area.left + area.width / 2.0, area.bottom() + 2.0 * LINE + 9.0),
        Anchor::Middle,
        "name",
        &intervals.x.label,
        WIDTH / 2.0,
    );
    let height = area.bottom() + 2.0 * LINE + 14.0;
    Drawing { width: WIDTH, height, body: canvas.body, legend: Vec::new(), has_names: true, notes: unseen(intervals) }
}

/// Everything that is drawn, and 0.
fn range(intervals: &Intervals) -> Range {
    let of = |row: &Interval| {
        let ends = row.interval.map_or([row.mean; 2], |(low, high)| [low, high]);
        row.dots.iter().copied().chain(ends).chain([row.mean]).collect::<Vec<_>>()
    };
    Range::rounded(&intervals.x, intervals.rows.iter().flat_map(of).chain([0.0]))
}

/// Dots below, the interval above them, and the mean on it: hollow if the interval holds 0, so that nothing can be told.
fn line(canvas: &mut Canvas, row: &Interval, scale: &Scale, y: f64) {
    for x in row.dots.iter().filter_map(|dot| scale.at(*dot)) {
        canvas.circle((x, y + 8.0), 2.5, "pair");
    }
    let interval = row.interval.filter(|(low, high)| usable(*low) && usable(*high));
    if let Some((low, high)) = interval {
        let (from, to) = (scale.within(low), scale.within(high));
        canvas.line((from, y - 2.0), (to, y - 2.0), "range");
        for end in [from, to] {
            canvas.line((end, y - 6.0), (end, y + 2.0), "range");
        }
    }
    let is_open = interval.is_none_or(|(low, high)| low <= 0.0 && 0.0 <= high);
    if let Some(x) = scale.at(row.mean) {
        canvas.circle((x, y - 2.0), 4.5, if is_open { "mean open" } else { "mean" });
    }
}

fn unseen(intervals: &Intervals) -> Vec<String> {
    let without = intervals.rows.iter().filter(|row| !usable(row.mean));
    without.map(|row| format!("{} has no mean that can be shown.", row.label)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Axis, Unit};
    use super::*;

    fn row(mean: f64, interval: Option<(f64, f64)>, dots: &[f64]) -> Interval {
        Interval { label: "label".into(), mean, interval, dots: dots.to_vec(), text: "text".into() }
    }

    fn drawn(rows: Vec<Interval>) -> Drawing {
        draw(&Intervals { x: Axis { label: "x".into(), unit: Unit::Number, range: None, is_logarithmic: false }, rows })
    }

    #[test]
    fn only_means_whose_interval_leaves_out_0_are_filled() {
        for (interval, is_filled) in [(Some((0.1, 0.3)), true), (Some((-0.1, 0.5)), false), (None, false), (Some((f64::NAN, 1.0)), false)] {
            let body = drawn(vec![row(0.2, interval, &[])]).body;
            assert_eq!(body.contains("class=\"mean\""), is_filled, "{interval:?}");
            assert_eq!(body.contains("class=\"mean open\""), !is_filled, "{interval:?}");
        }
    }

    #[test]
    fn every_pair_has_a_dot_and_0_a_line() {
        let body = drawn(vec![row(0.2, None, &[0.1, 0.2, 0.3, f64::NAN])]).body;
        assert_eq!(body.matches("class=\"pair\"").count(), 3);
        assert_eq!(body.matches("class=\"zero\"").count(), 1);
        assert_eq!(drawn(vec![row(f64::NAN, None, &[])]).notes, ["label has no mean that can be shown."]);
    }
}
