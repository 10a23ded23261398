//! Booleans, one bit each.

use super::bits::pack_flags;
use super::{Summary, Values};
use parquet::basic::Encoding;

/// Booleans as bytes of 0 or 1.
#[derive(Clone, Default)]
pub struct Flags(Vec<u8>);

impl Extend<bool> for Flags {
    fn extend<I: IntoIterator<Item = bool>>(&mut self, flags: I) {
        self.0.extend(flags.into_iter().map(u8::from));
    }
}

impl Values for Flags {
    type Bound = bool;
    const ENCODING: Encoding = Encoding::PLAIN;

    fn encode(&mut self, page: &mut Vec<u8>) -> Summary<bool> {
        pack_flags(&self.0, page);
        let all = |flag: u8| self.0.iter().all(|other| *other == flag);
        let bounds = (!self.0.is_empty()).then(|| [all(1), !all(0)]);
        self.0.clear();
        Summary { bounds, n_nan: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_packed_and_bounded() {
        let [t, f] = [true, false];
        for (flags, bytes, bounds) in [
            (&[][..], &[][..], None),
            (&[t, t], &[3], Some([t, t])),
            (&[f], &[0], Some([f, f])),
            (&[f, t, f, f, f, f, f, f, t], &[2, 1], Some([f, t])),
        ] {
            let (mut values, mut page) = (Flags::default(), Vec::new());
            values.extend(flags.iter().copied());
            assert_eq!((values.encode(&mut page), page.as_slice()), (Summary { bounds, n_nan: 0 }, bytes));
            assert!(values.0.is_empty());
        }
    }
}
