//! One session of a history: which of its documents are rows, and which are preferred to which, follows from its clicks.

use crate::ltr::kernel::SHOWN;
use serde::{Deserialize, Serialize};

/// One stored session: where its parts begin.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Stored {
    pub query: u32,
    pub first_shown: u32,
    pub first_row: u32,
    pub first_pair: u32,
    pub clicks: u16,
    pub n_winners: u8,
    pub n_losers: u8,
}

/// One remembered session.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    /// The index of its query.
    pub query: u32,
    /// The indices of the shown documents, best first.
    pub ranking: &'a [u32],
    /// Bit p is set if position p was clicked.
    pub clicks: u16,
}

/// The numbers of clicked documents and of examined ones without a click, if there are preferences between them; else 0.
pub(super) fn sizes(clicks: u16, n_shown: usize) -> (u32, u32) {
    // A user examines everything up to the last click, and one document more.
    let n_examined = (u16::BITS - clicks.leading_zeros() + 1).min(n_shown as u32);
    match (clicks.count_ones(), n_examined.saturating_sub(clicks.count_ones())) {
        (0, _) | (_, 0) => (0, 0),
        sizes => sizes,
    }
}

/// The positions of a session's rows: the first click, all examined documents without a click, and the other clicks.
pub(super) fn row_positions(clicks: u16, n_shown: usize) -> impl Iterator<Item = usize> {
    let (n_winners, n_losers) = sizes(clicks, n_shown);
    let clicked = move |position: &usize| clicks >> position & 1 == 1;
    let winners = move || (0..SHOWN).filter(clicked).take(n_winners as usize);
    let losers = (0..SHOWN).filter(move |position| !clicked(position)).take(n_losers as usize);
    winners().take(1).chain(losers).chain(winners().skip(1))
}
