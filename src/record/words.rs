//! Reads words. Rows hold the words of small sets (outcomes, regions, names of attacks) as `&'static str`, because a run writes millions of
//! them. A reader keeps one copy of every different word for as long as the program runs.

use super::cell::Problem;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The limits on the number of different words and on the bytes of one word: far more than all tables use, and little memory.
const MOST_WORDS: usize = 4096;
const LONGEST: usize = 256;

static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The words of a column.
///
/// # Errors
/// The column holds texts instead of words: long ones, or too many different ones.
pub fn words<'a>(column: impl Iterator<Item = Option<&'a str>>) -> Result<Vec<Option<&'static str>>, Problem> {
    let mut known = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    // Most rows repeat the word of the row before.
    let mut last = "";
    let mut word = |text: &str| {
        if text != last {
            last = keep(&mut known, text)
                .ok_or_else(|| format!("holds `{}`, which is no word of this table", crate::error::clip(text, 80)))?;
        }
        Ok(last)
    };
    column.map(|text| text.map(&mut word).transpose()).collect()
}

fn keep(known: &mut BTreeSet<&'static str>, text: &str) -> Option<&'static str> {
    if let Some(word) = known.get(text) {
        return Some(word);
    }
    let is_word = text.len() <= LONGEST && known.len() < MOST_WORDS;
    let word: Option<&'static str> = is_word.then(|| &*String::leak(text.to_string()));
    known.extend(word);
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_kept_once() {
        let read = words([Some("merged"), None, Some(""), Some("merged")].into_iter()).expect("these are words");
        assert_eq!(read, [Some("merged"), None, Some(""), Some("merged")]);
        let pointer = |at: usize| read[at].map(str::as_ptr);
        assert_eq!(pointer(0), pointer(3));
    }

    #[test]
    fn texts_are_no_words() {
        let text = "x".repeat(LONGEST + 1);
        let problem = words([Some("merged"), Some(text.as_str())].into_iter()).expect_err("it is too long");
        assert!(problem.ends_with("which is no word of this table") && problem.chars().count() < 150, "{problem}");
        let mut known = BTreeSet::new();
        let kept = (0..2 * MOST_WORDS).filter(|n| keep(&mut known, &n.to_string()).is_some()).count();
        assert_eq!((kept, keep(&mut known, "7")), (MOST_WORDS, Some("7")));
    }
}
