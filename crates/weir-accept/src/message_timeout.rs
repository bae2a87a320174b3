//! How long a service waits for the remaining bytes of a message that a peer has begun to send.

use std::time::Duration;

/// The maximum time without a byte from the peer.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The time that each byte adds: a peer that sends 1000 bytes per second never times out.
const TIME_PER_BYTE: Duration = Duration::from_millis(1);

/// The remaining time for a message. Each byte that arrives adds to this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageTimeout(Duration);

impl Default for MessageTimeout {
    fn default() -> Self {
        Self(MAX_PAUSE)
    }
}

impl MessageTimeout {
    /// Returns how long to wait for more bytes.
    pub fn remaining(self) -> Duration {
        self.0
    }

    /// Subtracts the time that passed until `bytes` bytes arrived, and adds the time for these
    /// bytes.
    pub fn arrived(&mut self, waited: Duration, bytes: usize) {
        let more = TIME_PER_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.0 = self.0.saturating_sub(waited).saturating_add(more).min(MAX_PAUSE);
    }
}

impl std::fmt::Display for MessageTimeout {
    /// Writes how long a peer may take, for the error of a peer that was slower: `30 s, and 1 ms
    /// more for each byte`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} s, and {} ms more for each byte", MAX_PAUSE.as_secs(), TIME_PER_BYTE.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_bytes_run_out_of_time() {
        let mut message_timeout = MessageTimeout::default();
        let mut seconds = 0;
        while message_timeout.remaining() >= Duration::from_secs(1) {
            message_timeout.arrived(Duration::from_secs(1), 10);
            seconds += 1;
        }
        assert_eq!(seconds, 30);
    }

    #[test]
    fn steady_bytes_do_not() {
        let mut message_timeout = MessageTimeout::default();
        for _ in 0..10_000 {
            message_timeout.arrived(Duration::from_secs(1), 1000);
        }
        assert_eq!(message_timeout, MessageTimeout::default());
        // Many bytes do not save time for later.
        message_timeout.arrived(Duration::ZERO, usize::MAX);
        assert_eq!(message_timeout.remaining(), Duration::from_secs(30));
    }
}
