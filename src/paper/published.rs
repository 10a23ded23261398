//! The paper's own figures.

use crate::report::Published;
use std::path::Path;

const ROBUSTNESS: &str = include_str!("../../scenarios/paper/published.csv");

/// The paper's table of robustness for one of its data sets; `None` for any other set.
pub fn robustness(set: &str) -> Option<Published> {
    Published::parse(ROBUSTNESS, Path::new("scenarios/paper/published.csv"), set).ok()
}

/// The data set of the paper whose figures stand beside those of another set: itself, or the one that is most alike.
pub fn closest(set: &str) -> &'static str {
    match set {
        "MQ2007" | "MQ2008" => "MQ2007",
        "Yahoo" => "Yahoo",
        "Istella" => "Istella",
        _ => "WEB30K",
    }
}
