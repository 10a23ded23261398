//! The program: reads the command line, does it, and ends with an exit code that says how it went.

#![allow(clippy::disallowed_methods, reason = "the command line may look at the clock on the wall")]

use std::process::ExitCode;

mod cli;

/// Many nodes grow their histories on all threads at once. The system's allocator gives such memory back and fetches it again, and with two
/// threads that took a quarter of a run of 10,000 nodes.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let interruption = cli::Interruption::listen();
    let outcome = cli::execute(&interruption);
    interruption.end();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cli::tell(&format!("error: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}
