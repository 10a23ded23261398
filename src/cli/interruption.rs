//! Ctrl-C, a request to terminate, a closed terminal: the program ends within a second or two wherever it is, and leaves nothing behind.
//!
//! While a run simulates, a first signal only asks it to stop: it ends by itself, with a message that says where. If it does not do so in time
//! (one long turn, a slow disk), at any other time, and at a second signal, the thread that heard the signal removes the unfinished results and
//! ends the process.

use super::print::tell;
use rankguard::error::Error;
use rankguard::run::Interrupt;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long a run may take to end by itself.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Interruption {
    interrupt: Interrupt,
    /// Whether some thread prints the last message.
    has_ended: AtomicBool,
}

impl Interruption {
    pub fn listen() -> Arc<Self> {
        keep_ignoring_hangups();
        let interruption = Arc::new(Self::default());
        let hearing = interruption.clone();
        // Without a handler the program just ends, and the next run clears what is left of this one.
        let _ = ctrlc::set_handler(move || hearing.hear());
        interruption
    }

    /// The way to stop a job.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// The caller has the last word, unless a signal had it: then the process ends while this waits.
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
        let is_published = self.interrupt.remove_unfinished();
        let outcome = Error::interrupted(match is_published {
            true => "interrupted; the results had been written",
            false => "interrupted; no results were written",
        });
        if !is_ending {
            tell(&format!("error: {outcome}"));
        }
        exit(outcome.exit_code().into())
    }
}

/// Under `nohup` a closed terminal is no reason to stop. The handler would hear of it all the same, so the signal is kept from it: threads that
/// are started later inherit that.
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
