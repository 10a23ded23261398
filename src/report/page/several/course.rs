//! The course of one run among many: a few hundred points of its curve, and its figure at the end.

use super::super::super::last::Last;
use super::super::super::setting::Run;
use super::super::tables::{Kept, kept};
use crate::error::Result;
use crate::math;
use crate::record::{CurveRow, Table};

/// Points that are kept of a curve.
const KEPT: usize = 200;

/// The accuracy of a run over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Course {
    /// Time, sessions and mean nDCG; at equal steps of the evaluations if there are many, the first and the last included.
    pub points: Vec<(f64, f64, f64)>,
    /// Expected nDCG of a random ranking at the end.
    pub random: Option<f64>,
    /// Mean nDCG over the end of the run; without a curve that of the last evaluation.
    pub end: Option<f64>,
}

impl Course {
    /// Reads the curve of a run.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(run: &Run) -> Result<Self> {
        let curve = match kept(run, Table::Curve) {
            Kept::Nothing => Vec::new(),
            Kept::Rows { .. } => run.table::<CurveRow>()?.all()?,
        };
        let points = evenly(curve.len()).map(|nth| &curve[nth]).map(|point| (point.at_ns as f64, point.sessions as f64, point.ndcg_mean));
        let window = Last::default().of(&curve, run.scenario.stop).unwrap_or_default();
        let means: Vec<f64> = window.iter().map(|point| point.ndcg_mean).collect();
        let end = if means.is_empty() { run.row.end_ndcg } else { math::mean_sd(&means).0 };
        Ok(Self {
            points: points.collect(),
            random: curve.last().map(|point| point.ndcg_random),
            end: Some(end).filter(|end| end.is_finite()),
        })
    }
}

/// At most `KEPT` places of a list of `n`, the first and the last included.
fn evenly(n: usize) -> impl Iterator<Item = usize> {
    let kept = n.min(KEPT);
    (0..kept).map(move |nth| if n <= KEPT { nth } else { nth * (n - 1) / (KEPT - 1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_are_thinned_and_keep_their_ends() {
        assert_eq!(evenly(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(evenly(0).count(), 0);
        let places: Vec<usize> = evenly(10_001).collect();
        assert_eq!((places.len(), places[0], places[KEPT - 1]), (KEPT, 0, 10_000));
    }
}
