//! Writes the elements of an SVG. Colours and fonts come from classes, so that one drawing serves light and dark pages.

use super::super::{Colour, Series, Stroke};
use super::escape::escape;
use super::path::tenth;
use super::text;

/// The width of a figure: that of the page's column.
pub const WIDTH: f64 = 680.0;

/// Colours for series by their number; the style defines them.
const COLOURS: usize = 9;

/// A finished drawing, and what has to be said beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// Its elements.
    pub body: String,
    /// All series if there are several.
    pub legend: Vec<Entry>,
    /// Whether the series have their names within the drawing too. The legend then serves narrow screens, which show a part of it.
    pub has_names: bool,
    /// What was left out.
    pub notes: Vec<String>,
}

/// A line of a legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The name of the series.
    pub name: String,
    /// Its classes: colour and stroke.
    pub class: String,
    /// Whether it is an area instead of a line.
    pub is_area: bool,
}

/// Where a text has its anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// At its left end.
    Start,
    /// In its middle.
    Middle,
    /// At its right end.
    End,
}

/// A part of a drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Its left edge.
    pub left: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

impl Area {
    /// Its right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Its lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Elements in the order of their drawing.
#[derive(Debug, Default)]
pub struct Canvas {
    /// What has been drawn.
    pub body: String,
}

impl Canvas {
    /// Opens a group with these attributes, which must be escaped.
    pub fn open(&mut self, attributes: &str) {
        self.body += &format!("<g {attributes}>");
    }

    /// Closes the group.
    pub fn close(&mut self) {
        self.body += "</g>\n";
    }

    /// A text whose baseline is at y.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " mid",
            Anchor::End => " end",
        };
        let class = format!("{class}{anchor}");
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{}\"", class.trim()) };
        self.body += &format!("<text x=\"{}\" y=\"{}\"{class}>{}</text>", tenth(x), tenth(y), escape(text));
    }

    /// A text that is cut to its room; all of it is shown when a reader points at it.
    pub fn fitted(&mut self, at: (f64, f64), anchor: Anchor, class: &str, text: &str, room: f64) {
        let fitted = text::fitted(text, room);
        let is_whole = fitted == text;
        self.text(at, anchor, class, &fitted);
        if !is_whole {
            self.body.truncate(self.body.len() - "</text>".len());
            self.body += &format!("<title>{}</title></text>", escape(text));
        }
    }

    /// Several lines of text of which the middle is at y.
    pub fn lines(&mut self, (x, y): (f64, f64), anchor: Anchor, class: &str, lines: &[String]) {
        let top = y - (lines.len() as f64 - 1.0) / 2.0 * text::LINE + 4.0;
        for (i, line) in lines.iter().enumerate() {
            self.text((x, top + i as f64 * text::LINE), anchor, class, line);
        }
    }

    /// A straight line.
    pub fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(tenth);
        self.body += &format!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"{class}\"/>");
    }

    /// A rectangle with a text for whoever points at it.
    pub fn rect(&mut self, area: Area, class: &str, title: &str) {
        let [x, y, width, height] = [area.left, area.top, area.width, area.height].map(tenth);
        self.body += &format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" class=\"{class}\"");
        self.body += &if title.is_empty() { "/>".into() } else { format!("><title>{}</title></rect>", escape(title)) };
    }

    /// A circle.
    pub fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        self.body += &format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{class}\"/>", tenth(x), tenth(y), tenth(radius));
    }

    /// A path, unless it is empty.
    pub fn path(&mut self, path: &str, class: &str) {
        if !path.is_empty() {
            self.body += &format!("<path d=\"{path}\" class=\"{class}\"/>");
        }
    }
}

/// The class of a colour.
pub fn colour(colour: Colour) -> String {
    match colour {
        Colour::Honest => "honest".into(),
        Colour::Malicious => "malicious".into(),
        Colour::Reference => "reference".into(),
        Colour::Nth(n) => format!("n{}", n % COLOURS),
    }
}

/// Classes for the lines of a figure. No two differ by colour alone if a legend has to tell them apart, and none are equal while patterns
/// last.
pub fn classes(series: &[&Series], has_legend: bool) -> Vec<String> {
    let mut given: Vec<String> = Vec::new();
    for (i, series) in series.iter().enumerate() {
        let first = if has_legend { i } else { 0 };
        let patterns: Vec<&str> = match series.stroke {
            Stroke::Solid => (0..4).map(|k| ["solid", "long", "mixed", "short"][(first + k) % 4]).collect(),
            Stroke::Thin => vec!["thin", "thin long", "thin short"],
            Stroke::Dashed => vec!["dashed", "mixed", "short"],
            Stroke::Dotted => vec!["dotted", "short", "mixed"],
        };
        let candidates: Vec<String> = patterns.iter().map(|pattern| format!("{} {pattern}", colour(series.colour))).collect();
        let free = candidates.iter().find(|candidate| !given.contains(candidate));
        given.push(free.unwrap_or(&candidates[0]).clone());
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(colour: Colour, stroke: Stroke) -> Series {
        Series { name: String::new(), colour, stroke, points: Vec::new(), band: Vec::new(), is_step: false }
    }

    #[test]
    fn lines_of_one_colour_differ_in_their_stroke() {
        let lines = [series(Colour::Honest, Stroke::Solid), series(Colour::Honest, Stroke::Solid), series(Colour::Honest, Stroke::Thin)];
        assert_eq!(classes(&lines.each_ref(), false), ["honest solid", "honest long", "honest thin"]);
    }

    #[test]
    fn lines_of_a_legend_never_differ_by_colour_alone_from_their_neighbours() {
        let lines: Vec<Series> = (0..12).map(|n| series(Colour::Nth(n), Stroke::Solid)).collect();
        let classes = classes(&lines.iter().collect::<Vec<_>>(), true);
        let strokes: Vec<&str> = classes.iter().map(|class| class.split_once(' ').expect("two classes").1).collect();
        assert!(strokes.windows(2).all(|pair| pair[0] != pair[1]), "{strokes:?}");
        let distinct: std::collections::BTreeSet<&String> = classes.iter().collect();
        assert_eq!(distinct.len(), classes.len(), "{classes:?}");
    }

    #[test]
    fn what_is_cut_can_still_be_read() {
        let mut canvas = Canvas::default();
        canvas.fitted((0.0, 1.0), Anchor::End, "tick", "a <long> name of a series", 60.0);
        assert_eq!(
            canvas.body,
            "<text x=\"0\" y=\"1\" class=\"tick end\">a &lt;long…<title>a &lt;long&gt; name of a series</title></text>"
        );
    }
}
