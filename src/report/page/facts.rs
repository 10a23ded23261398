//! What is known of each node, from all tables that say something of nodes.

use super::super::setting::Run;
use super::presence::Presence;
use super::receipts::Receipts;
use super::spread::{AtEnd, Spread};
use super::tables::{Kept, has_all, kept};
use crate::error::Result;
use crate::record::{NodeRow, SearchRow, Table};

/// What is known of the nodes of a run.
pub struct Facts {
    /// Every recorded node in order; none if the run did not keep them.
    pub nodes: Vec<NodeRow>,
    /// By node; `None` where a node was not evaluated at the end.
    ends: Vec<Option<AtEnd>>,
    /// Searches by node; `None` if not all were recorded.
    pub searches: Option<Vec<u64>>,
    pub presence: Option<Presence>,
    pub receipts: Option<Receipts>,
}

/// Reads what is known of the nodes.
///
/// # Errors
/// A table cannot be read.
pub fn facts(run: &Run, spread: Option<&Spread>) -> Result<Facts> {
    let n_nodes = run.row.n_nodes.max(0) as usize;
    let mut ends = vec![None; n_nodes];
    for end in spread.iter().flat_map(|spread| &spread.last) {
        if let Some(place) = usize::try_from(end.node).ok().and_then(|node| ends.get_mut(node)) {
            *place = Some(*end);
        }
    }
    let nodes = match kept(run, Table::Nodes) {
        Kept::Nothing => Vec::new(),
        Kept::Rows { .. } => run.table::<NodeRow>()?.all()?,
    };
    Ok(Facts { nodes, ends, searches: searches(run, n_nodes)?, presence: Presence::read(run)?, receipts: Receipts::read(run)? })
}

fn searches(run: &Run, n_nodes: usize) -> Result<Option<Vec<u64>>> {
    if !has_all(run, Table::Searches) {
        return Ok(None);
    }
    let mut counts = vec![0; n_nodes];
    for node in run.table::<SearchRow>()?.column::<i32>("node")? {
        if let Some(count) = usize::try_from(node?).ok().and_then(|node| counts.get_mut(node)) {
            *count += 1;
        }
    }
    Ok(Some(counts))
}

impl Facts {
    /// A node at the last evaluation.
    pub fn end(&self, node: i32) -> Option<AtEnd> {
        *usize::try_from(node).ok().and_then(|node| self.ends.get(node))?
    }

    /// How often a node searched: all its searches, or those up to the last evaluation.
    pub fn n_searches(&self, node: i32) -> Option<u64> {
        let counted = self.searches.as_ref().and_then(|counts| counts.get(usize::try_from(node).ok()?).copied());
        counted.or_else(|| self.end(node).map(|end| end.searches.max(0) as u64))
    }

    /// The share of the run that a node was online.
    pub fn uptime(&self, node: i32) -> Option<f64> {
        self.presence.as_ref()?.share(usize::try_from(node).ok()?)
    }

    /// The share of the run that nodes were online on average, if all joins and leaves were recorded.
    pub fn mean_uptime(&self) -> Option<f64> {
        self.presence.as_ref().map(Presence::mean_share)
    }
}
