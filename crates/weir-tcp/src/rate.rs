//! How fast data arrives at the other end (draft-cheng-iccrg-delivery-rate-estimation-00).

use crate::congestion::RateSample;
use crate::{Nanos, SECOND};

/// What is noted with a segment when it leaves.
#[derive(Copy, Clone, Debug, Default, Eq, PartialEq)]
pub struct SendStamp {
    delivered: u64,
    delivered_time: Nanos,
    first_sent: Nanos,
    sent: Nanos,
    app_limited: bool,
}

/// The running count of delivered bytes and the sample being made.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    delivered: u64,
    delivered_time: Nanos,
    first_sent: Nanos,
    /// Until so many bytes are delivered, samples are limited by the application.
    limited_until: u64,
    newest: Option<SendStamp>,
}

impl Delivery {
    /// The stamp of a segment that leaves now while `in_flight` bytes are outstanding.
    pub fn on_send(&mut self, now: Nanos, in_flight: u64) -> SendStamp {
        if in_flight == 0 {
            self.first_sent = now;
            self.delivered_time = now;
        }
        SendStamp {
            delivered: self.delivered,
            delivered_time: self.delivered_time,
            first_sent: self.first_sent,
            sent: now,
            app_limited: self.delivered < self.limited_until,
        }
    }

    /// A segment with this stamp turned out to have arrived.
    pub fn on_delivered(&mut self, now: Nanos, stamp: &SendStamp, bytes: u32) {
        self.delivered += u64::from(bytes);
        self.delivered_time = now;
        if self.newest.is_none_or(|newest| (stamp.delivered, stamp.sent) >= (newest.delivered, newest.sent)) {
            self.newest = Some(*stamp);
            self.first_sent = stamp.sent;
        }
    }

    /// The sample of the acknowledgement whose segments were all reported. `None` where the interval is shorter than a round
    /// trip can be.
    pub fn take_sample(&mut self, now: Nanos, min_rtt: Nanos) -> Option<RateSample> {
        let stamp = self.newest.take()?;
        let sending = stamp.sent - stamp.first_sent;
        let arriving = now - stamp.delivered_time;
        let interval = sending.max(arriving);
        if interval == 0 || interval < min_rtt {
            return None;
        }
        let delivered = self.delivered - stamp.delivered;
        Some(RateSample {
            bits_per_second: (u128::from(delivered) * 8 * u128::from(SECOND) / u128::from(interval)) as u64,
            delivered,
            prior_delivered: stamp.delivered,
            interval,
            app_limited: stamp.app_limited,
        })
    }

    /// The application has nothing to send while the window has room.
    pub fn app_limited(&mut self, in_flight: u64) {
        self.limited_until = self.delivered + in_flight.max(1);
    }

    /// All bytes delivered.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }
}
