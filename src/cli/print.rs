//! What the program says. Answers go to standard output, and one that cannot be written is an error; everything else goes to standard error, where
//! nobody may be listening.

use rankguard::error::{Error, Result};
use std::io::{self, ErrorKind, Write};

/// Prints an answer. A reader that has seen enough (`rankguard schema | head`) is no error.
pub fn say(text: &str) -> Result<()> {
    let text = text.trim_end_matches('\n');
    let mut out = io::stdout().lock();
    printed(writeln!(out, "{text}").and_then(|()| out.flush()))
}

/// What became of an answer.
pub fn printed(written: io::Result<()>) -> Result<()> {
    match written {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::cannot_print(&e)),
        _ => Ok(()),
    }
}

/// Tells whoever listens. A closed terminal, a full disk or a pipe without a reader is no reason to stop.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
