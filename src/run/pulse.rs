//! The pulse of a run: whether to stop, and how far the work of the moment is. Asked and told from all threads, and nothing simulated depends on
//! it: work that is told to stop is thrown away.

use super::progress::{Progress, Stage, Stopwatch};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How often progress is told within a window.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// Is told how far a run is, and says whether it goes on.
pub type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + Send + 'a;

pub(crate) struct Pulse<'a> {
    stop: &'a AtomicBool,
    /// Whether `watch` has broken the run off.
    is_broken_off: AtomicBool,
    n_done: AtomicU64,
    teller: Mutex<Teller<'a>>,
}

struct Teller<'a> {
    watch: &'a mut Watch<'a>,
    /// As of the last window.
    progress: Progress,
    last: Stopwatch,
}

impl<'a> Pulse<'a> {
    pub fn new(stop: &'a AtomicBool, watch: &'a mut Watch<'a>, progress: Progress) -> Self {
        let teller = Mutex::new(Teller { watch, progress, last: Stopwatch::start() });
        Self { stop, is_broken_off: AtomicBool::new(false), n_done: AtomicU64::new(0), teller }
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.is_broken_off.load(Ordering::Relaxed)
    }

    /// A stage begins, of which nothing is done yet.
    pub fn begin(&self, stage: Stage) {
        self.n_done.store(0, Ordering::Relaxed);
        self.teller.lock().expect("a watch does not panic").progress.stage = stage;
    }

    /// One more piece of the stage is done. Tells so from time to time, on whichever thread it is.
    pub fn beat(&self) {
        let n_done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(mut teller) = self.teller.try_lock()
            && teller.last.elapsed() >= TELL_EVERY
        {
            teller.progress.stage.set_done(n_done);
            self.tell(&mut teller);
        }
    }

    /// A window is over.
    pub fn window(&self, progress: Progress) {
        let mut teller = self.teller.lock().expect("a watch does not panic");
        teller.progress = progress;
        self.tell(&mut teller);
    }

    fn tell(&self, teller: &mut Teller) {
        teller.last = Stopwatch::start();
        if (teller.watch)(&teller.progress).is_break() {
            self.is_broken_off.store(true, Ordering::Relaxed);
        }
    }
}
