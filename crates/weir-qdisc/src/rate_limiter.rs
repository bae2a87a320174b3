//! A server that handles a fixed number of units per second, without drift.

use weir_device::Nanos;

/// A second in nanoseconds.
const SECOND: u128 = 1_000_000_000;

/// The time at which a server with a fixed rate is free again. The time is exact: whole nanoseconds
/// and a fraction whose denominator is the rate.
#[derive(Clone, Debug)]
pub struct RateLimiter {
    /// The rate in units per second.
    rate: u64,
    /// The whole nanoseconds of the time at which the server is free.
    free: Nanos,
    /// The remainder of that time: `fraction / rate` nanoseconds.
    fraction: u64,
}

impl RateLimiter {
    /// Creates a server that is free from time 0 on. A rate of 0 counts as 1.
    pub fn new(rate: u64) -> Self {
        Self { rate: rate.max(1), free: 0, fraction: 0 }
    }

    /// Changes the rate from now on; the work in progress ends at the same time as before.
    #[inline]
    pub fn set_rate(&mut self, rate: u64) {
        if self.rate != rate.max(1) {
            (self.free, self.fraction) = (self.ready(), 0);
            self.rate = rate.max(1);
        }
    }

    /// Returns the first whole nanosecond at which the server is free.
    #[inline]
    pub fn ready(&self) -> Nanos {
        self.free.saturating_add(u64::from(self.fraction > 0))
    }

    /// Occupies the server for `units` of work, from `now` or from the end of the work in progress,
    /// whichever is later. If the server is busy, new work begins at the exact end of the earlier
    /// work, so that the rate is exact.
    #[inline]
    pub fn occupy(&mut self, now: Nanos, units: u64) {
        if now > self.ready() {
            (self.free, self.fraction) = (now, 0);
        }
        // The numbers nearly always fit in 64 bits, whose division is faster.
        let total = units.checked_mul(SECOND as u64).and_then(|work| work.checked_add(self.fraction));
        if let Some(total) = total {
            self.free = self.free.saturating_add(total / self.rate);
            self.fraction = total % self.rate;
            return;
        }
        let rate = u128::from(self.rate);
        let total = u128::from(units) * SECOND + u128::from(self.fraction);
        self.free = self.free.saturating_add(u64::try_from(total / rate).unwrap_or(u64::MAX));
        self.fraction = (total % rate) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_limiter_keeps_its_exact_rate() {
        let mut limiter = RateLimiter::new(3);
        for _ in 0..3_000_000 {
            let start = limiter.ready();
            limiter.occupy(start, 1);
        }
        assert_eq!(limiter.ready(), 1_000_000 * 1_000_000_000);
    }

    #[test]
    fn an_idle_server_starts_at_once() {
        let mut limiter = RateLimiter::new(3);
        limiter.occupy(0, 1);
        assert_eq!(limiter.ready(), 333_333_334);
        limiter.occupy(500_000_000, 3);
        assert_eq!(limiter.ready(), 1_500_000_000);
    }

    #[test]
    fn a_new_rate_applies_from_the_next_unit_on() {
        let mut limiter = RateLimiter::new(3);
        limiter.occupy(0, 1);
        limiter.set_rate(1_000);
        assert_eq!(limiter.ready(), 333_333_334);
        limiter.occupy(333_333_334, 1);
        assert_eq!(limiter.ready(), 334_333_334);
    }

    #[test]
    fn very_high_rates_batch_passes() {
        let mut limiter = RateLimiter::new(4_000_000_000);
        for _ in 0..4 {
            let start = limiter.ready();
            limiter.occupy(start, 1);
        }
        assert_eq!(limiter.ready(), 1);
    }

    #[test]
    fn the_end_of_time_does_not_overflow() {
        let mut limiter = RateLimiter::new(1);
        limiter.occupy(u64::MAX - 1, u64::MAX);
        assert_eq!(limiter.ready(), u64::MAX);
    }
}
