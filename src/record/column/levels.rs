//! Which rows have no value or several. Parquet writes this as levels before the values of a page: a definition level tells whether there is
//! a value, a repetition level whether it belongs to the row of the one before.

use super::bits::{begin_packed, pack_flags, write_run};

/// The levels of a page that is not full yet.
pub trait Levels: Clone + Default + Send + 'static {
    /// Writes the levels of a page of `n_rows` rows, and leaves none.
    fn encode(&mut self, n_rows: usize, page: &mut Vec<u8>) -> Entries;
}

/// How many entries a page has: its values, and those that stand for a null or an empty list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entries {
    pub n: usize,
    pub n_nulls: usize,
}

/// Every row has one value, and levels are not written.
#[derive(Clone, Default)]
pub struct Required;

impl Levels for Required {
    fn encode(&mut self, n_rows: usize, _: &mut Vec<u8>) -> Entries {
        Entries { n: n_rows, n_nulls: 0 }
    }
}

/// A row has one value or none: for each row 1 or 0.
#[derive(Clone, Default)]
pub struct Nullable(pub Vec<u8>);

impl Levels for Nullable {
    fn encode(&mut self, n_rows: usize, page: &mut Vec<u8>) -> Entries {
        let n_nulls = n_rows - self.0.iter().map(|flag| usize::from(*flag)).sum::<usize>();
        write_levels(&self.0, page);
        self.0.clear();
        Entries { n: n_rows, n_nulls }
    }
}

/// A row has any number of values.
#[derive(Clone, Default)]
pub struct Lists(pub Vec<usize>);

impl Levels for Lists {
    fn encode(&mut self, n_rows: usize, page: &mut Vec<u8>) -> Entries {
        let n_empty = self.0.iter().filter(|n_values| **n_values == 0).count();
        let n = self.0.iter().sum::<usize>() + n_empty;
        let (mut repeats, mut has_value) = (vec![1; n], vec![1; n]);
        let mut at = 0;
        for n_values in self.0.drain(..) {
            repeats[at] = 0;
            has_value[at] = u8::from(n_values > 0);
            at += n_values.max(1);
        }
        debug_assert!(at == n && n_rows <= n);
        write_levels(&repeats, page);
        write_levels(&has_value, page);
        Entries { n, n_nulls: n_empty }
    }
}

/// Writes levels of one bit behind the number of their bytes: as one run if they are equal, else packed.
fn write_levels(levels: &[u8], page: &mut Vec<u8>) {
    let start = page.len();
    page.extend([0; 4]);
    match levels.split_first() {
        None => {}
        Some((first, rest)) if rest.iter().all(|level| level == first) => write_run((*first).into(), 1, levels.len(), page),
        Some(_) => {
            begin_packed(levels.len(), page);
            pack_flags(levels, page);
        }
    }
    let n_bytes = (page.len() - start - 4) as u32;
    page[start..start + 4].copy_from_slice(&n_bytes.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(mut levels: impl Levels, n_rows: usize, entries: (usize, usize), bytes: &[u8]) {
        let mut page = Vec::new();
        let (n, n_nulls) = entries;
        assert_eq!((levels.encode(n_rows, &mut page), page.as_slice()), (Entries { n, n_nulls }, bytes));
    }

    #[test]
    fn levels_by_hand() {
        check(Required, 5, (5, 0), &[]);
        check(Nullable(vec![1, 1, 1]), 3, (3, 0), &[2, 0, 0, 0, 6, 1]);
        check(Nullable(vec![0, 0]), 2, (2, 2), &[2, 0, 0, 0, 4, 0]);
        check(Nullable(vec![1, 0, 1]), 3, (3, 1), &[2, 0, 0, 0, 3, 0b101]);
        // Lists of two, no and one value: entries (0, 1), (1, 1), (0, 0), (0, 1).
        check(Lists(vec![2, 0, 1]), 3, (4, 1), &[2, 0, 0, 0, 3, 0b10, 2, 0, 0, 0, 3, 0b1011]);
        check(Lists(vec![0, 0]), 2, (2, 2), &[2, 0, 0, 0, 4, 0, 2, 0, 0, 0, 4, 0]);
    }
}
