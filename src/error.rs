//! One error type: what went wrong, in words a person can act on, and the exit code it deserves.

use std::fmt;
use std::path::Path;

pub type Result<T> = std::result::Result<T, Error>;

/// A message that says where, what and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: Kind,
    message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Input,
    Failed,
    Unprintable,
}

impl Error {
    /// The scenario, the data or the command line is wrong; nothing was written. Exit code 2.
    pub fn input(message: impl Into<String>) -> Self {
        Self { kind: Kind::Input, message: message.into() }
    }

    /// The run itself failed: a full disk, an interruption. Exit code 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { kind: Kind::Failed, message: message.into() }
    }

    /// A file that the user named could not be read.
    pub fn cannot_read(path: &Path, source: &std::io::Error) -> Self {
        Self::input(format!("{}: cannot be read: {source}", path.display()))
    }

    /// A result could not be written while the run went on.
    pub fn cannot_write(path: &Path, source: &impl fmt::Display) -> Self {
        Self::failed(format!("{}: cannot be written: {source}", path.display()))
    }

    /// What was to be printed could not be; whatever was to be written before is safe. Exit code 74, as other programs say it (EX_IOERR).
    pub fn cannot_print(source: &std::io::Error) -> Self {
        Self { kind: Kind::Unprintable, message: format!("standard output cannot be written: {source}") }
    }

    /// The same with one more thing to know.
    pub fn and(self, also: &str) -> Self {
        Self { message: format!("{}; {also}", self.message), ..self }
    }

    pub fn exit_code(&self) -> u8 {
        match self.kind {
            Kind::Input => 2,
            Kind::Failed => 1,
            Kind::Unprintable => 74,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
