//! Ends the program within ten seconds after Ctrl-C, a request to terminate, SIGUSR1 or a closed terminal.
//!
//! While a run simulates, a signal asks it to write a checkpoint and end by itself. The thread that heard the signal ends the process in all
//! other cases: if the run does not end in time (one long turn, a slow disk), or if no run simulates. An earlier checkpoint stays then; without
//! one, unfinished results are removed. Further signals change nothing.

use super::print::tell;
use rankguard::error::Error;
use rankguard::run::{Interrupt, Stopping};
use std::path::PathBuf;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a run may take to write a checkpoint and end by itself.
const GRACE: Duration = Duration::from_millis(6500);

/// How long it may take to end without one.
const ABANDON: Duration = Duration::from_millis(1500);

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
        // Without a handler the program ends at once, and the next run finds the last checkpoint or removes what is left.
        listen_with(move || hearing.hear());
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
        let late = self.clone();
        match self.interrupt.stop() {
            Stopping::Already => {}
            Stopping::Simulating => _ = thread::spawn(move || late.end_unless_done()),
            Stopping::NotSimulating => self.end_now(),
        }
    }

    fn end_unless_done(&self) {
        thread::sleep(GRACE);
        self.interrupt.abandon();
        thread::sleep(ABANDON);
        self.end_now();
    }

    fn end_now(&self) {
        if self.has_ended.swap(true, Ordering::SeqCst) {
            return;
        }
        let uploading = self.uploading.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let error = match (self.interrupt.remove_unfinished(), uploading) {
            (true, None) => None,
            (true, Some(folder)) => Some(format!("interrupted before all results were uploaded; they are in {}", folder.display())),
            (false, _) => Some(format!("interrupted; {}", self.interrupt.what_is_left())),
        };
        let (said, code) = match error.map(Error::interrupted) {
            None => ("interrupted after the results had been written".into(), 0),
            Some(error) => (format!("error: {error}"), error.exit_code()),
        };
        tell(&said);
        exit(code.into())
    }
}

/// Calls `hear` for every signal that asks the program to end, on a thread of its own.
#[cfg(unix)]
fn listen_with(hear: impl Fn() + Send + 'static) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGUSR1]) else { return };
    let _ = thread::Builder::new().name("signals".into()).spawn(move || signals.forever().for_each(|_| hear()));
}

#[cfg(not(unix))]
fn listen_with(hear: impl Fn() + Send + 'static) {
    let _ = ctrlc::set_handler(hear);
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
