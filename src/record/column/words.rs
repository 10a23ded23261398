//! Words of small sets, as indices into a dictionary of all words that a part holds.

use super::bits::{GROUP, begin_packed, pack, width_of, write_run};
use super::texts::write_text;
use super::{Summary, Values};
use parquet::basic::Encoding;
use std::ptr;

/// Words of a page, and the dictionary of its part.
#[derive(Clone, Default)]
pub struct Words {
    dictionary: Vec<&'static str>,
    indices: Vec<u32>,
}

impl Words {
    /// The index of a word, which enters the dictionary if it is new.
    fn index_of(&mut self, word: &'static str) -> u32 {
        // Mostly a word is the same piece of memory each time.
        let same = |other: &&str| ptr::eq(*other, word);
        let known = self.dictionary.iter().position(same).or_else(|| self.dictionary.iter().position(|other| *other == word));
        let index = known.unwrap_or_else(|| {
            self.dictionary.push(word);
            self.dictionary.len() - 1
        });
        index as u32
    }
}

impl Extend<&'static str> for Words {
    fn extend<I: IntoIterator<Item = &'static str>>(&mut self, words: I) {
        for word in words {
            let index = self.index_of(word);
            self.indices.push(index);
        }
    }
}

impl Values for Words {
    type Bound = &'static str;
    const ENCODING: Encoding = Encoding::RLE_DICTIONARY;

    fn encode(&mut self, page: &mut Vec<u8>) -> Summary<&'static str> {
        let width = width_of(self.dictionary.len().saturating_sub(1) as u64);
        page.push(width as u8);
        match self.indices.split_first() {
            None => {}
            Some((first, rest)) if rest.iter().all(|index| index == first) => write_run((*first).into(), width, self.indices.len(), page),
            Some(_) => write_packed(&self.indices, width, page),
        }
        let mut is_there = vec![false; self.dictionary.len()];
        self.indices.drain(..).for_each(|index| is_there[index as usize] = true);
        let words = || self.dictionary.iter().zip(&is_there).filter(|(_, is_there)| **is_there).map(|(word, _)| *word);
        Summary { bounds: words().min().zip(words().max()).map(|(smallest, largest)| [smallest, largest]), n_nan: 0 }
    }

    fn dictionary(&self) -> Option<(Vec<u8>, usize)> {
        let mut bytes = Vec::new();
        self.dictionary.iter().for_each(|word| write_text(word, &mut bytes));
        Some((bytes, self.dictionary.len()))
    }

    fn clear_dictionary(&mut self) {
        self.dictionary.clear();
    }
}

fn write_packed(indices: &[u32], width: u32, page: &mut Vec<u8>) {
    begin_packed(indices.len(), page);
    let end = page.len() + indices.len().div_ceil(8) * width as usize;
    for group in indices.chunks(GROUP) {
        let mut numbers = [0; GROUP];
        numbers.iter_mut().zip(group).for_each(|(number, index)| *number = u64::from(*index));
        pack(&numbers, width, page);
    }
    page.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(values: &mut Words, words: &[&'static str]) -> (Vec<u8>, Option<[&'static str; 2]>) {
        let mut page = Vec::new();
        values.extend(words.iter().copied());
        let summary = values.encode(&mut page);
        (page, summary.bounds)
    }

    #[test]
    fn pages_share_a_dictionary() {
        let mut words = Words::default();
        assert_eq!(encoded(&mut words, &[]), (vec![0], None));
        assert_eq!(encoded(&mut words, &["b", "b", "b"]), (vec![0, 6], Some(["b", "b"])));
        assert_eq!(encoded(&mut words, &["a", "b", "a"]), (vec![1, 3, 0b101], Some(["a", "b"])));
        assert_eq!(encoded(&mut words, &["a"; 9]), (vec![1, 18, 1], Some(["a", "a"])));
        assert_eq!(words.dictionary(), Some((vec![1, 0, 0, 0, b'b', 1, 0, 0, 0, b'a'], 2)));
        words.clear_dictionary();
        assert_eq!(words.dictionary(), Some((vec![], 0)));
    }

    #[test]
    fn a_word_is_known_wherever_it_lies() {
        let copy: &'static str = String::leak("merged".to_string());
        let mut words = Words::default();
        assert_eq!(["merged", copy, "ignored", copy].map(|word| words.index_of(word)), [0, 0, 1, 0]);
    }
}
