//! Who was online when: the table `presence`, read once. Joins and leaves are counted in equal parts of the run.

use super::super::setting::Run;
use super::tables::has_all;
use crate::error::Result;
use crate::record::{PresenceRow, Table};

/// Parts of the run in which joins and leaves are counted.
const PARTS: usize = 84;

/// Joins and leaves of a run.
pub struct Presence {
    /// By node.
    pub nodes: Vec<Uptime>,
    pub parts: Vec<Part>,
    end_ns: i64,
}

/// One node's times online and offline.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Uptime {
    online_ns: i64,
    since: Option<i64>,
    left: Option<i64>,
    /// How often it left and came back, or stayed away.
    pub absences: u32,
    /// The longest time between a leave and the next join, or the end of the run.
    pub longest_ns: i64,
}

/// A part of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Part {
    /// When it ends.
    pub until_ns: i64,
    pub joins: u32,
    pub leaves: u32,
    /// Nodes online at its end.
    pub online: u32,
}

impl Presence {
    /// Joins and leaves of a run; `None` if not all of them were recorded.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn read(run: &Run) -> Result<Option<Self>> {
        if !has_all(run, Table::Presence) || run.row.end_ns <= 0 {
            return Ok(None);
        }
        let mut presence = Self::new(run.row.n_nodes.max(0) as usize, run.row.end_ns);
        for row in run.table::<PresenceRow>()?.rows()? {
            presence.add(&row?);
        }
        presence.finish();
        Ok(Some(presence))
    }

    fn new(n_nodes: usize, end_ns: i64) -> Self {
        let part = |nth: usize| Part { until_ns: (end_ns as f64 * (nth + 1) as f64 / PARTS as f64) as i64, ..Part::default() };
        Self { nodes: vec![Uptime::default(); n_nodes], parts: (0..PARTS).map(part).collect(), end_ns }
    }

    fn add(&mut self, row: &PresenceRow) {
        let Some(node) = usize::try_from(row.node).ok().and_then(|node| self.nodes.get_mut(node)) else { return };
        // The first rows say who is there when the run begins; nobody joins then.
        let is_change = row.at_ns > 0 && row.online != node.since.is_some();
        node.change(row.at_ns, row.online);
        let nth = (row.at_ns as f64 / self.end_ns as f64 * PARTS as f64) as usize;
        let Some(part) = self.parts.get_mut(nth.min(PARTS - 1)).filter(|_| is_change) else { return };
        if row.online { part.joins += 1 } else { part.leaves += 1 }
    }

    fn finish(&mut self) {
        let began = self.nodes.iter().filter(|node| node.since.is_some()).count() as u32;
        let (joins, leaves): (u32, u32) = self.parts.iter().fold((0, 0), |(j, l), part| (j + part.joins, l + part.leaves));
        let mut online = (began + leaves).saturating_sub(joins);
        for part in &mut self.parts {
            online = (online + part.joins).saturating_sub(part.leaves);
            part.online = online;
        }
        let end_ns = self.end_ns;
        self.nodes.iter_mut().for_each(|node| node.end(end_ns));
    }

    /// The share of the run that a node was online.
    pub fn share(&self, node: usize) -> Option<f64> {
        self.nodes.get(node).map(|uptime| uptime.online_ns as f64 / self.end_ns as f64)
    }

    /// The share of the run that nodes were online on average.
    pub fn mean_share(&self) -> f64 {
        let total: f64 = self.nodes.iter().map(|node| node.online_ns as f64).sum();
        total / self.end_ns as f64 / self.nodes.len().max(1) as f64
    }
}

impl Uptime {
    fn change(&mut self, at_ns: i64, online: bool) {
        match (online, self.since) {
            (true, None) => {
                self.longest_ns = self.longest_ns.max(self.left.take().map_or(0, |left| at_ns - left));
                self.since = Some(at_ns);
            }
            (false, Some(since)) => {
                self.online_ns += at_ns - since;
                (self.since, self.left, self.absences) = (None, Some(at_ns), self.absences + 1);
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    fn end(&mut self, end_ns: i64) {
        self.online_ns += self.since.map_or(0, |since| end_ns - since);
        self.longest_ns = self.longest_ns.max(self.left.map_or(0, |left| end_ns - left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn presence(rows: &[(i64, i32, bool)]) -> Presence {
        let mut presence = Presence::new(2, 840);
        for &(at_ns, node, online) in rows {
            presence.add(&PresenceRow { step: 0, at_ns, node, online, life: 0 });
        }
        presence.finish();
        presence
    }

    #[test]
    fn times_online_are_added_up_to_the_end() {
        let both = presence(&[(0, 0, true), (0, 1, false), (210, 0, false), (420, 0, true), (630, 1, true), (700, 7, true)]);
        assert_eq!([both.share(0), both.share(1), both.share(2)], [Some(0.75), Some(0.25), None]);
        assert_eq!(both.mean_share(), 0.5);
        assert_eq!((both.nodes[0].absences, both.nodes[0].longest_ns, both.nodes[1].absences), (1, 210, 0));
    }

    #[test]
    fn joins_and_leaves_are_counted_in_their_part_of_the_run() {
        let parts = presence(&[(0, 0, true), (5, 0, false), (15, 0, true), (15, 1, true), (840, 1, false)]).parts;
        assert_eq!((parts[0].joins, parts[0].leaves, parts[0].online), (0, 1, 0));
        assert_eq!((parts[1].joins, parts[1].leaves, parts[1].online, parts[1].until_ns), (2, 0, 2, 20));
        assert_eq!((parts[83].leaves, parts[83].online), (1, 1));
    }
}
