//! Draws figures: SVG for pages and for print, the same numbers as a table, as comma-separated values, and for pgfplots.
//!
//! Every byte follows from the figure alone. Names are escaped, numbers that cannot be shown are left out and said to be, and colours come
//! from classes that `style.css` defines for light and dark pages.

mod axis;
mod bars;
mod canvas;
mod csv;
mod escape;
mod heat_map;
mod intervals;
mod labels;
mod lines;
mod numbers;
mod page;
mod panels;
mod path;
mod pgfplots;
mod scale;
mod series;
mod spark;
mod stand_alone;
mod table;
mod text;
mod thin;
mod ticks;

pub use csv::csv;
pub use escape::escape;
pub use page::html;
pub use pgfplots::pgfplots;
pub use spark::sparkline;
pub use stand_alone::svg;

pub(super) use numbers::value;

use super::{Figure, Plot};
use canvas::Drawing;

/// The style of report pages: figures, tables, and the text around them, for light and dark screens and for paper.
pub const STYLE: &str = include_str!("style.css");

/// The script of report pages: cursor, legends, and tables that sort and open. A page reads well without it.
pub const SCRIPT: &str = include_str!("script.js");

fn draw(figure: &Figure) -> Drawing {
    let id = escape::identifier(&figure.id);
    match &figure.plot {
        Plot::Lines(lines) => lines::draw(lines, &id),
        Plot::Bars(bars) => bars::draw(bars),
        Plot::Panels(panels) => panels::draw(panels, &id),
        Plot::Intervals(intervals) => intervals::draw(intervals),
        Plot::HeatMap(map) => heat_map::draw(map),
    }
}
