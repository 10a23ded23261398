//! Ends the program within a second or two after Ctrl-C, a request to terminate or a closed terminal, and leaves no unfinished file.
//!
//! While a run simulates, a first signal asks it to stop: the run ends by itself, with a message that names the moment. The thread that
//! heard
//! the signal removes the unfinished results and ends the process in all other cases: if the run does not stop in time (one long turn, a
//! slow
//! disk), if no run simulates, and at a second signal.

use super::print::tell;
use rankguard::error::Error;
use rankguard::run::Interrupt;
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a run may take to end by itself.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Interruption {
    interrupt: Interrupt,
    /// Whether some thread prints the last message.
    has_ended: AtomicBool,
    /// Where the results are while they are uploaded.
    uploading: Mutex<Option<PathBuf>>,
}

impl Interruption {
    pub fn listen() -> Arc<Self> {
        keep_ignoring_hangups();
        let interruption = Arc::new(Self::default());
        let hearing = interruption.clone();
        // Without a handler the program ends at once, and the next run removes the files that this one left.
        let _ = ctrlc::set_handler(move || hearing.hear());
        interruption
    }

    /// The way to stop a job.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Tells that results are uploaded from a folder, or that this is over.
    #[cfg(feature = "remote")]
    pub fn uploads(&self, from: Option<&std::path::Path>) {
        *self.uploading.lock().unwrap_or_else(PoisonError::into_inner) = from.map(Into::into);
    }

    /// Lets the caller print the last message and end the process. If a signal does both already, this waits for the end.
    pub fn end(&self) {
        if self.has_ended.swap(true, Ordering::SeqCst) {
            loop {
                thread::park();
            }
        }
    }

    fn hear(self: &Arc<Self>) {
        if self.interrupt.stop() && self.interrupt.is_simulating() {
            let late = self.clone();
            thread::spawn(move || late.end_unless_done());
        } else {
            let is_ending = self.has_ended.swap(true, Ordering::SeqCst);
            self.end_now(is_ending);
        }
    }

    fn end_unless_done(&self) {
        thread::sleep(GRACE);
        let is_done = self.interrupt.is_published() || self.has_ended.swap(true, Ordering::SeqCst);
        if !is_done {
            self.end_now(false);
        }
    }

    fn end_now(&self, is_ending: bool) -> ! {
        let uploading = self.uploading.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let error = match (self.interrupt.remove_unfinished(), uploading) {
            (true, None) => None,
            (true, Some(folder)) => Some(format!("interrupted before all results were uploaded; they are in {}", folder.display())),
            (false, _) => Some("interrupted; no results were written".into()),
        };
        let (said, code) = match error.map(Error::interrupted) {
            None => ("interrupted after the results had been written".into(), 0),
            Some(error) => (format!("error: {error}"), error.exit_code()),
        };
        if !is_ending {
            tell(&said);
        }
        exit(code.into())
    }
}

/// Keeps the program running under `nohup` when the terminal closes. The handler would hear that signal all the same, so it is blocked;
/// threads that start later inherit this.
#[cfg(target_os = "linux")]
fn keep_ignoring_hangups() {
    use nix::sys::signal::{SigSet, Signal};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    if ignored.is_some_and(|ignored| ignored & 1 << (Signal::SIGHUP as u32 - 1) != 0) {
        let mut hangup = SigSet::empty();
        hangup.add(Signal::SIGHUP);
        let _ = hangup.thread_block();
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_ignoring_hangups() {}
