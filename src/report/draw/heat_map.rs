//! A value for each pair of labels: nine shades from light to dark, and the value in every cell, so that nothing is told by colour alone.

use super::super::HeatMap;
use super::canvas::{Anchor, Area, Canvas, Drawing, WIDTH};
use super::numbers::value;
use super::scale::Range;
use super::text::{LINE, widest, width, wrapped};

/// The height of a cell.
const HEIGHT: f64 = 36.0;

/// Shades that the style defines.
const SHADES: usize = 9;

/// Draws the cells by row and column. A map with many columns is wider than the page and scrolls.
pub fn draw(map: &HeatMap) -> Drawing {
    let cells = Cells::new(map);
    let mut canvas = Canvas::default();
    cells.labels(&mut canvas);
    for row in 0..map.rows.1.len() {
        for column in 0..map.columns.1.len() {
            cells.draw(&mut canvas, row, column);
        }
        canvas.body.push('\n');
    }
    cells.key(&mut canvas);
    let is_missing = (0..map.rows.1.len()).any(|row| (0..map.columns.1.len()).any(|column| cells.value(row, column).is_none()));
    let notes = if is_missing { vec!["Dashed cells have no value.".into()] } else { Vec::new() };
    Drawing { width: cells.drawing_width(), height: cells.bottom() + 52.0, body: canvas.body, legend: Vec::new(), has_names: true, notes }
}

struct Cells<'a> {
    map: &'a HeatMap,
    range: Range,
    left: f64,
    top: f64,
    width: f64,
}

impl<'a> Cells<'a> {
    fn new(map: &'a HeatMap) -> Self {
        let range = Range::exact(&map.value, map.cells.iter().flatten().flatten().copied());
        let left = widest(map.rows.1.iter().map(String::as_str)).clamp(width(&map.rows.0).min(150.0), 150.0) + 12.0;
        let texts = map.cells.iter().flatten().flatten().map(|v| width(&value(map.value.unit, *v))).fold(0.0, f64::max);
        let room = (WIDTH - left) / map.columns.1.len().max(1) as f64;
        let width = room.clamp(texts + 8.0, (texts + 8.0).max(110.0));
        let lines = map.columns.1.iter().map(|label| wrapped(label, width - 6.0, 3).len()).max().unwrap_or(1);
        Self { map, range, left, top: LINE * (lines as f64 + 1.0) + 12.0, width }
    }

    fn value(&self, row: usize, column: usize) -> Option<f64> {
        let v = self.map.cells.get(row)?.get(column).copied().flatten()?;
        self.range.fraction(v).map(|_| v)
    }

    /// Names of rows and columns, and the labels of each.
    fn labels(&self, canvas: &mut Canvas) {
        canvas.fitted((0.0, self.top - 8.0), Anchor::Start, "name", &self.map.rows.0, self.left - 8.0);
        canvas.fitted((self.left, LINE - 2.0), Anchor::Start, "name", &self.map.columns.0, self.drawing_width() - self.left);
        let label_rows = (self.top - LINE - 12.0) / LINE;
        for (i, label) in self.map.columns.1.iter().enumerate() {
            let middle = (self.left + (i as f64 + 0.5) * self.width, LINE + 4.0 + label_rows * LINE / 2.0);
            canvas.lines(middle, Anchor::Middle, "", &wrapped(label, self.width - 6.0, 3));
        }
        for (i, label) in self.map.rows.1.iter().enumerate() {
            let middle = (0.0, self.top + (i as f64 + 0.5) * HEIGHT);
            canvas.lines(middle, Anchor::Start, "", &wrapped(label, self.left - 12.0, 2));
        }
        canvas.body.push('\n');
    }

