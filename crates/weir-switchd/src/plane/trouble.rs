//! Errors of a port that stay: how often the log has them.

use weir_device::Nanos;
use weir_ports::PortError;

/// When an error that goes on is logged for the second time.
const FIRST: Nanos = 1_000_000_000;
/// The longest time between two lines about it.
const LONGEST: Nanos = 600_000_000_000;

/// Errors in one use of a port: sending, receiving, looking at its link.
#[derive(Default)]
pub struct Trouble {
    /// The last error.
    last: String,
    /// When it is logged again if it goes on.
    logged_again: Nanos,
    /// How long it is not logged then.
    interval: Nanos,
    /// How often it has come since it was logged.
    unlogged: u64,
}

impl Trouble {
    /// Logs an error if it is another one than before, or has gone on for long enough: for a second,
    /// then for twice as long each time, up to ten minutes.
    pub fn report(&mut self, switch: Option<&str>, now: Nanos, error: &PortError) {
        let error = error.to_string();
        if let Some(unlogged) = self.note(now, &error) {
            tracing::error!(switch, error, unlogged, "a port fails");
        }
    }

    /// Notes an error. Returns how often it has come without being logged if it should be logged.
    fn note(&mut self, now: Nanos, error: &str) -> Option<u64> {
        let is_other = self.last != error;
        if is_other || now > self.logged_again.saturating_add(self.interval) {
            *self = Self { last: error.to_owned(), logged_again: now, interval: FIRST, unlogged: 0 };
        } else if now < self.logged_again {
            self.unlogged += 1;
            return None;
        } else {
            self.interval = (self.interval * 2).min(LONGEST);
        }
        self.logged_again = now + self.interval;
        Some(std::mem::take(&mut self.unlogged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUARTER: Nanos = 250_000_000;

    #[test]
    fn an_error_that_goes_on_is_logged_less_and_less() {
        let mut trouble = Trouble::default();
        let (mut logged, mut errors) = (Vec::new(), 0);
        for look in 0..40_000 {
            if let Some(unlogged) = trouble.note(look * QUARTER, "s1-eth1: bind: no permission") {
                logged.push(look / 4);
                errors += unlogged + 1;
            }
        }
        // 10 000 seconds.
        assert_eq!(logged[..7], [0, 1, 3, 7, 15, 31, 63]);
        assert_eq!(logged[10..13], [1023, 1623, 2223]);
        assert!(logged.len() < 30, "{logged:?}");
        assert_eq!(errors, logged.last().unwrap() * 4 + 1, "each error is counted");
    }

    #[test]
    fn another_error_and_one_after_a_long_time_are_logged_at_once() {
        let mut trouble = Trouble::default();
        assert_eq!(trouble.note(0, "a"), Some(0));
        assert_eq!(trouble.note(QUARTER, "a"), None);
        assert_eq!(trouble.note(QUARTER, "b"), Some(0));
        assert_eq!(trouble.note(2 * QUARTER, "b"), None);
        assert_eq!(trouble.note(100 * FIRST, "b"), Some(0));
        assert_eq!(trouble.note(100 * FIRST + QUARTER, "b"), None);
    }
}
