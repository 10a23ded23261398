//! Draws figures: SVG for pages and for print, the same numbers as a table, as comma-separated values, and for pgfplots.
//!
//! Every byte follows from the figure alone. Names are escaped, numbers that cannot be shown are left out and said to be, and colours come
//! from classes that `style.css` defines for light and dark pages.

mod axis;
mod bars;
mod canvas;
mod escape;
mod labels;
mod lines;
mod numbers;
mod page;
mod path;
mod scale;
mod series;
mod table;
mod text;
mod thin;

pub use escape::escape;
pub use page::html;

use super::{Figure, Plot};
use canvas::Drawing;

/// The style of report pages: figures, tables, and the text around them, for light and dark screens and for paper.
pub const STYLE: &str = include_str!("style.css");

fn draw(figure: &Figure) -> Drawing {
    let id = escape::identifier(&figure.id);
    match &figure.plot {
        Plot::Lines(lines) => lines::draw(lines, &id),
        Plot::Bars(bars) => bars::draw(bars),
        Plot::Panels(_) | Plot::Intervals(_) | Plot::HeatMap(_) => {
            Drawing { width: canvas::WIDTH, height: 1.0, body: String::new(), legend: Vec::new(), notes: Vec::new() }
        }
    }
}
