//! The series of one plot: lines, bands, steps and stacked areas on their scales.

use super::super::{Lines, Series};
use super::canvas::{Area, Canvas};
use super::escape::escape;
use super::path;
use super::scale::{Range, Scale, usable};
use super::thin::{Places, thin};

/// The layer of a stack that one series takes: x, lower and upper edge.
type Layer = Vec<(f64, f64, f64)>;

/// A plot on its place.
pub struct Placed<'a> {
    /// What is shown.
    pub lines: &'a Lines,
    /// The horizontal scale.
    pub x: Scale,
    /// The vertical scale.
    pub y: Scale,
    /// The rectangle between the scales.
    pub area: Area,
}

/// All x of a plot.
pub fn x_values(lines: &Lines) -> impl Iterator<Item = f64> {
    let of =
        |series: &'_ Series| series.points.iter().map(|point| point.0).chain(series.band.iter().map(|band| band.0)).collect::<Vec<_>>();
    lines.series.iter().flat_map(of)
}

/// All y of a plot, those of bands and stacks included.
pub fn y_values(lines: &Lines) -> Vec<f64> {
    if lines.is_stacked {
        return layers(lines).into_iter().flatten().flat_map(|(_, low, high)| [low, high]).collect();
    }
    let of = |series: &Series| {
        let band = series.band.iter().flat_map(|band| [band.1, band.2]);
        series.points.iter().filter_map(|point| point.1).chain(band).collect::<Vec<_>>()
    };
    lines.series.iter().flat_map(of).collect()
}

impl<'a> Placed<'a> {
    /// Lays a plot with these ranges into an area. A strip above the lines is left free.
    pub fn new(lines: &'a Lines, (x, y): (Range, Range), area: Area, strip: f64) -> Self {
        let x = Scale { range: x, from: area.left, to: area.right() };
        Self { lines, x, y: Scale { range: y, from: area.bottom(), to: area.top + strip }, area }
    }

    /// Attributes by which the page's script finds the plot and its axis.
    pub fn attributes(&self) -> String {
        let Area { left, top, width, height } = self.area;
        let range = self.x.range;
        let log = if range.is_logarithmic { " log" } else { "" };
        let axis = &self.lines.x;
        format!(
            "class=\"area\" data-box=\"{}\" data-x=\"{} {}{log}\" data-axis=\"{:?} {}\"",
            [left, top, width, height].map(path::tenth).join(" "),
            range.low,
            range.high,
            axis.unit,
            escape(&axis.label)
        )
    }

    /// Draws all series, the first on top, and says whether some points could not be told apart.
    pub fn draw(&self, canvas: &mut Canvas, clip: &str, classes: &[String], numbers: &[usize]) -> bool {
        let Area { left, top, width, height } = self.area;
        let [x, y, w, h] = [left - 1.0, top - 1.0, width + 2.0, height + 2.0].map(path::tenth);
        canvas.body += &format!("<clipPath id=\"{clip}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/></clipPath>");
        canvas.open(&format!("clip-path=\"url(#{clip})\""));
        canvas.body.push('\n');
        let is_thinned = if self.lines.is_stacked { self.stack(canvas, classes, numbers) } else { self.curves(canvas, classes, numbers) };
        canvas.close();
        is_thinned
    }

    /// Where each line ends, if any of it is seen.
    pub fn ends(&self) -> Vec<Option<(f64, f64)>> {
        let inside = |(x, _): &(f64, f64)| (self.area.left - 0.1..=self.area.right() + 0.1).contains(x);
        if self.lines.is_stacked {
            let middle = |layer: &Layer| layer.last().and_then(|(x, low, high)| self.place(*x, (low + high) / 2.0));
            return layers(self.lines).iter().map(middle).collect();
        }
        self.lines.series.iter().map(|series| self.places(series).into_iter().flatten().rfind(inside)).collect()
    }

    fn curves(&self, canvas: &mut Canvas, classes: &[String], numbers: &[usize]) -> bool {
        let mut is_thinned = false;
        let all = || self.lines.series.iter().zip(classes).zip(numbers).rev();
        // Bands lie below all lines.
        for ((series, class), number) in all().filter(|((series, _), _)| !series.band.is_empty()) {
            canvas.open(&format!("class=\"{class}\" data-s=\"{number}\""));
            is_thinned |= self.band(canvas, &series.band, series.is_step, "band");
            canvas.close();
        }
        for ((series, class), number) in all() {
            let places = self.places(series);
            let seen = thin(&places);
            is_thinned |= seen.iter().flatten().count() < places.iter().flatten().count();
            canvas.open(&format!("class=\"{class}\" data-s=\"{number}\""));
            canvas.path(&path::line(&shaped(seen, series.is_step)), "line");
            canvas.close();
        }
        is_thinned
    }

