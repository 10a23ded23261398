//! One session under a model: what the user is shown and clicks, the preferences that follow, and the gradient that they give.

use super::history::Session;
use crate::corpus::{ClickTable, Query};
use crate::ltr::neural::Buffers;
use crate::ltr::{ModelShape, Preference, Slate, pdgd, plackett_luce};
use crate::rng::{Pcg64, uniform};

/// A session that was played through. The caller decides whether to learn from it.
///
/// It is also the place where sessions are played: every session takes over the memory of the one before it.
#[derive(Debug, Default)]
pub struct Rehearsal {
    /// The indices of the shown documents, best first.
    pub ranking: Vec<u32>,
    /// Whether each shown document was clicked.
    pub clicks: Vec<bool>,
    /// The preferences that the clicks gave.
    pub preferences: Vec<Preference>,
    /// The PDGD gradient of the session.
    pub gradient: Vec<f64>,
    /// The score of every candidate.
    scores: Vec<f64>,
    /// A number for every candidate.
    keys: Vec<f64>,
    buffers: Buffers,
}

impl Rehearsal {
    /// Scores all candidates of a query.
    pub(super) fn score(&mut self, query: Query, shape: ModelShape, theta: &[f32]) {
        shape.scores_into(query.rows(), theta, &mut self.buffers, &mut self.scores);
    }

    /// Gives all candidates the score 0 unless every score is finite: a model whose scores overflow cannot rank, so its documents count
    /// as equal.
    // CHOICE(finite): the paper does not say.
    pub(super) fn tie_unless_finite(&mut self) {
        if !self.scores.iter().all(|s| s.is_finite()) {
            self.scores.fill(0.0);
        }
    }

    /// Draws a ranking of `k` of the scored candidates, and the clicks on it.
    pub(super) fn draw(&mut self, query: Query, k: usize, users: &ClickTable, ranking_rng: &mut Pcg64, click_rng: &mut Pcg64) {
        plackett_luce::sample_ranking(&self.scores, k, || uniform(ranking_rng), &mut self.keys, &mut self.ranking);
        self.clicks.clear();
        self.clicks.extend(users.clicks(self.ranking.iter().map(|&document| query.grades[document as usize]), click_rng));
    }

    /// Takes the ranking and the clicks of a past session.
    pub(super) fn recall(&mut self, session: &Session) {
        self.ranking.clear();
        self.ranking.extend_from_slice(session.ranking);
        self.clicks.clear();
        self.clicks.extend((0..session.ranking.len()).map(|position| session.clicks >> position & 1 == 1));
    }

    /// Finds the preferences of the shown ranking, and their gradient.
    pub(super) fn derive(&mut self, query: Query, shape: ModelShape, theta: &[f32]) {
        let slate = Slate::new(&self.scores, &self.ranking, &mut self.keys);
        self.preferences.clear();
        self.preferences.extend(pdgd::preferences(&slate, &self.clicks));
        let weights = pdgd::document_weights(&slate, &self.preferences);
        let documents = self.ranking.iter().map(|&document| query.row(document as usize));
        shape.gradient_into(documents.zip(weights), theta, &mut self.buffers, &mut self.gradient);
    }
}
