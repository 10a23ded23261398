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
    turns: Pieces,
    queries: Pieces,
    /// Nanoseconds spent in evaluations, summed over threads.
    evaluating_ns: AtomicU64,
    teller: Mutex<Teller<'a>>,
}

/// How many pieces of work are done, and how many there are.
#[derive(Default)]
struct Pieces {
    done: AtomicU64,
    of: AtomicU64,
}

struct Teller<'a> {
    tell: &'a mut Tell<'a>,
    last: Stopwatch,
}

impl<'a> Pulse<'a> {
    pub fn new(stop: &'a AtomicBool, tell: &'a mut Tell<'a>) -> Self {
        let teller = Mutex::new(Teller { tell, last: Stopwatch::start() });
        Self {
            stop,
            is_broken_off: AtomicBool::new(false),
            turns: Pieces::default(),
            queries: Pieces::default(),
            evaluating_ns: AtomicU64::new(0),
            teller,
        }
    }

    /// Whether the run must stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.is_broken_off.load(Ordering::Relaxed)
    }

    /// Begins the turns of a window.
    pub fn begin_turns(&self, n: u64) {
        self.turns.begin(n);
    }

    /// Begins an evaluation on `n` test queries.
    pub fn begin_queries(&self, n: u64) {
        self.queries.begin(n);
    }

    /// Counts one more turn. From time to time this calls the listener, on the calling thread.
    pub fn beat_turn(&self) {
        self.beat(&self.turns);
    }

    /// Counts one more test query in the same way.
    pub fn beat_query(&self) {
        self.beat(&self.queries);
    }

    /// Notes that a thread has spent this time in an evaluation.
    pub fn note_evaluating(&self, time: Duration) {
        self.evaluating_ns.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// The time that all threads have spent in evaluations.
    pub fn evaluating(&self) -> Duration {
        Duration::from_nanos(self.evaluating_ns.load(Ordering::Relaxed))
    }

    /// Ends a window.
    pub fn window(&self) {
        self.turns.begin(0);
        self.queries.begin(0);
        self.tell(&mut self.teller.lock().expect("a listener does not panic"));
    }

    fn beat(&self, pieces: &Pieces) {
        pieces.done.fetch_add(1, Ordering::Relaxed);
        if let Ok(mut teller) = self.teller.try_lock()
            && teller.last.elapsed() >= TELL_EVERY
        {
            self.tell(&mut teller);
        }
    }

    fn tell(&self, teller: &mut Teller) {
        teller.last = Stopwatch::start();
        if (teller.tell)(self.stage()).is_break() {
            self.is_broken_off.store(true, Ordering::Relaxed);
        }
    }

    /// An evaluation and the turns after it may go on side by side; the evaluation is told first.
    fn stage(&self) -> Stage {
        match (self.queries.left(), self.turns.left()) {
            (Some((done, of)), _) => Stage::Queries { done, of },
            (None, Some((done, of))) => Stage::Turns { done, of },
            (None, None) => Stage::Window,
        }
    }
}

impl Pieces {
    fn begin(&self, n: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.of.store(n, Ordering::Relaxed);
    }

    /// How many are done, and how many there are, while some are left.
    fn left(&self) -> Option<(u64, u64)> {
        let (done, of) = (self.done.load(Ordering::Relaxed), self.of.load(Ordering::Relaxed));
        (done < of).then_some((done, of))
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
