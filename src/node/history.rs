//! Q_u: the past sessions of a node, laid out so that one pass judges a received model by all of them.

use crate::corpus::Query;
use crate::fields::declare;
use crate::ltr::kernel::TILE;
use crate::ltr::{ModelShape, Preference, linear};
use serde::{Deserialize, Serialize};

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

/// A node's sessions, oldest first.
///
/// The documents of all preferences are copied side by side into tiles for [`ModelShape::score_tiles`]; a preference names two of these
/// rows. For every preference the history keeps the margin s_i − s_j under the node's own model. When a linear model is merged, margins are
/// interpolated exactly as the weights are. Margins are state: they are computed anew only after an own PDGD step, which moves θ in another
/// way. The margins of a neural model follow from its weights alone, so every merge makes them stale.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct History {
    shape: ModelShape,
    keep: Keep,
    /// Whether rows and margins are kept.
    is_tiled: bool,
    sessions: Vec<Session>,
    /// The index of the oldest session that is not forgotten. The sessions before it await compaction.
    first: usize,
    tiles: Vec<[f32; TILE]>,
    n_rows: usize,
    preferences: Vec<Row>,
    margins: Vec<f32>,
    margins_stale: bool,
}

/// One stored session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Session {
    /// The index of its query.
    pub query: u32,
    /// The indices of the shown documents, best first.
    pub ranking: Box<[u32]>,
    /// Bit p is set if position p was clicked.
    pub clicks: u16,
    first_row: u32,
    first_preference: u32,
}

/// A preference between two stored rows, with the ρ of its session.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Row {
    winner: u32,
    loser: u32,
    rho: f64,
}

/// The documents and preferences by which one session judges models.
#[derive(Debug, Clone)]
pub struct SessionEvidence {
    /// The documents of its preferences, row after row.
    pub documents: Vec<f32>,
    /// Winner and loser among these documents, and the ρ of the session.
    pub preferences: Vec<(usize, usize, f64)>,
}

impl History {
    /// An empty history of models of this shape.
    pub fn new(shape: ModelShape, keep: Keep, is_tiled: bool) -> Self {
        Self {
            shape,
            keep,
            is_tiled,
            sessions: Vec::new(),
            first: 0,
            tiles: Vec::new(),
            n_rows: 0,
            preferences: Vec::new(),
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

    /// The remembered sessions, oldest first.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions[self.first..]
    }

    /// Adds a session, and forgets the oldest one if there are too many. A session with preferences has moved θ, so all margins become
    /// stale.
    pub fn push(&mut self, query_idx: u32, ranking: &[u32], clicks: &[bool], preferences: &[Preference], query: Query) {
        self.sessions.push(Session {
            query: query_idx,
            ranking: ranking.into(),
            clicks: clicks.iter().rev().fold(0, |bits, &clicked| bits << 1 | u16::from(clicked)),
            first_row: self.n_rows as u32,
            first_preference: self.preferences.len() as u32,
        });
        if self.is_tiled {
            self.margins_stale |= !preferences.is_empty();
            let mut row_of = [None; u16::BITS as usize];
            for preference in preferences {
                let mut row = |position: u8| {
                    *row_of[usize::from(position)].get_or_insert_with(|| self.push_row(query.row(ranking[usize::from(position)] as usize)))
                };
                let (winner, loser) = (row(preference.winner), row(preference.loser));
                self.preferences.push(Row { winner, loser, rho: preference.rho });
            }
        }
        if let Keep::Last(n) = self.keep {
            self.first = self.first.max(self.sessions.len().saturating_sub(n as usize));
            // Compacting at half keeps both the unused memory and the work of moving rows within a factor of two.
            if self.first > self.sessions.len() / 2 {
                self.compact();
            }
        }
    }

    /// Forgets all sessions.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.shape, self.keep, self.is_tiled);
    }

    /// Notes that the own model was replaced, so that its margins must be computed anew.
    pub(super) fn note_new_model(&mut self) {
        self.margins_stale |= self.is_tiled && !self.preferences.is_empty();
    }

    /// Whether the margins of the own model must be computed anew.
    pub(super) fn margins_are_stale(&self) -> bool {
        self.margins_stale
    }

    /// Scores all stored rows under each of at most [`BATCH`](crate::ltr::kernel::BATCH) models.
    pub(super) fn score(&self, models: &[&[f32]], scores: &mut [Vec<f32>]) {
        self.shape.score_tiles(&self.tiles, models, scores);
    }

