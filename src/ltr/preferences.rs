//! Derives preferences between pairs of shown documents from the clicks of a user.

/// A preference for a clicked document over one that was examined and not clicked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preference {
    /// The position of the clicked document.
    pub winner: u8,
    /// The position of the document that was examined and not clicked.
    pub loser: u8,
    /// ρ: the correction for position bias, computed in the session that gave the preference.
    pub rho: f64,
}

/// The number of leading positions that the user examined: up to the last click and one more, or none without a click.
pub fn n_examined(clicks: &[bool]) -> usize {
    clicks.iter().rposition(|&clicked| clicked).map_or(0, |last| (last + 2).min(clicks.len()))
}

/// All pairs of a clicked position and an examined unclicked one, also where the unclicked one stands above.
pub fn pairs(clicks: &[bool]) -> impl Iterator<Item = (u8, u8)> {
    let examined = &clicks[..n_examined(clicks)];
    let positions = move |wanted: bool| (0u8..).zip(examined).filter(move |&(_, &clicked)| clicked == wanted).map(|(position, _)| position);
    positions(true).flat_map(move |winner| positions(false).map(move |loser| (winner, loser)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clicks as `x`, everything else as `·`.
    #[track_caller]
    fn check(clicks: &str, expect: &str) {
        let clicks: Vec<bool> = clicks.chars().map(|c| c == 'x').collect();
        let shown: Vec<String> = pairs(&clicks).map(|(winner, loser)| format!("{winner}>{loser}")).collect();
        assert_eq!(shown.join(" "), expect);
    }

    #[test]
    fn clicked_beats_examined_unclicked() {
        check("·x··", "1>0 1>2"); // one document below the last click is examined
        check("x·x··", "0>1 0>3 2>1 2>3");
    }

    #[test]
    fn no_click_no_preference() {
        check("····", "");
    }

    #[test]
    fn everything_clicked_no_preference() {
        check("xxx", "");
    }

    #[test]
    fn a_click_on_the_last_document_examines_everything() {
        check("···x", "3>0 3>1 3>2");
    }
}
