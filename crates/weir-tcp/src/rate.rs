//! Delivery rates: draft-cheng-iccrg-delivery-rate-estimation-00.
//!
//! Each segment records when it was sent and how much had been delivered by then. When the segment
//! is delivered, the sample is the amount that was delivered in the meantime, divided by the longer
//! of two durations: the time between sends and the time between deliveries. So neither spaced
//! sending nor compressed ACKs make the path look faster than it is.

use crate::Nanos;
use crate::math::rate_of;

/// The record of a segment that is sent or retransmitted.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct SendStamp {
    sent: Nanos,
    /// The sending time of the segment that had been delivered last at the time `sent`.
    first_sent: Nanos,
    delivered: u64,
    delivered_at: Nanos,
    app_limited: bool,
}

impl SendStamp {
    /// Returns the sending time of the segment.
    pub(crate) fn sent(&self) -> Nanos {
        self.sent
    }
}

/// A sample of the delivery rate over about one round trip.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RateSample {
    /// The rate in bits of payload per second.
    pub bits_per_second: u64,
    /// The number of bytes delivered over `interval`.
    pub delivered: u64,
    /// The number of bytes delivered since the start of the connection when the sampled segment was
    /// sent. At the end of the sample, this number is `prior_delivered + delivered`.
    pub prior_delivered: u64,
    /// The duration of the sample: the longer of the durations between sending times and between
    /// ACKs.
    pub interval: Nanos,
    /// Whether the sender ran out of data during the sample, so that the path may be faster.
    pub app_limited: bool,
}

/// The delivery count of a connection.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    delivered: u64,
    delivered_at: Nanos,
    first_sent: Nanos,
    /// If this is not 0, samples of segments that are sent before this many bytes are delivered are
    /// limited by the application.
    app_limited: u64,
    /// The stamp of the most recently sent segment among those delivered since the last sample.
    newest: Option<SendStamp>,
}

impl Delivery {
    /// Returns the count of a connection that has not delivered anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes that a data segment is sent or retransmitted. `in_flight` is the number of bytes that
    /// were in flight before this segment.
    pub fn on_send(&mut self, now: Nanos, in_flight: u64) -> SendStamp {
        if in_flight == 0 {
            // A pause is not part of a sample.
            self.first_sent = now;
            self.delivered_at = now;
        }
        SendStamp {
            sent: now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.app_limited != 0,
        }
    }

    /// Notes that the bytes of a segment have arrived, by a cumulative or selective
    /// acknowledgement. The caller calls this function once for each segment.
    pub fn on_delivered(&mut self, now: Nanos, stamp: &SendStamp, bytes: u32) {
        self.delivered = self.delivered.saturating_add(u64::from(bytes));
        self.delivered_at = now;
        if self.newest.is_none_or(|newest| (stamp.delivered, stamp.sent) >= (newest.delivered, newest.sent)) {
            self.newest = Some(*stamp);
            self.first_sent = stamp.sent;
        }
    }

    /// Returns the sample of an ACK. The caller calls this function once for each ACK, after the
    /// ACK's calls of [`on_delivered`](Self::on_delivered). `None` if the ACK delivered nothing, or
    /// if the sample is shorter than `min_rtt` (0 if unknown), as with a retransmitted segment
    /// whose first transmission arrived.
    pub fn take_sample(&mut self, now: Nanos, min_rtt: Nanos) -> Option<RateSample> {
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let stamp = self.newest.take()?;
        let sending = stamp.sent.saturating_sub(stamp.first_sent);
        let interval = sending.max(now.saturating_sub(stamp.delivered_at));
        if interval == 0 || interval < min_rtt {
            return None;
        }
        let delivered = self.delivered - stamp.delivered.min(self.delivered);
        Some(RateSample {
            bits_per_second: rate_of(delivered, interval),
            delivered,
            prior_delivered: stamp.delivered,
            interval,
            app_limited: stamp.app_limited,
        })
    }

    /// Notes that the application has nothing to send although the windows have room (section 3.4
    /// of the draft): samples are limited by the application until all of `in_flight` is delivered.
    pub fn app_limited(&mut self, in_flight: u64) {
        self.app_limited = self.delivered.saturating_add(in_flight).max(1);
    }

    /// Returns whether samples of segments sent now are limited by the application.
    pub fn is_app_limited(&self) -> bool {
        self.app_limited != 0
    }