    fn draw(&self, canvas: &mut Canvas, row: usize, column: usize) {
        let (left, top) = (self.left + column as f64 * self.width, self.top + row as f64 * HEIGHT);
        let area = Area { left, top, width: self.width, height: HEIGHT };
        let middle = (left + self.width / 2.0, top + HEIGHT / 2.0 + 4.0);
        match self.value(row, column) {
            Some(v) => {
                let shade = self.shade(v);
                canvas.rect(area, &format!("cell h{shade}"), &self.said(row, column, v));
                canvas.text(middle, Anchor::Middle, &format!("on-h{shade}"), &value(self.map.value.unit, v));
            }
            None => {
                let inner = Area { left: left + 3.0, top: top + 3.0, width: self.width - 6.0, height: HEIGHT - 6.0 };
                canvas.rect(inner, "lack", "");
                canvas.text(middle, Anchor::Middle, "tick", "–");
            }
        }
    }

    fn said(&self, row: usize, column: usize, v: f64) -> String {
        format!("{}, {}: {}", self.map.rows.1[row], self.map.columns.1[column], value(self.map.value.unit, v))
    }

    fn shade(&self, v: f64) -> usize {
        let fraction = self.range.fraction(v).unwrap_or(0.0).clamp(0.0, 1.0);
        ((fraction * SHADES as f64) as usize).min(SHADES - 1)
    }

    /// What the shades mean: a bar below the cells with the ends of the range.
    fn key(&self, canvas: &mut Canvas) {
        let ends = [self.range.low, self.range.high].map(|v| value(self.map.value.unit, v));
        let y = self.bottom() + 24.0;
        let mut x = self.left;
        canvas.text((x, y + 10.0), Anchor::Start, "tick", &ends[0]);
        x += width(&ends[0]) + 8.0;
        for shade in 0..SHADES {
            canvas.rect(Area { left: x, top: y, width: 16.0, height: 12.0 }, &format!("h{shade}"), "");
            x += 16.0;
        }
        canvas.text((x + 8.0, y + 10.0), Anchor::Start, "tick", &ends[1]);
        x += 8.0 + width(&ends[1]) + 16.0;
        canvas.fitted((x, y + 10.0), Anchor::Start, "name", &self.map.value.label, self.drawing_width() - x);
        canvas.body.push('\n');
    }

    fn bottom(&self) -> f64 {
        self.top + self.map.rows.1.len() as f64 * HEIGHT
    }

    fn drawing_width(&self) -> f64 {
        (self.left + self.width * self.map.columns.1.len() as f64).max(WIDTH)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Axis, Unit};
    use super::*;

    fn drawn(columns: usize, cells: Vec<Vec<Option<f64>>>) -> Drawing {
        draw(&HeatMap {
            columns: ("columns".into(), (0..columns).map(|i| format!("c{i}")).collect()),
            rows: ("rows".into(), (0..cells.len()).map(|i| format!("r{i}")).collect()),
            value: Axis { label: "value".into(), unit: Unit::Number, range: Some((0.0, 1.0)), is_logarithmic: false },
            cells,
        })
    }

    #[test]
    fn shades_rise_with_values_and_every_cell_says_its_own() {
        let body = drawn(3, vec![vec![Some(0.0), Some(0.5), Some(1.0)]]).body;
        for (shade, text) in [(0, "0.000"), (4, "0.500"), (8, "1.000")] {
            assert!(body.contains(&format!("class=\"cell h{shade}\"")), "{body}");
            assert!(body.contains(&format!("class=\"on-h{shade} mid\">{text}</text>")), "{body}");
        }
    }

    #[test]
    fn a_missing_cell_is_dashed_and_explained() {
        // The second row is shorter than there are columns, and one value is none.
        let drawing = drawn(2, vec![vec![Some(0.5), None], vec![Some(f64::NAN)]]);
        assert_eq!(drawing.body.matches("class=\"lack\"").count(), 3);
        assert_eq!(drawing.notes, ["Dashed cells have no value."]);
    }

    #[test]
    fn many_columns_make_a_wider_drawing() {
        assert!(drawn(3, vec![vec![Some(0.5); 3]]).width == WIDTH);
        assert!(drawn(40, vec![vec![Some(0.5); 40]]).width > 1.5 * WIDTH);
    }
}
