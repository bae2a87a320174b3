//! One packet at a time, where packets on several threads read what others write.
//!
//! P4 lets a program read a register, compute, and write it back; nobody else may come in between. So a thread takes its turn when its packet first
//! touches such a register, and gives it back at the end of the block (or of the blocks that run as one pipeline). All that a packet
//! does with such state in a block is then one step for the others, in the order in which they took their turns. There is one turn for a
//! switch: with one nobody can wait for two others who wait for each other. See `docs/decisions/0010-threads.md`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often a thread looks whether the turn is free before it lets others run in its place.
const LOOKS: u32 = 128;

/// Whose turn it is, for all threads of a switch.
#[derive(Debug, Default)]
pub(crate) struct Turnstile {
    taken: AtomicBool,
}

/// One thread's side. Without others, nothing is ever taken.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    shared: Option<Arc<Turnstile>>,
    held: bool,
}

impl Turn {
    /// From now on others have turns too, or none have.
    pub(crate) fn share(&mut self, with: Option<Arc<Turnstile>>) {
        self.end();
        self.shared = with;
    }

    /// Waits for its turn, unless it has it.
    #[inline]
    pub(crate) fn take(&mut self) {
        if let (Some(turnstile), false) = (&self.shared, self.held) {
            turnstile.enter();
            self.held = true;
        }
    }

    /// Lets the next one have it.
    #[inline]
    pub(crate) fn end(&mut self) {
        if let (Some(turnstile), true) = (&self.shared, self.held) {
            turnstile.taken.store(false, Ordering::Release);
            self.held = false;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.end();
    }
}

impl Turnstile {
    fn enter(&self) {
        let mut looks = 0;
        // Bounded by the time that a block takes: whoever has the turn gives it back at its end, or when it is dropped.
        while self.taken.swap(true, Ordering::Acquire) {
            while self.taken.load(Ordering::Relaxed) {
                looks += 1;
                if looks < LOOKS {
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
        }
    }
}
