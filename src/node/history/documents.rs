//! The documents of a history: copied into tiles, or found again in the data set whenever they are needed.

use super::make_room;
use crate::fields::declare;
use crate::instructions::{LINE, prefetch};
use crate::ltr::Batch;
use serde::{Deserialize, Serialize};

declare! {
    /// Whether histories hold copies of their documents. Results are the same to the last bit; copies judge faster and take more memory.
    #[derive(Clone, Copy, PartialEq, Eq, Default)]
    pub enum HistoryRows {
        /// Copied if the copies of all nodes are expected to take at most 4 GB, else referenced.
        #[default]
        Auto,
        /// Each node holds copies of the documents that it judges by, laid out for judging.
        Copied,
        /// Each node holds the numbers of its documents and collects them from the data set at every judgement.
        Referenced,
    }
}

impl HistoryRows {
    /// Whether documents are copied, if all copies together are expected to take this many bytes.
    pub fn copies(self, bytes: f64) -> bool {
        match self {
            HistoryRows::Auto => bytes <= 4e9,
            HistoryRows::Copied => true,
            HistoryRows::Referenced => false,
        }
    }
}

/// The documents of a history, by row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Documents {
    /// None, because the node does not judge by its history.
    Unkept,
    /// Copies in tiles of [`ModelShape::lanes`](crate::ltr::ModelShape::lanes).
    ///
    /// Checkpoints leave them out: they are large, and the data set has them.
    Copied(#[serde(skip)] Vec<f32>),
    /// The documents of the data set.
    Referenced,
}

impl Documents {
    /// Whether the rows of a history can be scored.
    pub(super) fn are_kept(&self) -> bool {
        !matches!(self, Documents::Unkept)
    }

    /// The same kind without any row.
    pub(super) fn emptied(&self) -> Self {
        match self {
            Documents::Unkept => Documents::Unkept,
            Documents::Copied(_) => Documents::Copied(Vec::new()),
            Documents::Referenced => Documents::Referenced,
        }
    }

    /// Adds a document as row number `row`, the next one.
    pub(super) fn push(&mut self, row: usize, document: &[f32], lanes: usize) {
        let Documents::Copied(tiles) = self else { return };
        if row.is_multiple_of(lanes) {
            make_room(tiles, lanes * document.len());
            tiles.resize(tiles.len() + lanes * document.len(), 0.0);
        }
        put(row, document, lanes, tiles);
    }

    /// Drops the first `n` rows, which are whole tiles.
    pub(super) fn drop_rows(&mut self, n: usize, n_features: usize) {
        if let Documents::Copied(tiles) = self {
            tiles.drain(..n * n_features);
        }
    }
}

/// Writes a document into its lane of its tile.
fn put(row: usize, document: &[f32], lanes: usize, tiles: &mut [f32]) {
    let (tile, lane) = (row / lanes * lanes * document.len(), row % lanes);
    for (column, &x) in tiles[tile..].chunks_exact_mut(lanes).zip(document) {
        column[lane] = x;
    }
}

/// The number of documents that are collected at a time.
const TOGETHER: usize = 64;

/// Scores documents that are not copied: collects a few of them in tiles, and scores these. The first one is row number `first`.
pub(super) fn score_rows<'a>(
    batch: &Batch,
    mut documents: impl Iterator<Item = &'a [f32]>,
    mut first: usize,
    lanes: usize,
    tiles: &mut Vec<f32>,
    scores: &mut [Vec<f32>],
) {
    let mut few: [&[f32]; TOGETHER] = [&[]; TOGETHER];
    loop {
        let mut n = 0;
        for (place, document) in few.iter_mut().zip(&mut documents) {
            // They lie anywhere in the data: all of them come from memory at the same time.
            (0..document.len() + LINE).step_by(LINE).for_each(|i| prefetch(document, i));
            *place = document;
            n += 1;
        }
        let Some(document) = few[..n].first() else { return };
        tiles.resize(n.next_multiple_of(lanes) * document.len(), 0.0);
        few[..n].iter().enumerate().for_each(|(row, document)| put(row, document, lanes, tiles));
        batch.score_tiles(tiles, first, scores);
        first += n;
    }
}
