//! Lines over a common axis: names at their right ends if they are few, a legend otherwise, and marks in a strip above.

use super::super::{Colour, Lines, Mark};
use super::axis;
use super::canvas::{Anchor, Area, Canvas, Drawing, Entry, WIDTH, classes};
use super::labels::{Place, rows, spread};
use super::scale::{Range, Scale};
use super::series::{Placed, x_values, y_values};
use super::text::{LINE, widest};

/// The height of the lines' area.
const HEIGHT: f64 = 230.0;

/// More lines than these have a legend.
const MOST_LABELLED: usize = 5;

/// Rows of marks; labels that need more are left out.
const MARK_ROWS: usize = 3;

/// Draws a plot over the whole width.
pub fn draw(lines: &Lines, id: &str) -> Drawing {
    let ranges = (Range::exact(&lines.x, x_values(lines)), Range::rounded(&lines.y, y_values(lines).into_iter()));
    let has_labels = has_direct_labels(lines) && !is_ambiguous(lines, ranges);
    let area = |strip: f64| room(lines, &ranges, has_labels, strip);
    let marks = Marks::new(&lines.marks, &ranges.0, area(0.0));
    let placed = Placed::new(lines, ranges, area(marks.height()), marks.height());
    let series: Vec<_> = lines.series.iter().collect();
    let classes = classes(&series, !has_labels);
    let mut canvas = Canvas::default();
    canvas.open(&placed.attributes());
    frame(&mut canvas, &placed);
    marks.draw(&mut canvas, placed.area);
    let is_thinned = placed.draw(&mut canvas, &format!("{id}-clip"), &classes, &(0..series.len()).collect::<Vec<_>>());
    if has_labels {
        names(&mut canvas, &placed, &classes);
    }
    canvas.close();
    let legend = if series.len() > 1 { entries(lines, &classes) } else { Vec::new() };
    let notes = [thinning(is_thinned), empty_series(&placed), marks.note()].concat();
    Drawing { width: WIDTH, height: placed.area.bottom() + 2.0 * LINE + 14.0, body: canvas.body, legend, has_names: has_labels, notes }
}

/// The legend of a plot.
pub fn entries(lines: &Lines, classes: &[String]) -> Vec<Entry> {
    let entry = |(series, class): (&super::super::Series, &String)| Entry {
        name: series.name.clone(),
        class: class.clone(),
        is_area: lines.is_stacked,
    };
    lines.series.iter().zip(classes).map(entry).collect()
}

/// What is said if points were left out.
pub fn thinning(is_thinned: bool) -> Vec<String> {
    let note = "More points than pixels: of each column of pixels the first, lowest, highest and last point are drawn.";
    if is_thinned { vec![note.into()] } else { Vec::new() }
}

fn has_direct_labels(lines: &Lines) -> bool {
    lines.series.len() <= MOST_LABELLED && widest(lines.series.iter().map(|series| series.name.as_str())) <= 150.0
}

/// Whether two lines of one colour end at one place, where their names would not tell which is which.
fn is_ambiguous(lines: &Lines, ranges: (Range, Range)) -> bool {
    let placed = Placed::new(lines, ranges, room(lines, &ranges, true, 0.0), 0.0);
    let ends: Vec<_> = placed.ends().into_iter().zip(&lines.series).filter_map(|(end, series)| Some((end?.1, series.colour))).collect();
    let is_near = |(y, colour): &(f64, Colour), (other_y, other): &(f64, Colour)| colour == other && (y - other_y).abs() < 4.0;
    !lines.is_stacked && ends.iter().enumerate().any(|(i, end)| ends[i + 1..].iter().any(|other| is_near(end, other)))
}

/// The area between the scales: what labels leave of the figure.
fn room(lines: &Lines, ranges: &(Range, Range), has_labels: bool, strip: f64) -> Area {
    let names = widest(lines.series.iter().map(|series| series.name.as_str()));
    // The last label of the horizontal axis reaches beyond its end by half.
    let right = if has_labels { names + 18.0 } else { 24.0 };
    let left = axis::left_margin(&ranges.1).max(24.0);
    let top = LINE + 10.0 + if lines.second.is_some() { LINE + 4.0 } else { 0.0 };
    Area { left, top, width: WIDTH - left - right, height: HEIGHT + strip }
}

fn frame(canvas: &mut Canvas, placed: &Placed) {
    let (lines, area) = (placed.lines, placed.area);
    axis::vertical(canvas, &placed.y, area, true);
    axis::horizontal(canvas, &placed.x, area);
    let has_second = lines.second.as_ref().filter(|(_, pairs)| pairs.len() > 1);
    if let Some((name, pairs)) = has_second {
        axis::second(canvas, name, pairs, &placed.x, area);
    }
    canvas.fitted((0.0, LINE - 2.0), Anchor::Start, "name", &lines.y.label, area.left + area.width / 2.0 - 12.0);
    let below = area.bottom() + 2.0 * LINE + 9.0;
    canvas.fitted((area.left + area.width / 2.0, below), Anchor::Middle, "name", &lines.x.label, area.width);
    canvas.body.push('\n');
}

