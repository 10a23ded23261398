//! Prints answers and messages. Answers go to standard output, and an answer that cannot be written is an error. Messages go to standard
//! error, where possibly nobody is listening.

use super::style::Paint;
use rankguard::error::{Error, Result};
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Prints an answer. A reader that stops early (`rankguard schema | head`) is not an error.
pub fn say(text: &str) -> Result<()> {
    let text = text.trim_end_matches('\n');
    let mut out = io::stdout().lock();
    printed(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// Prints an answer whose paragraphs begin with a heading.
pub fn say_sections(text: &str) -> Result<()> {
    say(&Paint::stdout().sections(text))
}

/// The outcome of printing an answer.
pub fn printed(written: io::Result<()>) -> Result<()> {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::cannot_print(&e)),
        _ => Ok(()),
    }
}

/// Prints a message. A closed terminal, a full disk or a pipe without a reader does not stop the program.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{}", Paint::stderr().message(text));
}

/// Prints an answer as one JSON document, for other programs.
pub fn say_json(answer: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(answer).map_err(|e| Error::failed(format!("the answer cannot be put into JSON: {e}")))?;
    say(&text)
}
