//! A figure as part of a page: heading, drawing, legend, caption, remarks, and its numbers as a table.

use super::super::Figure;
use super::canvas::{Drawing, Entry};
use super::escape::{escape, identifier};
use super::path::tenth;
use super::{draw, table};

/// A figure as an element of a page that has [`super::STYLE`], and [`super::SCRIPT`] for its cursor and its legend.
pub fn html(figure: &Figure) -> String {
    let drawing = draw(figure);
    let id = identifier(&figure.id);
    let tables = table::html(figure);
    let notes: String = figure.notes.iter().chain(&drawing.notes).map(|note| paragraph("note", note)).collect();
    format!(
        "<figure id=\"{id}\">\n<h3>{}</h3>\n{}<div class=\"plot\">{}</div>\n<figcaption>{}{notes}</figcaption>\n{tables}</figure>\n",
        escape(&figure.title),
        legend(&drawing),
        svg(figure, &drawing),
        paragraph("caption", &figure.caption),
    )
}

/// The drawing within the page. One that is wider than the column keeps its size and scrolls.
fn svg(figure: &Figure, drawing: &Drawing) -> String {
    let (id, width, height) = (identifier(&figure.id), tenth(drawing.width), tenth(drawing.height));
    let wide = if drawing.width > super::canvas::WIDTH { format!(" style=\"min-width:{width}px\"") } else { String::new() };
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\"{wide}>\n{}{}</svg>",
        described(figure, &id),
        drawing.body
    )
}

/// Title and description of a drawing, for those who do not see it.
pub fn described(figure: &Figure, id: &str) -> String {
    let (title, caption) = (escape(&figure.title), escape(&figure.caption));
    format!("<title id=\"{id}-title\">{title}</title><desc id=\"{id}-desc\">{caption}</desc>\n")
}

fn paragraph(class: &str, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<p class=\"{class}\">{}</p>", escape(text)) }
}

/// Buttons that hide and show series; without scripts they are a plain legend.
fn legend(drawing: &Drawing) -> String {
    let entries = &drawing.legend;
    if entries.is_empty() {
        return String::new();
    }
    let button = |(i, entry): (usize, &Entry)| {
        let (class, name) = (&entry.class, escape(&entry.name));
        format!("<button type=\"button\" aria-pressed=\"true\" data-s=\"{i}\">{}{name}</button>\n", swatch(class, entry.is_area))
    };
    let buttons: String = entries.iter().enumerate().map(button).collect();
    let class = if drawing.has_names { "legend few" } else { "legend" };
    format!("<div class=\"{class}\" role=\"group\" aria-label=\"Series\">\n{buttons}</div>\n")
}

/// A piece of a line, or of an area, as it is drawn.
pub fn swatch(class: &str, is_area: bool) -> String {
    let shape = if is_area { "<path d=\"M0 0h26v10h-26z\" class=\"layer\"/>" } else { "<path d=\"M1 5h24\" class=\"line\"/>" };
    format!("<svg class=\"swatch {class}\" viewBox=\"0 0 26 10\" aria-hidden=\"true\">{shape}</svg>")
}