    /// Computes the margins of the own model from its scores.
    pub(super) fn refresh_margins(&mut self, own_scores: &[f32]) {
        let mut margins = std::mem::take(&mut self.margins);
        self.margins_into(own_scores, &mut margins);
        self.margins = margins;
        self.margins_stale = false;
    }

    /// Computes the margins of a model with these row scores, one per preference.
    pub(super) fn margins_into(&self, scores: &[f32], margins: &mut Vec<f32>) {
        margins.clear();
        margins.extend(self.preferences.iter().map(|row| scores[row.winner as usize] - scores[row.loser as usize]));
    }

    /// The margins of the own model.
    pub(super) fn margins(&self) -> &[f32] {
        debug_assert!(!self.margins_stale);
        &self.margins
    }

    /// Follows a merge of the own model with one that has these margins: the margins of linear models move as the weights do.
    pub(super) fn merge_margins(&mut self, other: &[f32], alpha: f64) {
        match self.shape.is_linear() {
            true => linear::interpolate(&mut self.margins, other, alpha),
            false => self.margins_stale = true,
        }
    }

    /// ρ and margin of every preference of the remembered sessions; `margins` holds one per stored preference.
    pub(super) fn remembered(&self, margins: &[f32]) -> impl Iterator<Item = (f64, f32)> {
        let first = self.sessions().first().map_or(0, |oldest| oldest.first_preference as usize);
        self.preferences[first..].iter().zip(&margins[first..]).map(|(row, &margin)| (row.rho, margin))
    }

    /// For each remembered session, the sum of `values` over its preferences, weighted by ρ; `None` if it has no preferences.
    pub(super) fn weighted_sums<'a>(&'a self, values: &'a [f64]) -> impl Iterator<Item = Option<f64>> + 'a {
        let ends = self.sessions.iter().skip(self.first + 1).map(|next| next.first_preference as usize);
        self.sessions().iter().zip(ends.chain([self.preferences.len()])).map(move |(session, end)| {
            let range = session.first_preference as usize..end;
            let terms = self.preferences[range.clone()].iter().zip(&values[range.clone()]);
            (!range.is_empty()).then(|| terms.map(|(row, value)| row.rho * value).sum())
        })
    }

    /// The evidence of each remembered session.
    pub fn evidence(&self) -> impl Iterator<Item = SessionEvidence> {
        let ends = self.sessions.iter().skip(self.first + 1).map(|next| (next.first_row as usize, next.first_preference as usize));
        self.sessions().iter().zip(ends.chain([(self.n_rows, self.preferences.len())])).map(|(session, (last_row, last_preference))| {
            let rows = session.first_row as usize..last_row;
            let preferences = &self.preferences[session.first_preference as usize..last_preference];
            let position = |row: u32| row as usize - rows.start;
            SessionEvidence {
                preferences: preferences.iter().map(|row| (position(row.winner), position(row.loser), row.rho)).collect(),
                documents: rows.flat_map(|row| self.row(row)).collect(),
            }
        })
    }

    fn row(&self, row: usize) -> impl Iterator<Item = f32> {
        let d = self.shape.n_features();
        self.tiles[row / TILE * d..][..d].iter().map(move |column| column[row % TILE])
    }

    fn push_row(&mut self, features: &[f32]) -> u32 {
        let (tile, lane, d) = (self.n_rows / TILE, self.n_rows % TILE, self.shape.n_features());
        if lane == 0 {
            self.tiles.resize((tile + 1) * d, [0.0; TILE]);
        }
        for (column, &x) in self.tiles[tile * d..].iter_mut().zip(features) {
            column[lane] = x;
        }
        self.n_rows += 1;
        self.n_rows as u32 - 1
    }

    /// Drops the forgotten sessions and moves the others to the front.
    fn compact(&mut self) {
        let Some(oldest) = self.sessions.get(self.first) else { return };
        let (first_row, first_preference) = (oldest.first_row, oldest.first_preference);
        let mut kept = Self::new(self.shape, self.keep, self.is_tiled);
        for row in first_row as usize..self.n_rows {
            kept.push_row(&self.row(row).collect::<Vec<f32>>());
        }
        kept.sessions = self.sessions.split_off(self.first);
        for session in &mut kept.sessions {
            session.first_row -= first_row;
            session.first_preference -= first_preference;
        }
        kept.preferences = self.preferences.split_off(first_preference as usize);
        for row in &mut kept.preferences {
            row.winner -= first_row;
            row.loser -= first_row;
        }
        kept.margins = self.margins.split_off((first_preference as usize).min(self.margins.len()));
        kept.margins_stale = self.margins_stale;
        *self = kept;
    }
}
