//! Margins: the differences of scores between the documents of a session that were clicked and those that were examined and not clicked.

use crate::instructions::kernel;

pub use crate::ltr::plackett_luce::SHOWN;

/// One session among the rows and preferences of a history.
///
/// Its rows are the first winner, all losers, and the other winners. Its preferences are all pairs of a winner and a loser, winner by winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its first row.
    pub first_row: u32,
    /// Its first preference.
    pub first_pair: u32,
    /// The number of clicked documents; 0 if there are no preferences.
    pub n_winners: u32,
    /// The number of documents that were examined and not clicked; 0 if there are no preferences.
    pub n_losers: u32,
}

impl Span {
    /// The number of rows.
    pub fn n_rows(self) -> usize {
        (self.n_winners + self.n_losers) as usize
    }

    /// The number of preferences.
    pub fn n_pairs(self) -> usize {
        (self.n_winners * self.n_losers) as usize
    }

    /// Winner and loser of each preference, counted from the first row.
    pub fn pairs(self) -> impl Iterator<Item = (usize, usize)> {
        let (n_winners, n_losers) = (self.n_winners as usize, self.n_losers as usize);
        (0..n_winners).flat_map(move |nth| (1..=n_losers).map(move |loser| (winner_row(nth, n_losers), loser)))
    }
}

#[inline(always)]
fn winner_row(nth: usize, n_losers: usize) -> usize {
    if nth == 0 { 0 } else { n_losers + nth }
}

/// The margins s_winner − s_loser of all preferences of these sessions, which follow each other from the first preference on. There must be
/// [`SHOWN`] + 1 more scores than rows, of any value.
pub fn margins(spans: &[Span], scores: &[f32], margins: &mut Vec<f32>) {
    let n_pairs = spans.last().map_or(0, |last| last.first_pair as usize + last.n_pairs());
    margins.resize(n_pairs + SHOWN, 0.0);
    fill_margins(spans, scores, margins);
    margins.truncate(n_pairs);
}

kernel! {
    /// Writes the margins of each winner to a whole vector. Those that the winner does not have are overwritten by the next one.
    fn fill_margins(spans: &[Span], scores: &[f32], margins: &mut [f32]) {
        let mut at = 0;
        for span in spans {
            let (scores, n_losers) = (&scores[span.first_row as usize..], span.n_losers as usize);
            let losers: [f32; SHOWN] = *scores[1..].first_chunk().expect("there are more scores than rows");
            for nth in 0..span.n_winners as usize {
                let winner = scores[winner_row(nth, n_losers)];
                *margins[at..].first_chunk_mut().expect("there is room for a whole vector") = losers.map(|loser| winner - loser);
                at += n_losers;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn margins_are_differences_of_scores(sizes in prop::collection::vec((1u32..5, 0u32..11), 0..20)) {
            let (mut spans, mut first_row, mut first_pair) = (Vec::new(), 0, 0);
            for (n_winners, n_losers) in sizes {
                spans.push(Span { first_row, first_pair, n_winners, n_losers });
                (first_row, first_pair) = (first_row + n_winners + n_losers, first_pair + n_winners * n_losers);
            }
            let scores: Vec<f32> = (0..first_row as usize + SHOWN + 1).map(|i| ((i * i * 37) % 101) as f32).collect();
            let mut got = vec![f32::NAN; 3];
            margins(&spans, &scores, &mut got);
            let score = |span: &Span, row: usize| scores[span.first_row as usize + row];
            let of = |span: &Span| span.pairs().map(|(winner, loser)| score(span, winner) - score(span, loser)).collect::<Vec<_>>();
            prop_assert_eq!(got, spans.iter().flat_map(of).collect::<Vec<_>>());
        }
    }
}