    fn stack(&self, canvas: &mut Canvas, classes: &[String], numbers: &[usize]) -> bool {
        let mut is_thinned = false;
        for ((layer, series), (class, number)) in layers(self.lines).iter().zip(&self.lines.series).zip(classes.iter().zip(numbers)) {
            canvas.open(&format!("class=\"{class}\" data-s=\"{number}\""));
            is_thinned |= self.band(canvas, layer, series.is_step, "layer");
            canvas.close();
        }
        is_thinned
    }

    /// An area for each run of a band without a gap.
    fn band(&self, canvas: &mut Canvas, band: &[(f64, f64, f64)], is_step: bool, class: &str) -> bool {
        let mut is_thinned = false;
        let edges = |(x, low, high): &(f64, f64, f64)| Some((self.place(*x, *low)?, self.place(*x, *high)?));
        let places: Vec<Option<_>> = band.iter().map(edges).collect();
        for run in places.split(Option::is_none) {
            let [lower, upper] = [0, 1].map(|edge| {
                let places: Places = run.iter().flatten().map(|both| Some(if edge == 0 { both.0 } else { both.1 })).collect();
                let seen = thin(&places);
                is_thinned |= seen.len() < places.len();
                shaped(seen, is_step).into_iter().flatten().collect::<Vec<_>>()
            });
            canvas.path(&path::area(&upper, &lower), class);
        }
        is_thinned
    }

    fn places(&self, series: &Series) -> Places {
        series.points.iter().map(|(x, y)| y.and_then(|y| self.place(*x, y))).collect()
    }

    fn place(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.x.at(x)?, self.y.at(y)?))
    }
}

/// A line, or stairs whose height holds until the next place.
fn shaped(places: Places, is_step: bool) -> Places {
    if !is_step {
        return places;
    }
    let mut stairs = Places::new();
    for place in places {
        if let (Some(Some((_, height))), Some((x, _))) = (stairs.last().copied(), place) {
            stairs.push(Some((x, height)));
        }
        stairs.push(place);
    }
    stairs
}

/// The layers of a stack, each on those before it, at every x of any series. What is missing or below 0 counts as 0.
fn layers(lines: &Lines) -> Vec<Layer> {
    let mut grid: Vec<f64> = x_values(lines).filter(|x| usable(*x)).collect();
    grid.sort_by(f64::total_cmp);
    grid.dedup();
    let mut top = vec![0.0; grid.len()];
    let mut layer = |series: &Series| -> Layer {
        let below = top.clone();
        for (x, y) in &series.points {
            let place = grid.binary_search_by(|other| other.total_cmp(x));
            if let (Ok(place), Some(y)) = (place, y.filter(|y| usable(*y) && *y > 0.0)) {
                top[place] = below[place] + y;
            }
        }
        grid.iter().zip(below).zip(&top).map(|((x, low), high)| (*x, low, *high)).collect()
    };
    lines.series.iter().map(&mut layer).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::{Axis, Colour, Stroke, Unit};
    use super::*;

    fn series(points: &[(f64, Option<f64>)]) -> Series {
        Series {
            name: "a".into(),
            colour: Colour::Honest,
            stroke: Stroke::Solid,
            points: points.to_vec(),
            band: Vec::new(),
            is_step: false,
        }
    }

    fn lines(series: Vec<Series>, is_stacked: bool) -> Lines {
        let axis = |label: &str| Axis { label: label.into(), unit: Unit::Number, range: None, is_logarithmic: false };
        Lines { x: axis("x"), second: None, y: axis("y"), series, is_stacked, marks: Vec::new() }
    }

    #[test]
    fn layers_lie_on_each_other() {
        let stack = lines(vec![series(&[(0.0, Some(1.0)), (1.0, Some(2.0))]), series(&[(1.0, Some(3.0)), (2.0, None)])], true);
        let expect = [[(0.0, 0.0, 1.0), (1.0, 0.0, 2.0), (2.0, 0.0, 0.0)], [(0.0, 1.0, 1.0), (1.0, 2.0, 5.0), (2.0, 0.0, 0.0)]];
        assert_eq!(layers(&stack), expect);
        assert_eq!(y_values(&stack).into_iter().fold(0.0, f64::max), 5.0);
    }

    #[test]
    fn a_step_holds_until_the_next_point() {
        let stairs = shaped(vec![Some((0.0, 5.0)), Some((2.0, 7.0)), None, Some((4.0, 1.0))], true);
        assert_eq!(stairs, [Some((0.0, 5.0)), Some((2.0, 5.0)), Some((2.0, 7.0)), None, Some((4.0, 1.0))]);
    }

    #[test]
    fn lines_end_where_their_last_value_is() {
        let plot = lines(vec![series(&[(0.0, Some(0.0)), (5.0, Some(10.0)), (10.0, None)]), series(&[])], false);
        let ranges = (Range::exact(&plot.x, x_values(&plot)), Range::rounded(&plot.y, y_values(&plot).into_iter()));
        let placed = Placed::new(&plot, ranges, Area { left: 0.0, top: 0.0, width: 100.0, height: 50.0 }, 0.0);
        assert_eq!(placed.ends(), [Some((50.0, 0.0)), None]);
    }
}
