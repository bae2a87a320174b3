//! Limits how often continuing errors of a port are logged.

use weir_device::Nanos;

/// The time after which a continuing error is logged for the second time.
const FIRST_INTERVAL: Nanos = 1_000_000_000;
/// The longest time between two log lines about an error.
const MAX_INTERVAL: Nanos = 600_000_000_000;
/// The time for which an error must be absent before its return counts as a new error.
const FORGET_AFTER: Nanos = 60_000_000_000;
/// The number of errors that are distinguished; further errors share the log lines of the last one.
const MAX_ERRORS: usize = 8;

/// Errors in one use of a port (sending, receiving, looking at its link), and how often its owner
/// should log them.
#[derive(Debug, Default)]
pub struct ErrorLog {
    /// The recent errors.
    errors: Vec<OngoingError>,
}

/// An error that may continue.
#[derive(Debug)]
struct OngoingError {
    text: String,
    /// The time at which the error is logged again if it continues.
    logged_again: Nanos,
    /// The time for which the error is not logged after that time.
    interval: Nanos,
    /// The number of times that the error has occurred since it was logged.
    unlogged: u64,
}

impl ErrorLog {
    /// Records an error. If the error should be logged, returns how often it has occurred since it
    /// was last logged. An error should be logged when it first occurs and, if it continues, after
    /// a second, and then after intervals that double up to ten minutes. Up to eight alternating
    /// errors are distinguished.
    pub fn should_log(&mut self, now: Nanos, error: &str) -> Option<u64> {
        self.errors
            .retain(|known| now <= known.logged_again.saturating_add(known.interval.max(FORGET_AFTER)));
        let place = self.errors.iter().position(|known| known.text == error);
        if place.is_none() && self.errors.len() < MAX_ERRORS {
            let (text, logged_again) = (error.to_owned(), now.saturating_add(FIRST_INTERVAL));
            self.errors.push(OngoingError { text, logged_again, interval: FIRST_INTERVAL, unlogged: 0 });
            return Some(0);
        }
        let known = &mut self.errors[place.unwrap_or(MAX_ERRORS - 1)];
        if now < known.logged_again {
            known.unlogged += 1;
            return None;
        }
        known.interval = (known.interval * 2).min(MAX_INTERVAL);
        known.logged_again = now.saturating_add(known.interval);
        Some(std::mem::take(&mut known.unlogged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUARTER: Nanos = 250_000_000;

    #[test]
    fn a_continuing_error_is_logged_less_and_less() {
        let mut trouble = ErrorLog::default();
        let (mut logged, mut errors) = (Vec::new(), 0);
        for look in 0..40_000 {
            if let Some(unlogged) = trouble.should_log(look * QUARTER, "s1-eth1: bind: no permission") {
                logged.push(look / 4);
                errors += unlogged + 1;
            }
        }
        // Here the error continues for 10 000 seconds.
        assert_eq!(logged[..7], [0, 1, 3, 7, 15, 31, 63]);
        assert_eq!(logged[10..13], [1023, 1623, 2223]);
        assert!(logged.len() < 30, "{logged:?}");
        assert_eq!(errors, logged.last().unwrap() * 4 + 1, "each error is counted");
    }

    #[test]
    fn another_error_and_a_returning_error_are_logged_at_once() {
        let mut trouble = ErrorLog::default();
        assert_eq!(trouble.should_log(0, "a"), Some(0));
        assert_eq!(trouble.should_log(QUARTER, "a"), None);
        assert_eq!(trouble.should_log(QUARTER, "b"), Some(0));
        assert_eq!(trouble.should_log(2 * QUARTER, "b"), None);
        assert_eq!(trouble.should_log(100 * FIRST_INTERVAL, "b"), Some(0));
        assert_eq!(trouble.should_log(100 * FIRST_INTERVAL + QUARTER, "b"), None);
    }

    #[test]
    fn alternating_errors_are_logged_less_and_less() {
        for kinds in [2, 100] {
            let mut trouble = ErrorLog::default();
            let lines = (0..4000).filter(|look| {
                let error = format!("s1-eth1: error {}", look % kinds);
                trouble.should_log(look * QUARTER, &error).is_some()
            });
            let lines = lines.count();
            assert!(lines < 100, "{lines} lines in 1000 seconds about {kinds} errors");
        }
    }
}
