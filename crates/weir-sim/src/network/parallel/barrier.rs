//! A barrier for threads that meet very often.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The number of checks after which a waiting thread yields between checks.
const BUSY_CHECKS: u32 = 2000;

/// A point at which a number of threads wait for each other. A waiting thread spins, because
/// windows take microseconds and a sleeping thread takes longer to wake.
pub(super) struct Barrier {
    threads: usize,
    /// The number of threads that have reached the barrier in this round.
    here: AtomicUsize,
    round: AtomicUsize,
    /// Whether a thread has panicked, and will never reach the barrier.
    is_broken: AtomicBool,
}

impl Barrier {
    pub(super) fn new(threads: usize) -> Self {
        let (here, round) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Barrier { threads, here, round, is_broken: AtomicBool::new(false) }
    }

    /// Waits until all threads have reached the barrier; everything that they wrote before is then
    /// visible. Returns false if a thread has panicked.
    pub(super) fn wait(&self) -> bool {
        let round = self.round.load(Ordering::Acquire);
        if self.here.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.here.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
        } else {
            let mut checks = 0;
            while self.round.load(Ordering::Acquire) == round && !self.is_broken.load(Ordering::Acquire) {
                if checks < BUSY_CHECKS {
                    checks += 1;
                    spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        }
        !self.is_broken.load(Ordering::Acquire)
    }

    /// Returns a guard that releases the other threads if this thread panics.
    pub(super) fn guard(&self) -> impl Drop {
        BreakOnPanic(self)
    }
}

struct BreakOnPanic<'a>(&'a Barrier);

impl Drop for BreakOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken.store(true, Ordering::Release);
        }
    }
}
