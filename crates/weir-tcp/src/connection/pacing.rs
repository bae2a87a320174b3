//! When a segment may leave: pacing, and the limit on the host's own queue.

use super::Connection;
use crate::config::Pacing;
use crate::math::{bytes_in, mul_div};
use crate::pacer::rate_of_window;
use crate::{MILLISECOND, Nanos};

/// The number of segments at the start that Linux does not pace.
const UNPACED_SEGMENTS: u32 = 9;

/// Segments that leave together as a burst ([`burst`](crate::CongestionControl::burst)).
#[derive(Clone, Debug)]
pub(super) struct Burst {
    /// The number of bytes of payload that may follow in the current burst.
    bytes_left: u32,
    /// Whether the current segment is not the first one of the burst.
    continues: bool,
    /// The time at which the burst began, and the time at which it leaves.
    began_at: Nanos,
    departure: Nanos,
    /// Number of segments that are not paced.
    unpaced: u32,
}

impl Default for Burst {
    fn default() -> Self {
        Burst { bytes_left: 0, continues: false, began_at: 0, departure: 0, unpaced: UNPACED_SEGMENTS }
    }
}

impl Connection {
    /// Returns the bytes of headers in a data segment.
    fn headers(&self) -> u32 {
        u32::from(self.config.ip_header) + 20 + if self.agreed.timestamps { 12 } else { 0 }
    }

    /// Returns the pacing rate in bits of IP packets per second, if segments are paced. A
    /// congestion control counts payload; its rate is converted to that of the packets that carry
    /// it in full segments.
    pub(super) fn pacing_rate(&self) -> Option<u64> {
        let controller = self.controller.pacing_rate();
        let (payload, asked) = match self.config.pacing {
            Pacing::Controller => (controller, None),
            Pacing::Rate(rate) => (controller, Some(rate)),
            Pacing::Always => {
                let of_window = || {
                    let threshold = self.controller.slow_start_threshold();
                    rate_of_window(self.controller.window(), threshold, self.rtt.smoothed)
                };
                (controller.or_else(of_window), None)
            }
        };
        let mss = u64::from(self.mss);
        let own_rate = payload.map(|rate| mul_div(rate, mss + u64::from(self.headers()), mss));
        own_rate.into_iter().chain(asked).min().map(|rate| rate.max(1))
    }

    /// Returns the size of a burst in bytes of payload; 0 if segments leave one by one, as they do
    /// at a rate that the application has chosen.
    fn burst_size(&self) -> u64 {
        match self.config.pacing {
            Pacing::Rate(_) => 0,
            Pacing::Controller | Pacing::Always => self.controller.burst().unwrap_or(0),
        }
    }

    /// Returns whether the segment that has just been sent is the last one of several that leave
    /// together.
    pub(super) fn ends_burst(&self, now: Nanos) -> bool {
        if self.burst.began_at != now || !self.burst.continues {
            return false;
        }
        let window = self.cwnd().saturating_sub(self.pipe());
        let written = self.send.end().saturating_sub(self.nxt);
        let more = u64::from(self.burst.bytes_left).min(window).min(self.offered_bytes()).min(written);
        more < u64::from(self.mss)
    }

    /// Returns the time at which a segment with this payload may leave. `None` if the segment must
    /// wait for its time, or until other segments have left the host's own queue.
    pub(super) fn departure(&mut self, now: Nanos, payload: u32) -> Option<Nanos> {
        let rate = self.pacing_rate();
        if self.config.small_queue && self.queued > 0 {
            // At most two segments, or a millisecond at the pacing rate, may be in the host's
            // queue.
            let paced = rate.map_or(0, |rate| bytes_in(rate, MILLISECOND));
            let burst = self.burst_size().max(u64::from(self.mss));
            if self.queued + u64::from(payload) > paced.max(2 * (burst + burst / 16 + 60)) {
                self.waits_for_departure = true;
                return None;
            }
        }
        let Some(rate) = rate else { return Some(now) };
        let size = payload + self.headers();
        let burst = self.burst_size();
        if self.burst.bytes_left >= payload && self.burst.began_at == now {
            self.burst.bytes_left -= payload;
            self.burst.continues = true;
            self.pacer.sent_in_burst(self.burst.departure, size, rate, false);
            return Some(self.burst.departure);
        }
        let ready = self.pacer.next_departure();
        if ready > now.saturating_add(self.config.paced_ahead) {
            self.paced_until = Some(ready - self.config.paced_ahead);
            return None;
        }
        let departure = ready.max(now);
        self.burst.continues = false;
        if burst == 0 {
            self.pacer.sent(departure, size, rate);
        } else if self.burst.unpaced > 0 {
            self.burst.unpaced -= 1;
        } else {
            // At most half of the window leaves at once (tcp_cwnd_test).
            let half = (self.cwnd() / 2).max(u64::from(self.mss));
            self.burst.began_at = now;
            self.burst.departure = departure;
            self.burst.bytes_left = (burst.min(half).min(u64::from(u32::MAX)) as u32).saturating_sub(payload);
            self.pacer.sent_in_burst(departure, size, rate, true);
        }
        Some(departure)
    }
}
