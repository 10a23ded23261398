//! The figures of many runs as comma-separated values, for scripts and spreadsheets.

use super::last::Last;
use crate::error::{Error, Result};
use crate::math;
use crate::record::{Manifest, figure_names, read_curve, read_figures};
use crate::scenario::Scenario;
use std::path::Path;

/// One line per run: its folder, its seed, how many evaluations at the end were averaged, and the mean of every figure of `curve` over these.
/// A figure that was never there is left empty.
pub fn figures(results: &[impl AsRef<Path>]) -> Result<String> {
    let mut lines = vec![format!("folder,seed,averaged,{}", figure_names().join(","))];
    for folder in results.iter().map(AsRef::as_ref) {
        let Manifest { seed, scenario, .. } = Manifest::<Scenario>::read(folder)?;
        let (curve, figures) = (read_curve(folder)?, read_figures(folder)?);
        let end = Last::default().of(&curve, scenario.stop);
        let averaged = end.map_err(|problem| Error::input(format!("{}: {problem}", folder.display())))?.len();
        let means: Vec<String> = figures.iter().map(|values| mean(&values[values.len() - averaged..])).collect();
        lines.push(format!("{},{seed},{averaged},{}", quoted(&folder.display().to_string()), means.join(",")));
    }
    Ok(lines.join("\n") + "\n")
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
