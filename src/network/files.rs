//! Text files of numbers. Every line knows its place, so that messages can name it.

use crate::error::{Error, QUOTED, Result, clip, looked_for};
use crate::files;
use std::io::ErrorKind;
use std::path::Path;

/// The largest file. No public trace is nearly as large, and a packed file that unpacks to more is damaged or was made to fill the memory.
const MAX_BYTES: u64 = 2_000_000_000;

/// The text of a file, with its path for messages.
pub(super) struct Text {
    path: String,
    text: String,
}

/// A line that is neither blank nor a comment. Its number counts all lines from 1.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    path: &'a str,
    pub number: usize,
    pub text: &'a str,
}

impl Text {
    /// Reads a file and unpacks it if its name ends in `.gz`. `field` is the field of the scenario that names the file.
    pub fn read(path: &str, field: &str) -> Result<Self> {
        let file = Path::new(path);
        let is_packed = file.extension().is_some_and(|extension| extension == "gz");
        let bytes = if is_packed { files::unpack(file, MAX_BYTES) } else { files::read(file, MAX_BYTES) };
        let bytes = bytes.map_err(|e| match e.kind() {
            ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof if is_packed => {
                Error::input(format!("{path}: is not a sound gzip file ({e}); fetch or pack it again"))
            }
            _ => Error::input(format!("{path}: cannot be read: {e}{}; correct {field}", looked_for(file))),
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let line = 1 + error.as_bytes()[..error.utf8_error().valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
            Error::input(format!("{path}:{line}: is not text; {field} must name a text file, plain or packed as .gz"))
        })?;
        Ok(Self { path: path.into(), text })
    }

    /// The lines that are neither blank nor comments. A comment begins with `#`.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let all = self.text.trim_start_matches('\u{feff}').lines().enumerate();
        let line = |(i, text)| Line { path: &self.path, number: i + 1, text };
        all.map(line).filter(|line| !line.text.trim().is_empty() && !line.text.starts_with('#'))
    }

    /// An error that names the file.
    pub fn problem(&self, what: &str) -> Error {
        Error::input(format!("{}: {what}", self.path))
    }
}

impl<'a> Line<'a> {
    /// An error that names the line.
    pub fn problem(&self, what: &str) -> Error {
        Error::input(format!("{}:{}: {what}", self.path, self.number))
    }

    /// An error that names line and column of a part. `what` may quote the part; a long quotation is cut.
    pub fn problem_at(&self, part: &str, what: &str) -> Error {
        let what = if part.len() > QUOTED { what.replace(part, &clip(part, QUOTED)) } else { what.to_owned() };
        Error::input(format!("{}: {what}", self.place_of(part)))
    }

    /// `file:line:column` of a part of the line.
    pub fn place_of(&self, part: &str) -> String {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize).min(self.text.len());
        let column = self.text[..offset].chars().count() + 1;
        format!("{}:{}:{column}", self.path, self.number)
    }

    /// The parts of the line, separated by commas, semicolons, tabs or else blanks.
    pub fn parts(&self) -> Vec<&'a str> {
        let text = self.text.trim_end();
        match [',', ';', '\t'].into_iter().find(|&sign| text.contains(sign)) {
            Some(sign) => text.split(sign).map(str::trim).collect(),
            None => text.split_whitespace().collect(),
        }
    }

    /// A part as a number.
    pub fn number(&self, part: &str) -> Result<f64> {
        part.parse().map_err(|_| self.problem_at(part, &format!("`{part}` is not a number")))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::io::Write;

    /// A file with this text, in a folder that is removed when it is dropped.
    pub fn file(name: &str, text: &[u8]) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        let path = path.display().to_string();
        (folder, path)
    }

    #[test]
    fn packed_text_reads_like_plain_text() {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(b"# a comment\n1,2\r\n\n3\t4\n5 6\n").expect("it packs");
        let (_folder, path) = file("a.csv.gz", &packer.finish().expect("it packs"));
        let text = Text::read(&path, "latency.path").expect("it is sound");
        let lines: Vec<(usize, Vec<&str>)> = text.lines().map(|line| (line.number, line.parts())).collect();
        assert_eq!(lines, [(2, vec!["1", "2"]), (4, vec!["3", "4"]), (5, vec!["5", "6"])]);
    }

    #[test]
    fn files_that_are_not_text_say_so() {
        let refuse = |name: &str, bytes: &[u8], expect: &str| {
            let (_folder, path) = file(name, bytes);
            let message = Text::read(&path, "latency.path").err().expect("it is wrong").to_string();
            assert!(message.contains(expect), "{message}");
        };
        refuse("a.csv", b"1,2\n\xff\n", "a.csv:2: is not text; latency.path must name a text file");
        refuse("a.csv.gz", b"1,2\n", "is not a sound gzip file");
        let missing = Text::read("no/such/file.csv", "churn.path").err().expect("it is missing").to_string();
        assert!(missing.starts_with("no/such/file.csv: cannot be read: ") && missing.ends_with("; correct churn.path"), "{missing}");
        let here = std::env::current_dir().expect("there is one").join("no/such/file.csv");
        assert!(missing.contains(&format!("; looked for {};", here.display())), "{missing}");
    }

    #[test]
    fn a_part_is_shown_at_its_column() {
        let line = Line { path: "x.csv", number: 7, text: "1, zwei" };
        assert_eq!(line.number(line.parts()[1]).expect_err("no number").to_string(), "x.csv:7:4: `zwei` is not a number");
    }

    #[test]
    fn a_huge_part_is_not_quoted_whole() {
        let huge = "9x".repeat(1_000_000);
        let message = Line { path: "x.csv", number: 7, text: &huge }.number(&huge).expect_err("no number").to_string();
        assert!(message.len() < 200 && message.starts_with("x.csv:7:1: `9x9x") && message.ends_with("x9x` is not a number"), "{message}");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_line() {
        let (_folder, path) = file("a.csv", "\u{feff}1,2\n3,x\n".as_bytes());
        let text = Text::read(&path, "latency.path").expect("it is text");
        let lines: Vec<Line> = text.lines().collect();
        assert_eq!((lines[0].parts(), lines[0].number(lines[0].parts()[0]).ok()), (vec!["1", "2"], Some(1.0)));
        assert!(lines[1].number(lines[1].parts()[1]).expect_err("no number").to_string().contains("a.csv:2:3: `x` is not a number"));
    }
}
