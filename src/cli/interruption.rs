//! Ctrl-C, a request to terminate, a closed terminal: the program ends within a second or two wherever it is, and leaves nothing behind.
//!
//! While a run simulates, a first signal only sets its stop flag: it ends by itself, with a message that says where. Should it not do so in time
//! (one long turn, a slow disk), or at any other time, or at a second signal, the thread that heard the signal removes what there is of the
//! results and ends the process.

use super::print::tell;
use rankguard::error::{Error, Result};
use rankguard::results::{Leftovers, Staging};
use std::fs;
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a run may take to end by itself.
const GRACE: Duration = Duration::from_secs(1);

#[derive(Default)]
pub struct Interruption {
    /// Set by the first signal; a run looks at it.
    stop: AtomicBool,
    /// Whether somebody who looks at it is at work.
    is_watched: AtomicBool,
    /// Whether the last message is being printed, by whichever thread.
    has_ended: AtomicBool,
    /// Locked while results are claimed or published: neither is broken off half way.
    remains: Mutex<Remains>,
}

/// What ending the process on the spot must take care of.
#[derive(Default)]
struct Remains {
    files: Vec<PathBuf>,
    unpublished: Option<Leftovers>,
    is_published: bool,
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

    /// The flag to stop at, for work that looks at it.
    pub fn while_watched<T>(&self, work: impl FnOnce(&AtomicBool) -> T) -> T {
        self.is_watched.store(true, Ordering::SeqCst);
        let done = work(&self.stop);
        self.is_watched.store(false, Ordering::SeqCst);
        done
    }

    /// These files are being written, and of no use unless they are finished.
    pub fn will_remove(&self, files: Vec<PathBuf>) {
        self.remains().files = files;
    }

    pub fn claim(&self, claim: impl FnOnce() -> Result<Staging>) -> Result<Staging> {
        let mut remains = self.remains();
        let place = claim()?;
        remains.unpublished = Some(place.leftovers());
        Ok(place)
    }

    pub fn publish(&self, place: Staging) -> Result<()> {
        place.sync()?;
        let mut remains = self.remains();
        if self.stop.load(Ordering::SeqCst) {
            return Err(Error::failed("interrupted before results were written"));
        }
        // From here on nothing is removed from outside: a result that cannot be published stays where it is, and the message says where.
        remains.unpublished = None;
        place.publish()?;
        remains.is_published = true;
        Ok(())
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
        let is_first = !self.stop.swap(true, Ordering::SeqCst);
        if is_first && self.is_watched.load(Ordering::SeqCst) {
            let late = self.clone();
            thread::spawn(move || late.end_unless_done());
        } else {
            let is_ending = self.has_ended.swap(true, Ordering::SeqCst);
            self.end_now(is_ending);
        }
    }

    fn end_unless_done(&self) {
        thread::sleep(GRACE);
        let is_done = self.remains().is_published || self.has_ended.swap(true, Ordering::SeqCst);
        if !is_done {
            self.end_now(false);
        }
    }

    fn end_now(&self, is_ending: bool) -> ! {
        let remains = self.remains();
        for file in &remains.files {
            let _ = fs::remove_file(file); // most were never begun
        }
        if let Some(leftovers) = &remains.unpublished {
            leftovers.remove();
        }
        if !is_ending {
            tell(if remains.is_published {
                "error: interrupted; the results had been written"
            } else {
                "error: interrupted; no results were written"
            });
        }
        exit(1)
    }

    fn remains(&self) -> MutexGuard<'_, Remains> {
        self.remains.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Under `nohup` a closed terminal is no reason to stop. The handler would hear of it all the same, so the signal is kept from it: threads that
/// are started later inherit that.
#[cfg(target_os = "linux")]
fn keep_ignoring_hangups() {
    use nix::sys::signal::{SigSet, Signal};
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    if ignored.is_some_and(|ignored| ignored & 1 << (Signal::SIGHUP as u32 - 1) != 0) {
        let mut hangup = SigSet::empty();
        hangup.add(Signal::SIGHUP);
        let _ = hangup.thread_block();
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_ignoring_hangups() {}
