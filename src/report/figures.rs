//! The figures of many runs as comma-separated values, for scripts and spreadsheets.

use crate::error::Result;
use crate::math;
use crate::record::{Manifest, figure_names, read_figures};
use crate::scenario::Scenario;
use std::path::Path;

/// One line per run: its folder, its seed, how many evaluations at the end were averaged, and the mean of every figure of `curve` over these.
/// A figure that was never there is left empty.
pub fn figures(results: &[impl AsRef<Path>]) -> Result<String> {
    let mut lines = vec![format!("folder,seed,averaged,{}", figure_names().join(","))];
    for folder in results.iter().map(AsRef::as_ref) {
        let seed = Manifest::<Scenario>::read(folder)?.seed;
        let figures = read_figures(folder)?;
        let averaged = n_last(figures.first().map_or(0, Vec::len));
        let means: Vec<String> = figures.iter().map(|values| mean(&values[values.len() - averaged..])).collect();
        lines.push(format!("{},{seed},{averaged},{}", quoted(&folder.display().to_string()), means.join(",")));
    }
    Ok(lines.join("\n") + "\n")
}

/// The last 3 % of the evaluations: 10 of the 301 of the paper's 300 rounds, and the last one of a few.
fn n_last(n_evaluations: usize) -> usize {
    (3 * n_evaluations).div_ceil(100)
}

fn mean(values: &[Option<f64>]) -> String {
    let there: Vec<f64> = values.iter().copied().flatten().collect();
    if there.is_empty() { String::new() } else { math::mean_sd(&there).0.to_string() }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_3_percent_are_the_papers_10_rounds() {
        for (n, last) in [(0, 0), (1, 1), (11, 1), (33, 1), (34, 2), (101, 4), (301, 10)] {
            assert_eq!(n_last(n), last, "of {n}");
        }
    }

    #[test]
    fn what_is_missing_is_left_out_of_a_mean() {
        for (values, expect) in [(&[Some(1.0), None, Some(2.0)][..], "1.5"), (&[None], ""), (&[], "")] {
            assert_eq!(mean(values), expect);
        }
    }

    #[test]
    fn a_comma_in_a_folder_is_no_border() {
        assert_eq!((quoted("out/a"), quoted("a,\"b\"")), ("out/a".into(), "\"a,\"\"b\"\"\"".into()));
    }
}
