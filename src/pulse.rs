//! Connects a run with the outside: the stop flag, and reports of progress. All threads use it. Nothing simulated depends on it, because
//! stopped work is discarded. This is the only place where the simulation looks at a real clock.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The pause between two reports of progress.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// The stage of a run since the last window of steps ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The window is over.
    Window,
    /// Nodes take their turns.
    Turns {
        /// Turns that are over.
        done: u64,
        /// Turns of the window.
        of: u64,
    },
    /// Models are evaluated.
    Queries {
        /// Test queries that are over. They are counted once for every thousand models.
        done: u64,
        /// Test queries in all.
        of: u64,
    },
}

/// A listener that hears the stage, and decides whether to go on.
pub(crate) type Tell<'a> = dyn FnMut(Stage) -> ControlFlow<()> + Send + 'a;

/// The stop flag of a run, and the listener of its progress.
pub(crate) struct Pulse<'a> {
    stop: &'a AtomicBool,
    /// Whether the listener has stopped the run.
    is_broken_off: AtomicBool,
    n_done: AtomicU64,
    teller: Mutex<Teller<'a>>,
}

struct Teller<'a> {
    tell: &'a mut Tell<'a>,
    stage: Stage,
    last: Stopwatch,
}

impl<'a> Pulse<'a> {
    pub fn new(stop: &'a AtomicBool, tell: &'a mut Tell<'a>) -> Self {
        let teller = Mutex::new(Teller { tell, stage: Stage::Window, last: Stopwatch::start() });
        Self { stop, is_broken_off: AtomicBool::new(false), n_done: AtomicU64::new(0), teller }
    }

    /// Whether the run must stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.is_broken_off.load(Ordering::Relaxed)
    }

    /// Begins a stage.
    pub fn begin(&self, stage: Stage) {
        self.n_done.store(0, Ordering::Relaxed);
        self.teller.lock().expect("a listener does not panic").stage = stage;
    }

    /// Counts one more piece of the stage. From time to time this calls the listener, on the calling thread.
    pub fn beat(&self) {
        let n_done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(mut teller) = self.teller.try_lock()
            && teller.last.elapsed() >= TELL_EVERY
        {
            teller.stage.set_done(n_done);
            self.tell(&mut teller);
        }
    }

    /// Ends a window.
    pub fn window(&self) {
        let mut teller = self.teller.lock().expect("a listener does not panic");
        teller.stage = Stage::Window;
        self.tell(&mut teller);
    }

    fn tell(&self, teller: &mut Teller) {
        teller.last = Stopwatch::start();
        if (teller.tell)(teller.stage).is_break() {
            self.is_broken_off.store(true, Ordering::Relaxed);
        }
    }
}

impl Stage {
    fn set_done(&mut self, n: u64) {
        match self {
            Stage::Window => {}
            Stage::Turns { done, of } | Stage::Queries { done, of } => *done = n.min(*of),
        }
    }
}

/// Measures the program, never the simulated world.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a measurement.
    #[expect(clippy::disallowed_methods, reason = "measures the program, not the simulated world")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The real time since the start.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
