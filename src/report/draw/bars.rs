//! Bars: upright while their labels fit below them, lying where labels are long.

use super::super::Bars;
use super::axis;
use super::canvas::{Anchor, Area, Canvas, Drawing, WIDTH, colour};
use super::numbers::value;
use super::scale::{Range, Scale, usable};
use super::text::{LINE, widest, width, wrapped};

/// The height of upright bars' area.
const HEIGHT: f64 = 220.0;

/// The thickness of a lying bar with its gap.
const THICKNESS: f64 = 26.0;

/// More bars than these are a histogram, which stays upright and labels only some of its bins.
const MOST_LYING: usize = 16;

/// Draws bars in the way that fits their labels.
pub fn draw(bars: &Bars) -> Drawing {
    let range = range(bars);
    let left = axis::left_margin(&range).max(24.0);
    let slot = (WIDTH - left - 4.0) / bars.bars.len().max(1) as f64;
    let labels = widest(bars.bars.iter().map(|bar| bar.label.as_str()));
    if labels + 8.0 <= slot || bars.bars.len() > MOST_LYING { upright(bars, range, left) } else { lying(bars, range) }
}

/// Bars begin at 0, so 0 is always shown.
fn range(bars: &Bars) -> Range {
    let zero = (!bars.y.is_logarithmic).then_some(0.0);
    Range::rounded(&bars.y, bars.bars.iter().map(|bar| bar.value).chain(zero))
}

fn upright(bars: &Bars, range: Range, left: f64) -> Drawing {
    let area = Area { left, top: LINE + 14.0, width: WIDTH - left - 4.0, height: HEIGHT };
    let scale = Scale { range, from: area.bottom(), to: area.top };
    let slot = area.width / bars.bars.len().max(1) as f64;
    let every = label_every(bars, slot);
    let has_values = bars.bars.iter().all(|bar| width(&value(bars.y.unit, bar.value)) + 4.0 <= slot);
    let thickness = (slot * if bars.bars.len() > MOST_LYING { 0.92 } else { 0.64 }).min(80.0);
    let mut canvas = Canvas::default();
    axis::vertical(&mut canvas, &scale, area, true);
    for (i, bar) in bars.bars.iter().enumerate() {
        let middle = area.left + (i as f64 + 0.5) * slot;
        let (base, end) = ends(&scale, bar.value);
        let shape = Area { left: middle - thickness / 2.0, top: base.min(end), width: thickness, height: (base - end).abs() };
        canvas.rect(shape, &format!("bar {}", colour(bar.colour)), &said(bars, i));
        if has_values {
            let y = if end <= base { end - 5.0 } else { end + LINE };
            canvas.text((middle, y), Anchor::Middle, "", &value(bars.y.unit, bar.value));
        }
        if i % every == 0 {
            canvas.fitted((middle, area.bottom() + LINE + 4.0), Anchor::Middle, "tick", &bar.label, slot * every as f64);
        }
        canvas.body.push('\n');
    }
    canvas.line((area.left, scale.within(0.0)), (area.right(), scale.within(0.0)), "axis");
    finished(canvas, bars, area, [&bars.y.label, &bars.x])
}

fn lying(bars: &Bars, range: Range) -> Drawing {
    let labels = widest(bars.bars.iter().map(|bar| bar.label.as_str())).min(WIDTH * 0.36);
    let values = bars.bars.iter().map(|bar| width(&value(bars.y.unit, bar.value))).fold(0.0, f64::max);
    let (left, right) = (labels + 12.0, values + 14.0);
    let is_wrapped = bars.bars.iter().any(|bar| width(&bar.label) > labels);
    let thickness = if is_wrapped { 2.0 * LINE + 6.0 } else { THICKNESS };
    let area = Area { left, top: LINE + 8.0, width: WIDTH - left - right, height: bars.bars.len() as f64 * thickness };
    let scale = Scale { range, from: area.left, to: area.right() };
    let mut canvas = Canvas::default();
    for (i, bar) in bars.bars.iter().enumerate() {
        let middle = area.top + (i as f64 + 0.5) * thickness;
        let (base, end) = ends(&scale, bar.value);
        let shape = Area { left: base.min(end), top: middle - 8.0, width: (base - end).abs(), height: 16.0 };
        canvas.rect(shape, &format!("bar {}", colour(bar.colour)), &said(bars, i));
        canvas.lines((left - 8.0, middle), Anchor::End, "", &wrapped(&bar.label, labels, 2));
        canvas.text((base.max(end) + 6.0, middle + 4.0), Anchor::Start, "", &value(bars.y.unit, bar.value));
        canvas.body.push('\n');
    }
    axis::horizontal(&mut canvas, &scale, area);
    canvas.line((scale.within(0.0), area.top), (scale.within(0.0), area.bottom()), "axis");
    finished(canvas, bars, area, [&bars.x, &bars.y.label])
}

