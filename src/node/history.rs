//! Q_u: the past sessions of a node, laid out so that one pass judges a received model by all of them.

mod documents;
mod session;

pub use documents::{Documents, HistoryRows};
pub use session::Session;

use crate::corpus::{Query, Split};
use crate::fields::declare;
use crate::ltr::kernel::{SHOWN, Span, margins};
use crate::ltr::{ModelShape, Preference, linear, preferences};
use serde::{Deserialize, Serialize};
use session::{Stored, row_positions, sizes};

declare! {
    /// How much of its own past a node keeps to judge by.
    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Keep {
        /// Every session.
        Unlimited,
        /// The last n sessions.
        Last(
            #[limits(at_least(1.0).or("a node that never judges has defense: Undefended or Local"))]
            #[example(200)]
            u32
        ),
    }
}

impl Keep {
    /// The largest number of sessions that are kept; `None` if all are.
    pub fn at_most(self) -> Option<u32> {
        match self {
            Keep::Unlimited => None,
            Keep::Last(n) => Some(n),
        }
    }
}

/// A node's sessions, oldest first.
///
/// The documents of all preferences are rows, one after another. Which documents of a session these are, and which of them are preferred to
/// which, follows from its clicks. For every preference the history keeps ρ, and the margin s_i − s_j under the node's own model. When a
/// linear model is merged, margins are interpolated exactly as the weights are. Margins are state: they are computed anew only after an own
/// PDGD step, which moves θ in another way. The margins of a neural model follow from its weights alone, so every merge makes them stale.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct History {
    shape: ModelShape,
    keep: Keep,
    sessions: Vec<Stored>,
    /// The index of the oldest session that is not forgotten. The sessions before it await compaction.
    first: usize,
    /// The indices of the shown documents, session by session, best first.
    shown: Vec<u32>,
    documents: Documents,
    /// The number of rows, forgotten ones included.
    n_rows: usize,
    /// By preference: the ρ of its session.
    rho: Vec<f64>,
    /// By preference: the margin of the own model. Those of forgotten sessions are not kept up to date.
    margins: Vec<f32>,
    margins_stale: bool,
}

/// The remembered sessions of a history.
#[derive(Debug, Clone, Copy)]
pub struct Sessions<'a>(&'a History);

/// The documents and preferences by which one session judges models.
#[derive(Debug, Clone)]
pub struct SessionEvidence {
    /// The documents of its preferences, row after row.
    pub documents: Vec<f32>,
    /// Winner and loser among these documents, and the ρ of the session.
    pub preferences: Vec<(usize, usize, f64)>,
}

impl<'a> Sessions<'a> {
    /// The sessions, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Session<'a>> {
        let Self(history) = self;
        let ends = history.sessions.iter().skip(history.first + 1).map(|next| next.first_shown as usize).chain([history.shown.len()]);
        history.sessions[history.first..].iter().zip(ends).map(|(session, end)| Session {
            query: session.query,
            ranking: &history.shown[session.first_shown as usize..end],
            clicks: session.clicks,
        })
    }
}

impl History {
    /// An empty history of models of this shape.
    pub fn new(shape: ModelShape, keep: Keep, documents: Documents) -> Self {
        Self {
            shape,
            keep,
            sessions: Vec::new(),
            first: 0,
            shown: Vec::new(),
            documents,
            n_rows: 0,
            rho: Vec::new(),
            margins: Vec::new(),
            margins_stale: false,
        }
    }

    /// The number of remembered sessions, including those without preferences.
    pub fn len(&self) -> usize {
        self.sessions.len() - self.first
    }

    /// Whether no session is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether models can be judged by the history.
    pub fn keeps_documents(&self) -> bool {
        self.documents.are_kept()
    }

