//! What the page of one run tells from: its tables, read once and reduced to what is shown.

use super::super::setting::Run;
use super::axes::Clock;
use super::facts::{Facts, facts};
use super::spread::Spread;
use super::tables::{Kept, kept};
use crate::error::Result;
use crate::record::{CurveRow, Table};

/// One run.
pub struct Story<'a> {
    pub run: &'a Run,
    /// Its recorded evaluations in order; none if the run did not keep them.
    pub curve: Vec<CurveRow>,
    pub clock: Clock,
    pub spread: Option<Spread>,
    pub facts: Facts,
}

impl<'a> Story<'a> {
    /// Reads the tables of a run.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn read(run: &'a Run) -> Result<Self> {
        let curve = match kept(run, Table::Curve) {
            Kept::Nothing => Vec::new(),
            Kept::Rows { .. } => run.table::<CurveRow>()?.all()?,
        };
        let (clock, spread) = (Clock::of(run, &curve)?, Spread::read(run)?);
        let facts = facts(run, spread.as_ref())?;
        Ok(Self { run, curve, clock, spread, facts })
    }

    /// The last recorded evaluation.
    pub fn last(&self) -> Option<&CurveRow> {
        self.curve.last()
    }

    /// Whether something can be drawn over time.
    pub fn has_time(&self) -> bool {
        matches!((self.curve.first(), self.curve.last()), (Some(first), Some(last)) if first.at_ns < last.at_ns)
    }

    pub fn n_honest(&self) -> u64 {
        (self.run.row.n_nodes - self.run.row.n_malicious).max(0) as u64
    }

    pub fn n_malicious(&self) -> u64 {
        self.run.row.n_malicious.max(0) as u64
    }

    /// nDCG with its cutoff: nDCG@10.
    pub fn ndcg(&self) -> String {
        format!("nDCG@{}", self.run.scenario.ndcg_cutoff)
    }

    /// A column of the curve over time.
    pub fn over_time(&self, value: impl Fn(&CurveRow) -> Option<f64>) -> Vec<(f64, Option<f64>)> {
        self.curve.iter().map(|point| (point.at_ns as f64, value(point).filter(|value| value.is_finite()))).collect()
    }
}
