//! How long a service waits for the remaining bytes of a message that a peer has begun to send.

use std::time::Duration;

/// The maximum time without a byte from the peer.
const MOST: Duration = Duration::from_secs(30);
/// The time that each byte adds: a peer that sends 1000 bytes per second never times out.
const FOR_A_BYTE: Duration = Duration::from_millis(1);

/// The remaining time for a message. Each byte that arrives adds to this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience(Duration);

impl Default for Patience {
    fn default() -> Self {
        Self(MOST)
    }
}

impl Patience {
    /// Returns how long to wait for more bytes.
    pub fn left(self) -> Duration {
        self.0
    }

    /// Subtracts the time that passed until `bytes` bytes arrived, and adds the time for these
    /// bytes.
    pub fn arrived(&mut self, waited: Duration, bytes: usize) {
        let more = FOR_A_BYTE.saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX));
        self.0 = self.0.saturating_sub(waited).saturating_add(more).min(MOST);
    }
}

impl std::fmt::Display for Patience {
    /// Writes how long a peer may take, for the error of a peer that was slower: `30 s, and 1 ms
    /// more for each byte`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} s, and {} ms more for each byte", MOST.as_secs(), FOR_A_BYTE.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_bytes_run_out_of_time() {
        let mut patience = Patience::default();
        let mut seconds = 0;
        while patience.left() >= Duration::from_secs(1) {
            patience.arrived(Duration::from_secs(1), 10);
            seconds += 1;
        }
        assert_eq!(seconds, 30);
    }

    #[test]
    fn steady_bytes_do_not() {
        let mut patience = Patience::default();
        for _ in 0..10_000 {
            patience.arrived(Duration::from_secs(1), 1000);
        }
        assert_eq!(patience, Patience::default());
        // Many bytes do not save time for later.
        patience.arrived(Duration::ZERO, usize::MAX);
        assert_eq!(patience.left(), Duration::from_secs(30));
    }
}