/// Names at the right ends of their lines, with a leader where a name had to move or the line ends early.
fn names(canvas: &mut Canvas, placed: &Placed, classes: &[String]) {
    let ends = placed.ends();
    let shown: Vec<(usize, (f64, f64))> = ends.iter().enumerate().filter_map(|(i, end)| Some((i, (*end)?))).collect();
    let limits = (placed.area.top, placed.area.bottom());
    let inside = |y: f64| y.clamp(limits.0, limits.1);
    let wanted: Vec<f64> = shown.iter().map(|(_, (_, y))| inside(*y)).collect();
    let x = placed.area.right() + 14.0;
    for ((i, (end, from)), y) in shown.iter().zip(spread(&wanted, LINE, limits)) {
        canvas.open(&format!("class=\"{}\" data-s=\"{i}\"", classes[*i]));
        if (y - from).abs() > 3.0 || x - end > 20.0 {
            canvas.line((end + 2.0, inside(*from)), (x - 3.0, y), "leader");
        }
        canvas.text((x, y + 4.0), Anchor::Start, "label", &placed.lines.series[*i].name);
        canvas.close();
    }
}

fn empty_series(placed: &Placed) -> Vec<String> {
    let ends = placed.ends();
    let empty = placed.lines.series.iter().zip(&ends).filter(|(_, end)| end.is_none());
    empty.map(|(series, _)| format!("{} has no values that can be shown.", series.name)).collect()
}

/// Marks within the range of the axis, from left to right.
struct Marks<'a> {
    marks: Vec<(f64, &'a Mark, Option<Place>)>,
}

impl<'a> Marks<'a> {
    fn new(marks: &'a [Mark], range: &Range, area: Area) -> Self {
        let scale = Scale { range: *range, from: area.left, to: area.right() };
        let inside = |x: &f64| (area.left..=area.right()).contains(x);
        let mut found: Vec<(f64, &Mark)> = marks.iter().filter_map(|mark| Some((scale.at(mark.at).filter(inside)?, mark))).collect();
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let labels: Vec<(f64, &str)> = found.iter().map(|(x, mark)| (*x, mark.label.as_str())).collect();
        let places = rows(&labels, area.right() + 8.0, MARK_ROWS);
        Self { marks: found.into_iter().zip(places).map(|((x, mark), place)| (x, mark, place)).collect() }
    }

    /// The height of the strip that the labels need.
    fn height(&self) -> f64 {
        let rows = self.marks.iter().filter_map(|(_, _, place)| place.map(|place| place.row + 1)).max();
        rows.map_or(0.0, |rows| rows as f64 * LINE + 6.0)
    }

    fn draw(&self, canvas: &mut Canvas, area: Area) {
        for (x, mark, place) in &self.marks {
            let row = place.map_or(0, |place| place.row);
            canvas.line((*x, area.top + row as f64 * LINE), (*x, area.bottom() + 4.0), "mark");
            let Some(place) = place else { continue };
            let (by, anchor) = if place.is_left { (-4.0, Anchor::End) } else { (4.0, Anchor::Start) };
            canvas.text((x + by, area.top + (place.row as f64 + 0.75) * LINE), anchor, "tick", &mark.label);
        }
        canvas.body.push('\n');
    }

    fn note(&self) -> Vec<String> {
        match self.marks.iter().filter(|(_, _, place)| place.is_none()).count() {
            0 => Vec::new(),
            n => vec![format!("Marks without a label for want of room: {n}. All are listed below the numbers.")],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Axis, Series, Stroke, Unit};
    use super::*;

    /// Lines from 0 to these heights.
    fn lines(ends: &[(f64, Colour)]) -> Lines {
        let axis = Axis { label: "axis".into(), unit: Unit::Number, range: Some((0.0, 1.0)), is_logarithmic: false };
        let line = |(y, colour): &(f64, Colour)| Series {
            name: format!("to {y}"),
            colour: *colour,
            stroke: Stroke::Solid,
            points: vec![(0.0, Some(0.0)), (1.0, Some(*y))],
            band: Vec::new(),
            is_step: false,
        };
        Lines { x: axis.clone(), second: None, y: axis, series: ends.iter().map(line).collect(), is_stacked: false, marks: Vec::new() }
    }

    #[track_caller]
    fn check(ends: &[(f64, Colour)], has_names: bool) {
        assert_eq!(draw(&lines(ends), "id").has_names, has_names, "{ends:?}");
    }

    #[test]
    fn names_stand_at_the_ends_of_a_few_lines_that_can_be_told_apart() {
        check(&[(0.5, Colour::Honest), (0.2, Colour::Honest)], true);
        check(&[(0.5, Colour::Honest), (0.5, Colour::Malicious)], true);
        check(&[(0.5, Colour::Honest), (0.501, Colour::Honest)], false);
        check(&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5].map(|y| (y, Colour::Honest)), false);
    }

    #[test]
    fn marks_outside_are_left_out_and_crowded_ones_are_counted() {
        let mut lines = lines(&[(0.5, Colour::Honest)]);
        lines.marks = (0..30).map(|i| Mark { at: f64::from(i) / 20.0, label: "a mark with a rather long label".into() }).collect();
        let drawing = draw(&lines, "id");
        let labels = drawing.body.matches("a mark with").count();
        assert_eq!(drawing.body.matches("class=\"mark\"").count(), 21);
        assert_eq!(drawing.notes, [format!("Marks without a label for want of room: {}. All are listed below the numbers.", 21 - labels)]);
    }

    #[test]
    fn a_series_without_values_is_said_to_have_none() {
        let drawing = draw(&lines(&[(0.5, Colour::Honest), (f64::NAN, Colour::Reference)]), "id");
        assert_eq!(drawing.notes, [""; 0], "its first point is there");
        let mut empty = lines(&[(0.5, Colour::Honest)]);
        empty.series[0].points.clear();
        assert_eq!(draw(&empty, "id").notes, ["to 0.5 has no values that can be shown."]);
    }
}
