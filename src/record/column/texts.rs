//! Long texts, each behind its length. They have no bounds, because nobody looks for ranges of them.

use super::{Summary, Values};
use parquet::basic::Encoding;

/// Texts of a page as they will stand in it.
#[derive(Clone, Default)]
pub struct Texts(Vec<u8>);

impl<'a> Extend<&'a str> for Texts {
    fn extend<I: IntoIterator<Item = &'a str>>(&mut self, texts: I) {
        texts.into_iter().for_each(|text| write_text(text, &mut self.0));
    }
}

/// Writes a text behind its length.
pub fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

impl Values for Texts {
    type Bound = &'static str;
    const ENCODING: Encoding = Encoding::PLAIN;

    fn encode(&mut self, page: &mut Vec<u8>) -> Summary<&'static str> {
        page.append(&mut self.0);
        Summary { bounds: None, n_nan: 0 }
    }
}