    /// The remembered sessions.
    pub fn sessions(&self) -> Sessions<'_> {
        Sessions(self)
    }

    /// Adds a session with the preferences of its clicks, and forgets the oldest one if there are too many. A session with preferences has
    /// moved θ, so all margins become stale.
    pub fn push(&mut self, query_idx: u32, ranking: &[u32], clicks: &[bool], preferences: &[Preference], query: Query) {
        debug_assert!(preferences::pairs(clicks).eq(preferences.iter().map(|pair| (pair.winner, pair.loser))));
        make_room(&mut self.sessions, 1);
        let clicks = clicks.iter().rev().fold(0, |bits, &clicked| bits << 1 | u16::from(clicked));
        let (n_winners, n_losers) = if self.documents.are_kept() { sizes(clicks, ranking.len()) } else { (0, 0) };
        let session = Stored {
            query: query_idx,
            first_shown: self.shown.len() as u32,
            first_row: self.n_rows as u32,
            first_pair: self.rho.len() as u32,
            clicks,
            n_winners: n_winners as u8,
            n_losers: n_losers as u8,
        };
        self.sessions.push(session);
        make_room(&mut self.shown, ranking.len());
        self.shown.extend_from_slice(ranking);
        if self.documents.are_kept() {
            self.margins_stale |= !preferences.is_empty();
            make_room(&mut self.rho, preferences.len());
            self.rho.extend(preferences.iter().map(|preference| preference.rho));
            for position in row_positions(session.clicks, ranking.len()) {
                self.documents.push(self.n_rows, query.row(ranking[position] as usize), self.shape.lanes());
                self.n_rows += 1;
            }
        }
        if let Keep::Last(n) = self.keep {
            self.first = self.first.max(self.sessions.len().saturating_sub(n as usize));
            // Compacting at half keeps both the unused memory and the work of moving sessions within a factor of two.
            if self.first > self.sessions.len() / 2 {
                self.compact();
            }
        }
    }

    /// Forgets all sessions.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.shape, self.keep, self.documents.emptied());
    }

    /// Copies the documents anew if the history holds copies, after it was read from a checkpoint, which leaves them out. Rows that nobody asks
    /// for any more become zeros.
    pub(super) fn restore_documents(&mut self, train: &Split) {
        let (first, lanes, nothing) = (self.first_row(), self.shape.lanes(), vec![0.0; self.shape.n_features()]);
        let mut documents = self.documents.emptied();
        let forgotten = std::iter::repeat_n(nothing.as_slice(), first);
        forgotten.chain(self.rows(train)).enumerate().for_each(|(row, document)| documents.push(row, document, lanes));
        self.documents = documents;
    }

    /// Notes that the own model was replaced, so that its margins must be computed anew.
    pub(super) fn note_new_model(&mut self) {
        self.margins_stale |= !self.rho.is_empty();
    }

    /// Whether the margins of the own model must be computed anew.
    pub(super) fn margins_are_stale(&self) -> bool {
        self.margins_stale
    }

    /// Scores the rows of all remembered sessions under each of a few models; `tiles` is a buffer. `train` has the documents.
    pub(super) fn score(&self, train: &Split, models: &[&[f32]], tiles: &mut Vec<f32>, scores: &mut [Vec<f32>]) {
        for scores in scores.iter_mut() {
            // Whole tiles are scored, and margins are computed in whole vectors.
            scores.resize(self.n_rows.next_multiple_of(SHOWN) + 2 * SHOWN, 0.0);
        }
        let (batch, first, lanes) = (self.shape.batch(models), self.first_row(), self.shape.lanes());
        match &self.documents {
            Documents::Unkept => {}
            Documents::Copied(tiles) => {
                let skipped = first / lanes * lanes;
                batch.score_tiles(&tiles[skipped * self.shape.n_features()..], skipped, scores);
            }
            Documents::Referenced => documents::score_rows(&batch, self.rows(train), first, lanes, tiles, scores),
        }
    }

    /// The remembered sessions with preferences, and the others too if they count.
    pub(super) fn spans_into(&self, count_empty: bool, spans: &mut Vec<Span>) {
        spans.clear();
        spans.extend(self.spans().filter(|span| count_empty || span.n_pairs() > 0));
    }

    fn spans(&self) -> impl Iterator<Item = Span> {
        let first = self.first_pair() as u32;
        self.sessions[self.first..].iter().map(move |stored| Span {
            first_row: stored.first_row,
            first_pair: stored.first_pair - first,
            n_winners: stored.n_winners.into(),
            n_losers: stored.n_losers.into(),
        })
    }

    /// Computes the margins of the own model from its scores. `spans` are the remembered sessions; `buffer` gets the margins too.
    pub(super) fn refresh_margins(&mut self, spans: &[Span], own_scores: &[f32], buffer: &mut Vec<f32>) {
        margins::margins(spans, own_scores, buffer);
        let missing = self.rho.len().saturating_sub(self.margins.len());
        make_room(&mut self.margins, missing);
        self.margins.resize(self.rho.len(), 0.0);
        let first = self.first_pair();
        self.margins[first..].copy_from_slice(buffer);
        self.margins_stale = false;
    }

    /// The margins of the own model, one per remembered preference.
    pub(super) fn margins(&self) -> &[f32] {
        debug_assert!(!self.margins_stale);
        &self.margins[self.first_pair().min(self.margins.len())..]
    }

    /// The ρ of each remembered preference.
    pub(super) fn rho(&self) -> &[f64] {
        &self.rho[self.first_pair()..]
    }

    /// Follows a merge of the own model with one that has these margins: the margins of linear models move as the weights do.
    pub(super) fn merge_margins(&mut self, other: &[f32], alpha: f64) {
        let first = self.first_pair().min(self.margins.len());
        match self.shape.is_linear() {
            true => linear::interpolate(&mut self.margins[first..], other, alpha),
            false => self.margins_stale = true,
        }
    }

    /// The evidence of each remembered session; `train` has the documents.
    pub fn evidence<'a>(&'a self, train: &'a Split) -> impl Iterator<Item = SessionEvidence> + 'a {
        let mut rows = self.rows(train);
        self.spans().map(move |span| {
            let rho = &self.rho()[span.first_pair as usize..];
            SessionEvidence {
                documents: rows.by_ref().take(span.n_rows()).flatten().copied().collect(),
                preferences: span.pairs().zip(rho).map(|((winner, loser), &rho)| (winner, loser, rho)).collect(),
            }
        })
    }

    /// The documents of the remembered rows, found in the data set.
    fn rows<'a>(&'a self, train: &'a Split) -> impl Iterator<Item = &'a [f32]> + 'a {
        self.sessions().iter().filter(|_| self.documents.are_kept()).flat_map(move |session| {
            let query = train.query(session.query as usize);
            row_positions(session.clicks, session.ranking.len()).map(move |position| query.row(session.ranking[position] as usize))
        })
    }

    fn first_row(&self) -> usize {
        self.sessions.get(self.first).map_or(0, |oldest| oldest.first_row as usize)
    }

    fn first_pair(&self) -> usize {
        self.sessions.get(self.first).map_or(0, |oldest| oldest.first_pair as usize)
    }

    /// Drops the forgotten sessions, but keeps the tile that the oldest remembered row is in.
    fn compact(&mut self) {
        let Some(&Stored { first_shown, first_row, first_pair, .. }) = self.sessions.get(self.first) else { return };
        let first_row = first_row - first_row % self.shape.lanes() as u32;
        self.documents.drop_rows(first_row as usize, self.shape.n_features());
        self.n_rows -= first_row as usize;
        self.shown.drain(..first_shown as usize);
        self.rho.drain(..first_pair as usize);
        self.margins.drain(..(first_pair as usize).min(self.margins.len()));
        self.sessions.drain(..self.first);
        self.first = 0;
        for session in &mut self.sessions {
            session.first_shown -= first_shown;
            session.first_row -= first_row;
            session.first_pair -= first_pair;
        }
    }
}

/// Makes room for `n` more values. Many nodes with short histories should not hold room that they never fill, so it grows by an eighth.
fn make_room<T>(values: &mut Vec<T>, n: usize) {
    if values.capacity() - values.len() < n {
        values.reserve_exact(n.max(values.len() / 8));
    }
}

#[cfg(test)]
mod tests;
