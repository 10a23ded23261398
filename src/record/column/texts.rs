//! Long texts, each behind its length.

use super::bound::{Clipped, union};
use super::{Summary, Values};
use parquet::basic::Encoding;

/// Texts of a page as they will stand in it.
#[derive(Clone, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    bounds: Option<[Clipped; 2]>,
}

impl<'a> Extend<&'a str> for Texts {
    fn extend<I: IntoIterator<Item = &'a str>>(&mut self, texts: I) {
        for text in texts {
            write_text(text, &mut self.bytes);
            let own = [Clipped::before(text), Clipped::behind(text)];
            self.bounds = Some(match self.bounds.take() {
                Some(bounds) => union(bounds, own),
                None => own,
            });
        }
    }
}

/// Writes a text behind its length.
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

impl Values for Texts {
    type Bound = Clipped;
    const ENCODING: Encoding = Encoding::PLAIN;

    fn encode(&mut self, page: &mut Vec<u8>) -> Summary<Clipped> {
        page.append(&mut self.bytes);
        Summary { bounds: self.bounds.take(), n_nan: 0 }
    }
}
