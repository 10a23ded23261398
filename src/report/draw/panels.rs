//! Small multiples: plots side by side that share both axes, so that only their shapes differ.

use super::super::{Lines, Series};
use super::axis;
use super::canvas::{Anchor, Area, Canvas, Drawing, Entry, WIDTH, classes};
use super::lines::thinning;
use super::scale::Range;
use super::series::{Placed, x_values, y_values};
use super::text::LINE;

/// The height of one panel's lines.
const HEIGHT: f64 = 120.0;

/// Between two panels; the last label of one axis and the first of the next share it.
const GAP: f64 = 32.0;

/// Draws all panels in rows.
pub fn draw(panels: &[(String, Lines)], id: &str) -> Drawing {
    let Some((_, first)) = panels.first() else {
        return Drawing {
            width: WIDTH,
            height: LINE,
            body: String::new(),
            legend: Vec::new(),
            has_names: true,
            notes: vec!["There are no panels.".into()],
        };
    };
    let ranges = shared(panels, first);
    let series = distinct(panels);
    let classes = classes(&series, series.len() > 1);
    let grid = Grid::new(panels.len(), axis::left_margin(&ranges.1).max(24.0));
    let mut canvas = Canvas::default();
    let mut is_thinned = false;
    for (i, (title, lines)) in panels.iter().enumerate() {
        let placed = Placed::new(lines, ranges, grid.area(i), 0.0);
        canvas.open(&placed.attributes());
        canvas.fitted((placed.area.left, placed.area.top - 9.0), Anchor::Start, "title", title, placed.area.width);
        axis::vertical(&mut canvas, &placed.y, placed.area, i % grid.columns == 0);
        if i + grid.columns >= panels.len() {
            axis::horizontal(&mut canvas, &placed.x, placed.area);
        }
        marks(&mut canvas, &placed);
        let numbers: Vec<usize> = lines.series.iter().map(|line| number(&series, line)).collect();
        let own: Vec<String> = numbers.iter().map(|number| classes[*number].clone()).collect();
        is_thinned |= placed.draw(&mut canvas, &format!("{id}-clip{i}"), &own, &numbers);
        canvas.close();
    }
    let height = grid.area(panels.len() - 1).bottom() + 2.0 * LINE + 14.0;
    canvas.fitted((0.0, LINE - 2.0), Anchor::Start, "name", &first.y.label, WIDTH);
    canvas.fitted((grid.left + (WIDTH - grid.left) / 2.0, height - 5.0), Anchor::Middle, "name", &first.x.label, WIDTH / 2.0);
    let legend = if series.len() > 1 { entries(&series, &classes, first.is_stacked) } else { Vec::new() };
    Drawing { width: WIDTH, height, body: canvas.body, legend, has_names: false, notes: thinning(is_thinned) }
}

/// Where each panel lies.
struct Grid {
    columns: usize,
    left: f64,
}

impl Grid {
    fn new(n: usize, left: f64) -> Self {
        let columns = match n {
            1 => 1,
            2 | 4 => 2,
            _ => 3,
        };
        Self { columns, left }
    }

    fn area(&self, i: usize) -> Area {
        let (column, row) = ((i % self.columns) as f64, (i / self.columns) as f64);
        let columns = self.columns as f64;
        let width = (WIDTH - self.left - 18.0 - GAP * (columns - 1.0)) / columns;
        let top = LINE + 34.0 + row * (HEIGHT + LINE + GAP);
        Area { left: self.left + column * (width + GAP), top, width, height: HEIGHT }
    }
}

/// The ranges of the first panel's axes over the values of all.
fn shared(panels: &[(String, Lines)], first: &Lines) -> (Range, Range) {
    let x = panels.iter().flat_map(|(_, lines)| x_values(lines));
    let y = panels.iter().flat_map(|(_, lines)| y_values(lines));
    (Range::exact(&first.x, x), Range::rounded(&first.y, y))
}

/// One series of each name; the same name looks the same in every panel.
fn distinct(panels: &[(String, Lines)]) -> Vec<&Series> {
    let mut found: Vec<&Series> = Vec::new();
    for series in panels.iter().flat_map(|(_, lines)| &lines.series) {
        if !found.iter().any(|other| other.name == series.name) {
            found.push(series);
        }
    }
    found
}

fn number(series: &[&Series], line: &Series) -> usize {
    series.iter().position(|other| other.name == line.name).unwrap_or(0)
}

fn entries(series: &[&Series], classes: &[String], is_area: bool) -> Vec<Entry> {
    series.iter().zip(classes).map(|(series, class)| Entry { name: series.name.clone(), class: class.clone(), is_area }).collect()
}

/// Panels have no room for the labels of marks; the tables list them.
fn marks(canvas: &mut Canvas, placed: &Placed) {
    let inside = |x: &f64| (placed.area.left..=placed.area.right()).contains(x);
    for x in placed.lines.marks.iter().filter_map(|mark| placed.x.at(mark.at)).filter(inside) {
        canvas.line((x, placed.area.top), (x, placed.area.bottom()), "mark");
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Axis, Colour, Stroke, Unit};
    use super::*;

    fn panel(title: &str, names: &[&str], high: f64) -> (String, Lines) {
        let axis = Axis { label: "axis".into(), unit: Unit::Number, range: None, is_logarithmic: false };
        let line = |name: &&str| Series {
            name: name.to_string(),
            colour: Colour::Honest,
            stroke: Stroke::Solid,
            points: vec![(0.0, Some(0.0)), (1.0, Some(high))],
            band: Vec::new(),
            is_step: false,
        };
        let series = names.iter().map(line).collect();
        (title.into(), Lines { x: axis.clone(), second: None, y: axis, series, is_stacked: false, marks: Vec::new() })
    }

    #[test]
    fn panels_share_their_axes_and_their_legend() {
        let drawing = draw(&[panel("one", &["a", "b"], 1.0), panel("two", &["b", "c"], 4.0)], "id");
        assert_eq!(drawing.legend.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(drawing.body.matches("data-x=\"0 1\"").count(), 2);
        assert_eq!(drawing.body.matches(">4</text>").count(), 1, "one axis serves the row: {}", drawing.body);
        assert_eq!(drawing.body.matches("data-s=\"1\"").count(), 2, "b has one number in both");
    }

    #[test]
    fn no_panels_are_said_to_be_none() {
        assert_eq!(draw(&[], "id").notes, ["There are no panels."]);
    }

    #[test]
    fn panels_do_not_overlap() {
        for n in 1..9 {
            let grid = Grid::new(n, 40.0);
            let areas: Vec<Area> = (0..n).map(|i| grid.area(i)).collect();
            for (i, one) in areas.iter().enumerate() {
                assert!(one.right() <= WIDTH);
                assert!(areas[i + 1..].iter().all(|other| one.right() < other.left || one.bottom() < other.top), "{n} panels");
            }
        }
    }
}
