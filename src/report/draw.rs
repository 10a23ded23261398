//! Placeholder.
use super::figure::{Colour, Figure};
pub const STYLE: &str = "";
pub const SCRIPT: &str = "";
pub fn html(figure: &Figure) -> String {
    format!("<figure id=\"{}\"><h3>{}</h3><p>{}</p></figure>\n", figure.id, figure.title, figure.caption)
}
pub fn sparkline(_: &[(f64, Option<f64>)], _: Colour) -> String {
    String::new()
}
