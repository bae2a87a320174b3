//! The register lock. If a program reads and writes registers, packets on several threads use these
//! registers one packet at a time.
//!
//! P4 lets a program read a register, compute, and write the register back. No other packet may use
//! the register in between. Therefore a thread acquires the lock when its packet first uses such a
//! register, and releases it at the end of the block (or of the blocks that run as one pipeline).
//! Everything that a packet does with such registers in a block is then one step for other packets,
//! in the order in which the packets acquired the lock. A switch has one lock, so a deadlock is
//! impossible. See `docs/decisions/0010-threads.md`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of times that a thread checks whether the lock is free before it yields the
/// processor.
const SPINS: u32 = 128;

/// The lock that all threads of a switch share.
#[derive(Debug, Default)]
pub(crate) struct RegisterLock {
    taken: AtomicBool,
}

/// A thread's handle of the lock. If no other threads share the lock, the handle never acquires it.
#[derive(Debug, Default)]
pub(crate) struct LockHandle {
    shared: Option<Arc<RegisterLock>>,
    held: bool,
}

impl LockHandle {
    /// Sets whether the lock is shared with other threads from now on.
    pub(crate) fn share(&mut self, with: Option<Arc<RegisterLock>>) {
        self.release();
        self.shared = with;
    }

    /// Waits for the lock, unless the handle already holds it.
    #[inline]
    pub(crate) fn acquire(&mut self) {
        if let (Some(lock), false) = (&self.shared, self.held) {
            lock.acquire();
            self.held = true;
        }
    }

    /// Releases the lock, so that the next thread can acquire it.
    #[inline]
    pub(crate) fn release(&mut self) {
        if let (Some(lock), true) = (&self.shared, self.held) {
            lock.taken.store(false, Ordering::Release);
            self.held = false;
        }
    }
}

impl Drop for LockHandle {
    fn drop(&mut self) {
        self.release();
    }
}

impl RegisterLock {
    /// Waits until the lock is free, and takes it.
    fn acquire(&self) {
        let mut spins = 0;
        // The wait is bounded by the time that a block takes: the holder releases the lock at the
        // end of the block, or when its handle is dropped.
        while self.taken.swap(true, Ordering::Acquire) {
            while self.taken.load(Ordering::Relaxed) {
                spins += 1;
                if spins < SPINS {
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        }
    }
}
