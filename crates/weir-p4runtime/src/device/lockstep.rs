//! Counts the messages that controllers have not handled yet. An owner whose clock can be paused
//! waits for the answers, so that a controller in another process acts at the time of the message.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Device;

/// The interval at which a waiting owner checks whether any controller is left.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Counts unanswered messages.
#[derive(Debug, Default)]
pub(super) struct Lockstep {
    unanswered: Mutex<u64>,
    changed: Condvar,
}

impl Lockstep {
    /// Sends a message with `send`, which returns the number of controllers that received it.
    /// Meanwhile, [`Lockstep::record_answer`] waits, so that no answer is counted before its
    /// message.
    pub fn sending(&self, send: impl FnOnce() -> usize) -> usize {
        let mut unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = send();
        *unanswered += sent as u64;
        sent
    }

    /// Records that a controller has handled a message.
    pub fn record_answer(&self) {
        let mut unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        *unanswered = unanswered.saturating_sub(1);
        self.changed.notify_all();
    }
}

impl Device {
    /// Waits until controllers have handled all messages, or no controller is left. Returns whether
    /// that happened before the timeout.
    pub fn wait_until_answered(&self, timeout: Duration) -> bool {
        let end = Instant::now() + timeout;
        let mut unanswered = self.lockstep.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        while *unanswered > 0 {
            if !self.sessions().clients().iter().any(|client| client.is_primary) {
                *unanswered = 0;
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                *unanswered = 0;
                return false;
            }
            let waited = self.lockstep.changed.wait_timeout(unanswered, left.min(CHECK_INTERVAL));
            unanswered = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}
