//! The phases of congestion response, and how the window is reduced in recovery (RFC 6937).

/// Whether the sender is responding to congestion.
#[derive(Copy, Clone, Debug, Eq, PartialEq)]
pub(crate) enum Phase {
    /// There is no congestion.
    Open,
    /// Fast recovery, until everything before this position is acknowledged.
    Recovery(u64),
    /// Response to an ECN echo, until everything before this position is acknowledged.
    Marked(u64),
    /// Response to a retransmission time-out, until everything before this position is
    /// acknowledged.
    TimedOut(u64),
}

/// Proportional rate reduction with the slow start reduction bound (PRR-SSRB).
#[derive(Clone, Debug)]
pub(crate) struct Prr {
    threshold: u64,
    flight: u64,
    delivered: u64,
    out: u64,
    window: u64,
}

impl Prr {
    pub fn new(threshold: u64, flight: u64, pipe: u64) -> Self {
        Prr { threshold, flight: flight.max(1), delivered: 0, out: 0, window: pipe }
    }

    pub fn send_window(&self) -> u64 {
        self.window
    }

    pub fn on_ack(&mut self, delivered: u64, pipe: u64, mss: u64) {
        self.delivered += delivered;
        let allowed = if pipe > self.threshold {
            (self.delivered * self.threshold).div_ceil(self.flight).saturating_sub(self.out)
        } else {
            let limit = self.delivered.saturating_sub(self.out).max(delivered) + mss;
            (self.threshold - pipe).min(limit)
        };
        self.window = pipe + allowed;
    }

    pub fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of RFC 6937 section 3.1: the first of 20 segments is lost and the window
    /// is halved, so one segment is sent for every two that arrive.
    #[test]
    fn half_as_much_leaves_as_arrives() {
        let mut prr = Prr::new(10, 20, 19);
        let (mut pipe, mut out) = (17_u64, 0_u64);
        for _ in 0..16 {
            prr.on_ack(1, pipe, 1);
            while pipe < prr.send_window() {
                prr.on_sent(1);
                pipe += 1;
                out += 1;
            }
            pipe -= 1;
        }
        assert!((8..=9).contains(&out), "{out}");
        assert!(pipe.abs_diff(10) <= 1, "{pipe}");
    }
}
