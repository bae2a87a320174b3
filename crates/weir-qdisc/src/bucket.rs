//! Exact token buckets: a token is 10^-9 bit, so a rate of 1 bit/s adds one token per nanosecond.

use weir_device::Nanos;

const TOKENS_PER_BYTE: i128 = 8 * 1_000_000_000;
/// A bucket's debt is at most the tokens that its rate adds in this time, as in Linux. Otherwise,
/// classes of overcommitted parents would never recover.
const LONGEST_DEBT: Nanos = 60_000_000_000;

/// A token bucket, whose tokens are counted exactly.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    /// The rate in bits per second, above 0.
    rate: u64,
    depth: i128,
    /// The tokens in the bucket; negative if more tokens were taken than available.
    tokens: i128,
    updated: Nanos,
}

impl Bucket {
    /// Creates a full bucket.
    pub(super) fn new(rate: u64, burst: u64) -> Self {
        let depth = i128::from(burst) * TOKENS_PER_BYTE;
        Bucket { rate, depth, tokens: depth, updated: 0 }
    }

    /// Receives the tokens of the bucket that this bucket replaces, up to this bucket's size.
    pub(super) fn take_tokens_of(&mut self, other: &Bucket) {
        self.tokens = other.tokens.min(self.depth);
        self.updated = other.updated;
    }

    /// Adds the tokens for the time since the last update.
    #[inline]
    pub(super) fn refill(&mut self, now: Nanos) {
        let gained = i128::from(now.saturating_sub(self.updated)) * i128::from(self.rate);
        let tokens = self.tokens + gained;
        // Waits end at whole nanoseconds. The tokens of the last fraction of a nanosecond are kept,
        // even if the bucket is full.
        let filled_just_now = tokens - self.depth < i128::from(self.rate);
        self.tokens = if filled_just_now { tokens } else { self.depth };
        self.updated = self.updated.max(now);
    }

    /// Returns the tokens in the bucket, as the nanoseconds in which its rate adds them; negative
    /// in debt.
    #[inline]
    pub(super) fn contents(&self) -> i64 {
        let nanos = self.tokens / i128::from(self.rate);
        nanos.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    #[inline]
    pub(super) fn take_tokens(&mut self, bytes: u32) {
        let floor = -(i128::from(self.rate) * i128::from(LONGEST_DEBT));
        self.tokens = (self.tokens - i128::from(bytes) * TOKENS_PER_BYTE).max(floor);
    }

    /// Returns the earliest time at which the bucket, refilled up to now, has tokens for this many
    /// bytes if none are taken until then. With 0 bytes, returns the time at which the bucket is no
    /// longer in debt.
    #[inline]
    pub(super) fn ready_at(&self, now: Nanos, bytes: u32) -> Nanos {
        let missing = i128::from(bytes) * TOKENS_PER_BYTE - self.tokens;
        if missing <= 0 {
            return now;
        }
        let wait = (missing as u128).div_ceil(u128::from(self.rate));
        now.saturating_add(Nanos::try_from(wait).unwrap_or(Nanos::MAX / 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_at_their_rate_up_to_the_depth() {
        // 8 Mbit/s: one byte per microsecond.
        let mut bucket = Bucket::new(8_000_000, 1500);
        assert_eq!(bucket.ready_at(0, 1500), 0);
        bucket.take_tokens(1500);
        assert_eq!((bucket.ready_at(0, 100), bucket.ready_at(0, 0)), (100_000, 0));
        bucket.refill(50_000);
        assert_eq!(bucket.ready_at(50_000, 100), 100_000);
        bucket.refill(10_000_000_000);
        assert_eq!(bucket.ready_at(10_000_000_000, 1500), 10_000_000_000);
        assert_eq!(bucket.ready_at(10_000_000_000, 1501), 10_000_001_000);
    }

    #[test]
    fn small_buckets_keep_their_rate() {
        // 10 Gbit/s: 64 bytes take 51.2 ns.
        let mut bucket = Bucket::new(10_000_000_000, 64);
        bucket.take_tokens(64);
        let mut now = 0;
        for n in 1..1000u64 {
            now = bucket.ready_at(now, 64);
            bucket.refill(now);
            bucket.take_tokens(64);
            assert_eq!(now, (512 * n).div_ceil(10));
        }
    }

    #[test]
    fn debts_are_paid_but_not_for_ever() {
        let mut bucket = Bucket::new(1000, 1);
        bucket.take_tokens(u32::MAX);
        assert_eq!(bucket.ready_at(0, 0), LONGEST_DEBT);
    }

    #[test]
    fn waits_round_up_once() {
        // 3 Gbit/s: a byte takes 8/3 ns.
        let mut bucket = Bucket::new(3_000_000_000, 2);
        bucket.take_tokens(2);
        let mut now = 0;
        for n in 1..1000u64 {
            now = bucket.ready_at(now, 1);
            bucket.refill(now);
            bucket.take_tokens(1);
            assert_eq!(now, (8 * n).div_ceil(3));
        }
    }
}