/// Where a bar begins and ends; one without a value has no length.
fn ends(scale: &Scale, v: f64) -> (f64, f64) {
    let base = scale.within(0.0);
    (base, scale.at(v).map_or(base, |_| scale.within(v)))
}

/// The drawing with the names of what stands at the left and what stands below.
fn finished(mut canvas: Canvas, bars: &Bars, area: Area, [at_left, below]: [&str; 2]) -> Drawing {
    let middle = area.left + area.width / 2.0;
    canvas.fitted((0.0, LINE - 2.0), Anchor::Start, "name", at_left, WIDTH);
    canvas.fitted((middle, area.bottom() + 2.0 * LINE + 9.0), Anchor::Middle, "name", below, area.width);
    let height = area.bottom() + 2.0 * LINE + 14.0;
    Drawing { width: WIDTH, height, body: canvas.body, legend: Vec::new(), has_names: true, notes: unseen(bars) }
}

/// Every how many bars a label is written, so that none touches the next.
fn label_every(bars: &Bars, slot: f64) -> usize {
    let widest = widest(bars.bars.iter().map(|bar| bar.label.as_str())) + 8.0;
    ((widest / slot).ceil() as usize).clamp(1, bars.bars.len().max(1))
}

fn said(bars: &Bars, i: usize) -> String {
    format!("{}: {}", bars.bars[i].label, value(bars.y.unit, bars.bars[i].value))
}

fn unseen(bars: &Bars) -> Vec<String> {
    let cannot = |v: f64| !usable(v) || (bars.y.is_logarithmic && v <= 0.0);
    bars.bars.iter().filter(|bar| cannot(bar.value)).map(|bar| format!("{} has no value that can be shown.", bar.label)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Axis, Bar, Colour, Unit};
    use super::*;

    fn bars(labels: &[&str], value: f64) -> Bars {
        let bar = |label: &&str| Bar { label: label.to_string(), value, colour: Colour::Honest };
        let y = Axis { label: "y".into(), unit: Unit::Count, range: None, is_logarithmic: false };
        Bars { x: "x".into(), y, bars: labels.iter().map(bar).collect() }
    }

    /// Whether the first bar is wider than it is high.
    fn is_lying(drawing: &Drawing) -> bool {
        let bar = drawing.body.split("<rect").nth(1).expect("a bar");
        let length = |name: &str| -> f64 {
            let value = bar.split_once(&format!("{name}=\"")).expect("an attribute").1;
            value.split_once('"').expect("a quote").0.parse().expect("a number")
        };
        length("width") > length("height")
    }

    #[test]
    fn bars_lie_where_labels_are_long() {
        assert!(!is_lying(&draw(&bars(&["a", "b", "c"], 7.0))));
        let long = "a label that needs far more room than its part of the width";
        assert!(is_lying(&draw(&bars(&[long, long, long], 7.0))));
        assert!(!is_lying(&draw(&bars(&[long; 20], 7.0))), "a histogram stays upright");
    }

    #[test]
    fn a_histogram_labels_some_of_its_bins() {
        let drawing = draw(&bars(&["0.250–0.275"; 30], 7.0));
        let labels = drawing.body.matches(">0.250–0.275</text>").count();
        assert!((4..=10).contains(&labels), "{labels}");
    }

    #[test]
    fn values_below_0_hang_from_the_axis() {
        let drawing = draw(&bars(&["a"], -3.0));
        assert!(drawing.body.contains("−3"), "{}", drawing.body);
        let scale = Scale { range: range(&bars(&["a"], -3.0)), from: 100.0, to: 0.0 };
        assert_eq!(ends(&scale, f64::NAN), (0.0, 0.0), "what has no value has no length");
        assert_eq!(draw(&bars(&["a"], f64::NAN)).notes, ["a has no value that can be shown."]);
    }
}
