//! The error type of the program: a message that a person can act on, its kind, and the exit code of that kind.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

/// The outcome of everything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// A message that names the place, the problem and the remedy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
}

/// The kind of an error, for programs that call the library. Each kind has its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The scenario, the data or the command line is wrong; nothing was written. Exit code 2.
    Input,
    /// The run would need more memory, disk or time than is sensible here. Exit code 2.
    TooLarge,
    /// The run was stopped from outside. Exit code 75, which batch systems read as "try again" (EX_TEMPFAIL).
    Interrupted,
    /// Results could not be written. Exit code 1.
    Storage,
    /// Anything else that failed while running. Exit code 1.
    Failed,
    /// The answer could not be printed; results that were to be written are safe. Exit code 74 (EX_IOERR).
    Unprintable,
}

impl Error {
    /// The scenario, the data or the command line is wrong.
    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Kind::Input, message)
    }

    /// The run would need more memory, disk or time than is sensible here.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(Kind::TooLarge, message)
    }

    /// The run was stopped from outside.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self::new(Kind::Interrupted, message)
    }

    /// Results could not be written.
    pub fn storage(message: impl Into<String>) -> Self {
        Self::new(Kind::Storage, message)
    }

    /// The run itself failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message)
    }

    /// A file that the user named could not be read.
    pub fn cannot_read(path: &Path, source: &std::io::Error) -> Self {
        Self::input(format!("{}: cannot be read: {source}{}", path.display(), looked_for(path)))
    }

    /// A result could not be written while the run went on.
    pub fn cannot_write(path: &Path, source: &impl fmt::Display) -> Self {
        Self::storage(format!("{}: cannot be written: {source}", path.display()))
    }

    /// The answer could not be printed.
    pub fn cannot_print(source: &std::io::Error) -> Self {
        Self::new(Kind::Unprintable, format!("standard output cannot be written: {source}"))
    }

    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: readable(message.into()) }
    }

    /// The same error with one more sentence.
    pub fn and(self, also: &str) -> Self {
        Self { message: format!("{}; {also}", self.message), ..self }
    }

    /// The kind of the error.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The code that the program ends with.
    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Input | Kind::TooLarge => 2,
            Kind::Interrupted => 75,
            Kind::Storage | Kind::Failed => 1,
            Kind::Unprintable => 74,
        }
    }
}

/// The place where a relative path was looked for, as an addition to a message. Relative paths begin in the current folder.
pub fn looked_for(path: &Path) -> String {
    match std::path::absolute(path) {
        Ok(absolute) if path.is_relative() => format!("; looked for {}", absolute.display()),
        _ => String::new(),
    }
}

/// At most `max` characters of a text that is quoted in a message: its beginning and its end, with `…` between them.
pub fn clip(text: &str, max: usize) -> Cow<'_, str> {
    // A text of at most `max` bytes has at most `max` characters, so most texts need no counting.
    if text.len() <= max || text.chars().count() <= max {
        return text.into();
    }
    let tail = max / 4;
    let head = max.saturating_sub(tail + 1);
    let head_end = text.char_indices().nth(head).map_or(text.len(), |(at, _)| at);
    let tail_start = text.char_indices().rev().nth(tail.saturating_sub(1)).map_or(0, |(at, _)| at);
    format!("{}…{}", &text[..head_end], &text[tail_start..]).into()
}

/// Shortens long lines, so that no line of a message fills a screen.
fn readable(message: String) -> String {
    const LONG: usize = 2_000;
    match message.len() > LONG {
        true => message.lines().map(|line| clip(line, LONG)).collect::<Vec<_>>().join("\n"),
        false => message,
    }
}

/// The number of characters that a message quotes of a word or value.
pub const QUOTED: usize = 80;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, max: usize, expect: &str) {
        assert_eq!(clip(text, max), expect);
    }

    #[test]
    fn long_quotations_keep_both_ends() {
        check("short", 80, "short");
        check("0123456789", 10, "0123456789");
        check("0123456789a", 10, "0123456…9a");
        check("αβγδεζηθικλ", 8, "αβγδε…κλ");
        assert_eq!(clip(&"x".repeat(100_000_000), QUOTED).chars().count(), QUOTED);
        assert!(
            Error::input(format!("a.csv: {} is wrong\nso is b.csv", "x".repeat(100_000_000)))
                .to_string()
                .ends_with("x is wrong\nso is b.csv")
        );
    }

    #[test]
    fn a_relative_path_is_told_in_full() {
        let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
        let message = Error::cannot_read(Path::new("no/such.ron"), &missing).to_string();
        let here = std::env::current_dir().expect("there is one").join("no/such.ron");
        assert!(
            message.starts_with("no/such.ron: cannot be read: ") && message.ends_with(&format!("; looked for {}", here.display())),
            "{message}"
        );
        assert_eq!(looked_for(Path::new("/no/such.ron")), "");
    }
}
