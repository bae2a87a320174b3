//! The register lock. With it, packets on several threads use registers one packet at a time if the
//! program reads and writes the registers.
//!
//! P4 lets a program read a register, compute, and write it back; no other packet may use the
//! register in between. So a thread acquires the lock when its packet first touches such a
//! register, and releases it at the end of the block (or of the blocks that run as one pipeline).
//! All that a packet does with such registers in a block is then one step for other packets, in the
//! order in which they acquired the lock. A switch has one lock, so no deadlock is possible. See
//! `docs/decisions/0010-threads.md`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often a thread checks whether the lock is free before it yields the processor.
const SPINS: u32 = 128;

/// The lock that all threads of a switch share.
#[derive(Debug, Default)]
pub(crate) struct RegisterLock {
    taken: AtomicBool,
}

/// One thread's handle of the lock. Without other threads, it never acquires anything.
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

    /// Waits for the lock, unless it is held already.
    #[inline]
    pub(crate) fn acquire(&mut self) {
        if let (Some(lock), false) = (&self.shared, self.held) {
            lock.wait();
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
    fn wait(&self) {
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
