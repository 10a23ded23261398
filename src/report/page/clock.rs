//! The axis of virtual time of a run: its sessions as a second scale, and what happened to the network as labelled marks.

use super::super::figure::Mark;
use super::super::setting::Run;
use super::axes::Clock;
use super::words::{counted, percent};
use crate::error::Result;
use crate::network::{Active, Crowd, Join};
use crate::record::{CurveRow, FaultRow, Table};

/// More marks than this would cover the figure.
const MOST_MARKS: usize = 12;

impl Clock {
    /// The clock of a run.
    ///
    /// # Errors
    /// The table of faults cannot be read.
    pub fn of(run: &Run, curve: &[CurveRow]) -> Result<Self> {
        let mut marks = [faults(run)?, crowds(run), burst(run), windows(run)].concat();
        marks.retain(|mark| mark.at <= run.row.end_ns as f64);
        marks.sort_by(|a, b| a.at.total_cmp(&b.at)); // stable
        let note = (marks.len() > MOST_MARKS).then(|| format!("Only the first {MOST_MARKS} of {} events are marked.", marks.len()));
        marks.truncate(MOST_MARKS);
        Ok(Self { sessions: sessions(curve), marks, end_ns: run.row.end_ns.max(1) as f64, note })
    }

    /// The moment of each mark in sessions, for figures over sessions.
    pub fn marks_by_sessions(&self) -> Vec<Mark> {
        let Some((_, scale)) = &self.sessions else { return Vec::new() };
        self.marks.iter().map(|mark| Mark { at: at(scale, mark.at), label: mark.label.clone() }).collect()
    }
}

/// Sessions over time, if there are at least two moments and sessions between them.
fn sessions(curve: &[CurveRow]) -> Option<(String, Vec<(f64, f64)>)> {
    let (first, last) = (curve.first()?, curve.last()?);
    let scale = curve.iter().map(|point| (point.at_ns as f64, point.sessions as f64)).collect();
    (first.at_ns < last.at_ns && first.sessions < last.sessions).then_some(("sessions".into(), scale))
}

/// The value of a scale at a place, between its nearest two places.
fn at(scale: &[(f64, f64)], place: f64) -> f64 {
    let next = scale.partition_point(|(x, _)| *x < place);
    match (next.checked_sub(1).and_then(|before| scale.get(before)), scale.get(next)) {
        (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (place - x0) / (x1 - x0),
        (Some((_, y)), None) | (None, Some((_, y))) => *y,
        (None, None) => 0.0,
    }
}

fn faults(run: &Run) -> Result<Vec<Mark>> {
    if !run.has(Table::Faults) {
        return Ok(Vec::new());
    }
    let mark = |row: FaultRow| {
        let what = if row.begins { row.what.to_string() } else { format!("end of {}", row.what) };
        Mark { at: row.at_ns as f64, label: format!("{what} ({})", counted(row.concerned.max(0) as u64, "node")) }
    };
    run.table::<FaultRow>()?.rows()?.take(2 * MOST_MARKS).map(|row| row.map(mark)).collect()
}

fn crowds(run: &Run) -> Vec<Mark> {
    let mark = |crowd: &Crowd| {
        let what = match crowd {
            Crowd::Join { .. } => "join",
            Crowd::Leave { .. } => "leave",
        };
        Mark { at: crowd.at().ns() as f64, label: format!("{} of the nodes {what}", percent(crowd.share())) }
    };
    run.scenario.crowds.iter().map(mark).collect()
}

fn burst(run: &Run) -> Vec<Mark> {
    match run.scenario.attackers.join {
        Join::Burst { at, .. } => vec![Mark { at: at.ns() as f64, label: "attackers join".into() }],
        Join::WithOthers => Vec::new(),
    }
}

/// When windows of attack begin and end.
fn windows(run: &Run) -> Vec<Mark> {
    let Active::Windows { first, on, off, .. } = run.scenario.attackers.active else { return Vec::new() };
    let period = on.ns().saturating_add(off.ns()).max(1);
    let window = |nth: u64| {
        let from = first.ns().saturating_add(period.saturating_mul(nth));
        let mark = |at: u64, label: &str| Mark { at: at as f64, label: label.into() };
        [mark(from, "attack begins"), mark(from.saturating_add(on.ns()), "attack pauses")]
    };
    (0..MOST_MARKS as u64).flat_map(window).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_between_two_evaluations_has_sessions_between_theirs() {
        let scale = [(0.0, 0.0), (10.0, 100.0), (20.0, 400.0)];
        assert_eq!([-1.0, 0.0, 5.0, 10.0, 15.0, 25.0].map(|place| at(&scale, place)), [0.0, 0.0, 50.0, 100.0, 250.0, 400.0]);
        assert_eq!(at(&[], 1.0), 0.0);
    }
}
