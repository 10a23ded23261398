//! A figure as a file of its own, ready for print: light colours, fonts and legend within.

use super::super::Figure;
use super::canvas::{Anchor, Area, Canvas, Drawing, Entry};
use super::escape::{escape, identifier};
use super::page::described;
use super::path::tenth;
use super::text::{LINE, width};
use super::{STYLE, draw};

/// A figure as an SVG file. Title and caption describe it but are not drawn, because a text that uses the figure has its own.
pub fn svg(figure: &Figure) -> String {
    let drawing = draw(figure);
    let id = identifier(&figure.id);
    let (legend, below) = legend(&drawing);
    let (width, height) = (tenth(drawing.width), tenth(drawing.height + below));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"{id}-title {id}-desc\">\n{}<style>{}</style>\n{}{legend}<g transform=\"translate(0 {})\">\n{}</g>\n</svg>\n",
        described(figure, &id),
        escape(&style()),
        background(&drawing, below),
        tenth(below),
        drawing.body
    )
}

/// Paper below the figure, because viewers with dark windows would show dark text on them.
fn background(drawing: &Drawing, below: f64) -> String {
    let mut canvas = Canvas::default();
    canvas.rect(Area { left: 0.0, top: 0.0, width: drawing.width, height: drawing.height + below }, "paper", "");
    canvas.body + "\n"
}

/// Entries in as many rows as they need, and the height of these.
fn legend(drawing: &Drawing) -> (String, f64) {
    let mut canvas = Canvas::default();
    let (mut x, mut row) = (0.0, 0.0);
    let entries = if drawing.has_names { &[][..] } else { &drawing.legend };
    for entry in entries {
        let length = width(&entry.name) + 46.0;
        if x > 0.0 && x + length > drawing.width {
            (x, row) = (0.0, row + 1.0);
        }
        sample(&mut canvas, entry, (x, row * (LINE + 4.0)));
        x += length;
    }
    let height = if entries.is_empty() { 0.0 } else { (row + 1.0) * (LINE + 4.0) + 8.0 };
    (canvas.body, height)
}

fn sample(canvas: &mut Canvas, entry: &Entry, (x, top): (f64, f64)) {
    canvas.open(&format!("class=\"{}\"", entry.class));
    if entry.is_area {
        canvas.rect(Area { left: x, top: top + 2.0, width: 24.0, height: 10.0 }, "layer", "");
    } else {
        canvas.path(&super::path::line(&[Some((x + 1.0, top + 7.0)), Some((x + 25.0, top + 7.0))]), "line");
    }
    canvas.text((x + 31.0, top + 11.0), Anchor::Start, "", &entry.name);
    canvas.close();
}

/// The rules for figures with the light colours in place of their names, which programs other than browsers do not look up.
fn style() -> String {
    let (_, rules) = STYLE.split_once("figures begin").unwrap_or_default();
    let (_, rules) = rules.split_once("*/\n").unwrap_or_default();
    let (rules, _) = rules.split_once("/* figures end").unwrap_or_default();
    let light = STYLE.split_once('}').map_or("", |(light, _)| light);
    let mut style =
        format!("\n{rules}svg .paper {{ fill: var(--paper); }}\n").replace("system-ui, -apple-system, \"Segoe UI\", Roboto, ", "");
    for (name, colour) in light.split(['{', ';']).filter_map(|line| line.trim().split_once(": ")) {
        style = style.replace(&format!("var({name})"), colour);
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_put_in() {
        let style = style();
        assert!(style.contains("svg .honest { color: #0072b2; }"), "{style}");
        assert!(style.contains("svg .paper { fill: #ffffff; }"), "{style}");
        assert!(!style.contains("var(") && !style.contains("--"), "{style}");
        assert!(!style.contains("figcaption"), "the page's own rules stay with the page");
    }
}