    /// Returns the number of bytes delivered since the start.
    pub fn delivered_bytes(&self) -> u64 {
        self.delivered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    #[test]
    fn a_window_a_round_trip() {
        let mut delivery = Delivery::new();
        let mut flight: Vec<_> = (0..10).map(|i| delivery.on_send(i * MS, i * 1000)).collect();
        // Each delivery, after 20 ms, lets the next segment leave: 10 segments every 20 ms, except
        // in the pause after the first ten.
        for round_trip in 1..=3 {
            for i in 0..10 {
                let now = (20 * round_trip + i) * MS;
                delivery.on_delivered(now, &flight[i as usize], 1000);
                let sample = delivery.take_sample(now, 20 * MS).unwrap();
                flight[i as usize] = delivery.on_send(now, 9000);
                if round_trip == 1 {
                    assert_eq!((sample.prior_delivered, sample.delivered), (0, (i + 1) * 1000));
                } else {
                    assert_eq!((sample.delivered, sample.interval), (10_000, 20 * MS));
                    assert_eq!(sample.bits_per_second, 4_000_000);
                    assert_eq!(sample.prior_delivered + sample.delivered, delivery.delivered_bytes());
                }
            }
        }
    }

    #[test]
    fn acks_that_arrive_at_once_do_not_look_fast() {
        let mut delivery = Delivery::new();
        let stamps: Vec<_> = (0..10).map(|i| delivery.on_send(i * MS, i * 1000)).collect();
        // All ACKs arrive at once, 1 ms after the last segment was sent.
        for stamp in &stamps {
            delivery.on_delivered(10 * MS, stamp, 1000);
        }
        let sample = delivery.take_sample(10 * MS, 0).unwrap();
        assert_eq!(sample.interval, 10 * MS);
        assert_eq!(sample.bits_per_second, 8_000_000);
    }

    #[test]
    fn compressed_acks_do_not_count() {
        let mut delivery = Delivery::new();
        let first = delivery.on_send(0, 0);
        let second = delivery.on_send(10 * MS, 1000);
        delivery.on_delivered(20 * MS, &first, 1000);
        delivery.take_sample(20 * MS, 0);
        let third = delivery.on_send(21 * MS, 1000);
        delivery.on_delivered(30 * MS, &second, 1000);
        delivery.on_delivered(30 * MS, &third, 1000);
        // The ACKs arrive within 10 ms, but the segments were sent from 0 to 21 ms.
        let sample = delivery.take_sample(30 * MS, 0).unwrap();
        assert_eq!((sample.delivered, sample.interval), (2000, 21 * MS));
    }

    #[test]
    fn samples_shorter_than_a_round_trip_are_left_out() {
        let mut delivery = Delivery::new();
        let stamp = delivery.on_send(0, 0);
        delivery.on_delivered(MS, &stamp, 1000);
        assert_eq!(delivery.take_sample(MS, 2 * MS), None);
        assert_eq!(delivery.take_sample(MS, 0), None, "each delivery is sampled once");
        assert_eq!(delivery.delivered_bytes(), 1000);
    }

    #[test]
    fn app_limited_samples_last_a_flight() {
        let mut delivery = Delivery::new();
        let first = delivery.on_send(0, 0);
        delivery.app_limited(1000);
        let second = delivery.on_send(0, 1000);
        delivery.on_delivered(MS, &first, 1000);
        assert!(!delivery.take_sample(MS, 0).unwrap().app_limited);
        delivery.on_delivered(2 * MS, &second, 1000);
        assert!(delivery.take_sample(2 * MS, 0).unwrap().app_limited);
        let third = delivery.on_send(2 * MS, 0);
        delivery.on_delivered(3 * MS, &third, 1000);
        assert!(!delivery.take_sample(3 * MS, 0).unwrap().app_limited);
    }

    #[test]
    fn a_pause_is_not_sampled() {
        let mut delivery = Delivery::new();
        let stamp = delivery.on_send(0, 0);
        delivery.on_delivered(MS, &stamp, 1000);
        delivery.take_sample(MS, 0);
        let stamp = delivery.on_send(500 * MS, 0);
        delivery.on_delivered(501 * MS, &stamp, 1000);
        assert_eq!(delivery.take_sample(501 * MS, 0).unwrap().interval, MS);
    }
}
