//! When a segment may leave: its rate, and how much may wait in the host's own queue.

use super::Connection;
use crate::config::Pacing;
use crate::math::{bytes_in, mul_div};
use crate::pacer::rate_of_window;
use crate::{MILLISECOND, Nanos};

impl Connection {
    /// What headers add to the payload of a segment of data, bytes.
    fn headers(&self) -> u32 {
        u32::from(self.config.ip_header) + 20 + if self.agreed.timestamps { 12 } else { 0 }
    }

    /// Bits of IP packets per second at which segments are spaced, if they are. A controller counts payload: its rate is that
    /// of the packets which carry so much in full segments.
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
        let own = payload.map(|rate| mul_div(rate, mss + u64::from(self.headers()), mss));
        own.into_iter().chain(asked).min().map(|rate| rate.max(1))
    }

    /// When a segment with so much payload is to leave; `None`: it waits, here or for others to leave the host's own queue.
    pub(super) fn departure(&mut self, now: Nanos, payload: u32) -> Option<Nanos> {
        let rate = self.pacing_rate();
        if self.config.small_queue && self.queued > 0 {
            // At most two segments or a millisecond of the paced rate wait there.
            let paced = rate.map_or(0, |rate| bytes_in(rate, MILLISECOND));
            if self.queued + u64::from(payload) > paced.max(2 * (u64::from(self.mss) + 60)) {
                self.held = true;
                return None;
            }
        }
        let Some(rate) = rate else { return Some(now) };
        let ready = self.pacer.ready();
        if ready > now.saturating_add(self.config.paced_ahead) {
            self.paced_until = Some(ready - self.config.paced_ahead);
            return None;
        }
        let departure = ready.max(now);
        self.pacer.sent(departure, payload + self.headers(), rate);
        Some(departure)
    }
}
