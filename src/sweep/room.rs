//! The memory that runs share: a run waits until the estimates of those that go on leave enough for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a waiting run looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(100);

/// The memory of the machine, as the runs of this process share it.
#[derive(Debug)]
pub struct SharedMemory {
    /// Bytes for all runs together; `None` if the machine does not tell, and then nobody waits.
    total: Option<u64>,
    taken: Mutex<Taken>,
    freed: Condvar,
    /// Held by the run that waits, so that runs begin in order and a large one is not overtaken for ever.
    door: Mutex<()>,
}

#[derive(Debug, Default)]
struct Taken {
    documents: u64,
    runs: u64,
    n_runs: usize,
}

/// The memory of one run, until this is dropped.
#[derive(Debug)]
pub struct Taking<'a> {
    memory: &'a SharedMemory,
    bytes: u64,
}

impl SharedMemory {
    pub fn new(total: Option<u64>) -> Self {
        Self { total, taken: Mutex::default(), freed: Condvar::new(), door: Mutex::default() }
    }

    /// Bytes that one run can have if no other goes on.
    pub fn for_one_run(&self) -> Option<u64> {
        self.total.map(|total| total.saturating_sub(self.taken().documents))
    }

    /// Notes documents that were loaded or dropped.
    pub fn hold_documents(&self, bytes: u64) {
        self.taken().documents += bytes;
    }

    pub fn drop_documents(&self, bytes: u64) {
        self.taken().documents -= bytes;
        self.freed.notify_all();
    }

    /// Waits until this much is left. The only run may always go on. `None` if the run is stopped while it waits.
    pub fn take(&self, bytes: u64, stop: &AtomicBool) -> Option<Taking<'_>> {
        let _door = lock(&self.door);
        let mut taken = self.taken();
        while taken.n_runs > 0 && !self.fits(&taken, bytes) {
            if stop.load(Ordering::SeqCst) {
                return None;
            }
            taken = self.freed.wait_timeout(taken, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        (taken.runs, taken.n_runs) = (taken.runs + bytes, taken.n_runs + 1);
        Some(Taking { memory: self, bytes })
    }

    fn fits(&self, taken: &Taken, bytes: u64) -> bool {
        self.total.is_none_or(|total| taken.documents.saturating_add(taken.runs).saturating_add(bytes) <= total)
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        lock(&self.taken)
    }
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        let mut taken = self.memory.taken();
        (taken.runs, taken.n_runs) = (taken.runs - self.bytes, taken.n_runs - 1);
        self.memory.freed.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    static GO: AtomicBool = AtomicBool::new(false);

    #[test]
    fn runs_that_go_on_together_never_take_more_than_there_is() {
        let memory = SharedMemory::new(Some(100));
        memory.hold_documents(10);
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let run = |bytes: u64| {
            let taking = memory.take(bytes, &GO).expect("it is not stopped");
            most.fetch_max(now.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
            std::thread::yield_now();
            now.fetch_sub(bytes, Ordering::SeqCst);
            drop(taking);
        };
        std::thread::scope(|scope| (0..8).for_each(|i| drop(scope.spawn(move || (0..50).for_each(|k| run(10 + (i * 7 + k) % 60))))));
        assert!(most.load(Ordering::SeqCst) <= 90 && memory.for_one_run() == Some(90));
        memory.drop_documents(10);
        assert_eq!(memory.for_one_run(), Some(100));
    }

    #[test]
    fn the_only_run_goes_on_and_a_stopped_one_does_not_wait() {
        let memory = SharedMemory::new(Some(100));
        let alone = memory.take(1000, &GO).expect("nobody else is there");
        assert!(memory.take(1, &AtomicBool::new(true)).is_none());
        drop(alone);
        assert!(memory.take(1, &AtomicBool::new(true)).is_some());
    }

    #[test]
    fn a_machine_that_does_not_tell_makes_nobody_wait() {
        let memory = SharedMemory::new(None);
        let _all: Vec<Taking> = (0..3).filter_map(|_| memory.take(u64::MAX / 4, &GO)).collect();
        assert_eq!((memory.taken().n_runs, memory.for_one_run()), (3, None));
    }
}
