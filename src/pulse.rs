//! Watching work from outside: whether to stop, and how far it is. All threads ask and tell here, and nothing simulated depends on the answers,
//! because work that is told to stop is thrown away. Only here does the simulation look at a real clock.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often a stage tells how far it is.
const TELL_EVERY: Duration = Duration::from_millis(500);

/// What is being done since the last window of steps was over.
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
        /// Test queries that are over.
        done: u64,
        /// Test queries in all.
        of: u64,
    },
}

/// Is told the stage, and says whether to go on.
pub(crate) type Tell<'a> = dyn FnMut(Stage) -> ControlFlow<()> + Send + 'a;

/// The stop flag of a run, and the way to tell its progress.
pub(crate) struct Pulse<'a> {
    stop: &'a AtomicBool,
    /// Whether the listener has broken the run off.
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

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.is_broken_off.load(Ordering::Relaxed)
    }

    /// A stage begins, of which nothing is done yet.
    pub fn begin(&self, stage: Stage) {
        self.n_done.store(0, Ordering::Relaxed);
        self.teller.lock().expect("a listener does not panic").stage = stage;
    }

    /// One more piece of the stage is done. From time to time this tells the listener, on the thread that calls it.
    pub fn beat(&self) {
        let n_done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Ok(mut teller) = self.teller.try_lock()
            && teller.last.elapsed() >= TELL_EVERY
        {
            teller.stage.set_done(n_done);
            self.tell(&mut teller);
        }
    }

    /// A window is over.
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
    #[expect(clippy::disallowed_methods, reason = "measures the program, not the simulated world")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
