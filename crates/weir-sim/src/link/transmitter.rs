//! One direction of a link.

use std::collections::VecDeque;

use weir_switch::{Nanos, Packet};

use super::{DirectionCounters, LinkConfig};
use crate::Random;

/// Nanobits a second: bytes · 8 / (bit/s) in nanoseconds is bytes · `NANOBITS_PER_BYTE` / rate.
const NANOBITS_PER_BYTE: u128 = 8 * 1_000_000_000;

/// How long a frame takes, rounded up to nanoseconds, when the frame before it ended `credit`/`rate` nanoseconds before the nanosecond
/// at which this one starts; and the credit it leaves itself.
pub(super) fn serialisation(bytes: usize, rate: u64, credit: u64) -> (Nanos, u64) {
    let rate = u128::from(rate);
    let (work, credit) = (bytes as u128 * NANOBITS_PER_BYTE, u128::from(credit));
    let Some(rest) = work.checked_sub(credit) else { return (0, (credit - work) as u64) };
    let time = rest.div_ceil(rate);
    (time.min(u128::from(Nanos::MAX / 4)) as Nanos, (time * rate - rest) as u64)
}

/// Why a frame that was sent does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DropReason {
    Loss,
    Down,
}

/// A frame whose sending begins.
pub(crate) struct Started {
    pub(crate) packet: Packet,
    /// When the transmitter is free again, if it was busy at all.
    pub(crate) done: Option<Nanos>,
    /// When the frame's last bit arrives at the other end.
    pub(crate) arrival: Nanos,
    /// Whether it is lost on the way.
    pub(crate) lost: bool,
}

/// What becomes of a frame that is handed to a transmitter.
pub(crate) enum Offered {
    Started(Started),
    Queued,
    /// And counted.
    Dropped,
}

pub(crate) struct Transmitter {
    config: LinkConfig,
    up: bool,
    /// Counts the times the link went down: what was on the wire then never arrives.
    pub(crate) epoch: u32,
    queue: VecDeque<Packet>,
    busy: bool,
    /// See [`serialisation`]; in units of 1/rate nanoseconds, below rate.
    credit: u64,
    last_arrival: Nanos,
    random: Random,
    counters: DirectionCounters,
}

impl Transmitter {
    pub(crate) fn new(config: LinkConfig, random: Random) -> Self {
        Transmitter {
            config,
            up: true,
            epoch: 0,
            queue: VecDeque::new(),
            busy: false,
            credit: 0,
            last_arrival: 0,
            random,
            counters: DirectionCounters::default(),
        }
    }

    pub(crate) fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// New settings hold for frames whose sending begins from now on. A queue that is now too long is left to drain.
    pub(crate) fn set_config(&mut self, config: LinkConfig) {
        if config.rate != self.config.rate {
            self.credit = 0;
        }
        self.config = config;
    }

    pub(crate) fn is_up(&self) -> bool {
        self.up
    }

    /// Raises or lowers the link; frames that wait when it goes down are dropped.
    pub(crate) fn set_up(&mut self, up: bool) {
        if self.up == up {
            return;
        }
        self.up = up;
        if up {
            return;
        }
        self.epoch += 1;
        self.busy = false;
        self.credit = 0;
        self.last_arrival = 0;
        self.counters.dropped_down += self.queue.len() as u64;
        self.queue.clear();
    }

    pub(crate) fn offer(&mut self, now: Nanos, packet: Packet) -> Offered {
        self.counters.offered_packets += 1;
        self.counters.offered_bytes += packet.bytes.len() as u64;
        if !self.up {
            self.counters.dropped_down += 1;
            return Offered::Dropped;
        }
        if !self.busy {
            self.credit = 0;
            return Offered::Started(self.start(now, packet));
        }
        if self.queue.len() >= self.config.queue_packets {
            self.counters.dropped_queue_full += 1;
            return Offered::Dropped;
        }
        self.queue.push_back(packet);
        self.counters.queue_max = self.counters.queue_max.max(self.queue.len());
        Offered::Queued
    }

    /// The frame being sent has left; starts the next one that waits.
    pub(crate) fn done(&mut self, now: Nanos) -> Option<Started> {
        self.busy = false;
        let packet = self.queue.pop_front()?;
        Some(self.start(now, packet))
    }

    fn start(&mut self, now: Nanos, packet: Packet) -> Started {
        self.counters.sent_packets += 1;
        self.counters.sent_bytes += packet.bytes.len() as u64;
        let time = match self.config.rate {
            None => {
                // Frames may still wait from a time when the link had a rate.
                self.busy = !self.queue.is_empty();
                0
            }
            Some(rate) => {
                let (time, credit) = serialisation(packet.bytes.len(), rate, self.credit);
                self.credit = credit;
                self.busy = true;
                time
            }
        };
        self.counters.busy += time;
        let done = now.saturating_add(time);
        let jitter = if self.config.jitter == 0 { 0 } else { self.random.up_to(self.config.jitter) };
        let lost = self.config.loss > 0.0 && self.random.chance(self.config.loss);
        let arrival = done.saturating_add(self.config.delay).saturating_add(jitter).max(self.last_arrival);
        self.last_arrival = arrival;
        Started { packet, done: self.busy.then_some(done), arrival, lost }
    }

    pub(crate) fn count_delivered(&mut self, bytes: usize) {
        self.counters.delivered_packets += 1;
        self.counters.delivered_bytes += bytes as u64;
    }

    pub(crate) fn count_dropped(&mut self, reason: DropReason) {
        match reason {
            DropReason::Loss => self.counters.dropped_loss += 1,
            DropReason::Down => self.counters.dropped_down += 1,
        }
    }

    pub(crate) fn counters(&self) -> DirectionCounters {
        DirectionCounters { queue_now: self.queue.len(), ..self.counters.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_without_a_gap_carry_the_remainder() {
        // 1 byte at 3 Gbit/s takes 8/3 ns.
        let mut now = 0;
        let mut credit = 0;
        for n in 1..=3000u64 {
            let (time, next) = serialisation(1, 3_000_000_000, credit);
            credit = next;
            now += time;
            assert_eq!(now, (8 * n).div_ceil(3));
        }
    }

    #[test]
    fn frames_shorter_than_a_nanosecond_add_up() {
        // 1 byte at 100 Gbit/s takes 0.08 ns.
        let mut now = 0;
        let mut credit = 0;
        for n in 1..=1000u64 {
            let (time, next) = serialisation(1, 100_000_000_000, credit);
            credit = next;
            now += time;
            assert_eq!(now, (8 * n).div_ceil(100));
        }
    }
}
