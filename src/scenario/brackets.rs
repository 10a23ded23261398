//! Accepts both spellings of a choice without values: `Krum` where the parser expects `Krum()`, and `FlTrust()` where it expects `FlTrust`.
//!
//! Only the parser knows which spelling a type needs, and its error names the place. So the text is mended there and parsed again.

use super::parse::ron_options;
use super::source::{last_word_before, offset, skip_blank};
use ron::Error as E;
use serde::de::DeserializeOwned;

/// The parser's error, and its place in the given text.
#[derive(Debug, PartialEq)]
pub struct Mistake {
    /// Where the parser began to read what it does not understand, as a byte offset.
    pub at: usize,
    pub code: ron::Error,
}

/// The largest number of mended places. Each costs another reading, and no scenario needs more.
const MAX_MENDED: usize = 200;

/// Reads a value in RON.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Mistake> {
    let mut mended = Mended { text: text.to_owned(), inserted: Vec::new() };
    let mut before: Option<(usize, Mistake)> = None;
    for n_mended in 0.. {
        let error = match ron_options().from_str(&mended.text) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let position = |place: ron::error::Position| offset(&mended.text, place.line, place.col);
        let (at, reached) = (position(error.span.start), position(error.span.end));
        match before.take() {
            // The added brackets did not help, so the first mistake is reported.
            Some((brackets, mistake)) if reached <= brackets + 1 + usize::from(is_missing_field(&error.code)) => return Err(mistake),
            _ => {}
        }
        let mistake = Mistake { at: mended.original(at), code: error.code };
        if n_mended == MAX_MENDED {
            return Err(mistake);
        }
        match mistake.code {
            E::ExpectedStructLike => match mended.insert_brackets(reached) {
                Some(brackets) => before = Some((brackets, mistake)),
                None => return Err(mistake),
            },
            E::ExpectedComma | E::ExpectedStructLikeEnd | E::ExpectedArrayEnd | E::TrailingCharacters if mended.blank_brackets(reached) => {
            }
            _ => return Err(mistake),
        }
    }
    unreachable!("the loop ends by itself")
}

fn is_missing_field(code: &ron::Error) -> bool {
    matches!(code, E::MissingStructField { .. })
}

/// A text with missing empty brackets added, and superfluous ones removed.
struct Mended {
    text: String,
    /// The places of `()` that are not in the original, in ascending order.
    inserted: Vec<usize>,
}

impl Mended {
    /// Turns a place in the mended text into the place in the original.
    fn original(&self, at: usize) -> usize {
        self.inserted.iter().fold(at, |original, &from| original - at.saturating_sub(from).min(2))
    }

    /// Adds brackets behind the choice before `at`, and returns their place.
    fn insert_brackets(&mut self, at: usize) -> Option<usize> {
        let (from, word) = last_word_before(&self.text, at)?;
        let end = from + word.len();
        is_choice(word).then(|| {
            self.text.insert_str(end, "()");
            self.inserted.push(end);
            end
        })
    }

    /// Replaces empty brackets at `at` by blanks, if they stand behind a choice.
    fn blank_brackets(&mut self, at: usize) -> bool {
        let open = skip_blank(&self.text, at);
        if !self.text[open..].starts_with('(') {
            return false;
        }
        let close = skip_blank(&self.text, open + 1);
        let are_empty = self.text[close..].starts_with(')');
        let is_mendable = are_empty && last_word_before(&self.text, open).is_some_and(|(_, word)| is_choice(word));
        if is_mendable {
            self.text.replace_range(close..=close, " ");
            self.text.replace_range(open..=open, " ");
        }
        is_mendable
    }
}

fn is_choice(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase()) && !matches!(word, "NaN" | "None" | "Some")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Fault, What};
    use crate::node::Defense;
    use crate::scenario::parse::tests::{GOOD, accept, refuse};

    #[track_caller]
    fn same<T: DeserializeOwned + PartialEq + std::fmt::Debug>(one: &str, other: &str) {
        let (one, other): (Result<T, Mistake>, Result<T, Mistake>) = (from_str(one), from_str(other));
        assert!(one.is_ok(), "{one:?}");
        assert_eq!(one, other);
    }

    #[test]
    fn both_spellings_of_a_choice_are_taken() {
        for choice in ["Krum", "FlTrust", "ZenoPs", "Gts", "Undefended"] {
            same::<Defense>(choice, &format!("{choice}()"));
            same::<Defense>(choice, &format!("{choice} ( /* nothing */ )"));
        }
        same::<Vec<What>>("[Heal, Release]", "[Heal(), Release ( )]");
        same::<Fault>("(at: \"1h\", what: Crash(who: All))", "(at: \"1h\", what: Crash(who: All()))");
        accept("attack: Flip", "attack: Flip()");
        accept("RankGuard(kappa: 4.0)", "Krum");
        accept("malicious_aggregate: Never", "malicious_aggregate: Never()");
        accept("LogNormal(median: \"80ms\", sigma: 0.6)", "Regions, regions: Uniform()");
        accept("loss: 0.001", "faults: [(at: \"1h\", what: Heal()), (at: \"2h\", what: Heal)], peers: (among: All(), fanout: Log2())");
    }

    #[test]
    fn what_lacks_more_than_brackets_is_explained_as_before() {
        refuse("RankGuard(kappa: 4.0)", "RankGuard", ":14:23: `RankGuard` lacks its values in round brackets");
        refuse("Time(\"1d\")", "Sessions", "`Sessions` lacks its values in round brackets, as in `stop: Sessions(30000)`");
        refuse("attack: Flip", "attack: Flip(1)", "`Flip` takes no values; write it without brackets");
        refuse("nodes: 100", "nodes: 100()", "`100` takes no values; write it without brackets");
        refuse("loss: 0.001", "attackers: (always_online: true())", "`true` takes no values; write it without brackets");
    }

    #[test]
    fn places_behind_mended_ones_stay_right() {
        let one_line = |by: &str| GOOD.replace("defense: RankGuard(kappa: 4.0),\n    attack: Flip,", by);
        for (line, column) in
            [("defense: Krum, attack: Flop,", 28), ("defense: Krum(), attack: Flop,", 30), ("defense: FlTrust(), attack: Flop,", 33)]
        {
            let message = crate::scenario::Scenario::parse(&one_line(line), "x.ron").expect_err(line).to_string();
            let expect =
                format!("x.ron:14:{column}: attack cannot be `Flop`; did you mean `Flip`?\n    {line}\n{}^", " ".repeat(column - 1));
            assert_eq!(message, expect);
        }
    }

    #[test]
    fn a_text_with_countless_brackets_is_answered() {
        let faults = "(at: \"1h\", what: Heal()),".repeat(3_000);
        refuse("loss: 0.001", &format!("faults: [{faults}]"), "`Heal` takes no values; write it without brackets");
    }
}
