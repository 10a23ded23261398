//! The program: reads the command line, does it, and ends with an exit code that says how it went.

#![allow(clippy::disallowed_methods, reason = "the command line may look at the clock on the wall")]

use clap::Parser;
use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    match cli::Cli::parse().execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
