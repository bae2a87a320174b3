//! Slots in which frames leave in bursts, as on a shared medium (tc-netem's `slot`).

use weir_device::Nanos;

use super::config::Slot;
use weir_impair::Random;

/// The slots in which netem lets frames leave, as bursts.
#[derive(Debug)]
pub(super) struct Slots {
    config: Slot,
    random: Random,
    /// The time at which the current or next slot begins.
    begins: Nanos,
    /// The number of frames and bytes that still fit in the slot.
    packets: u64,
    bytes: u64,
}

impl Slots {
    pub(super) fn new(config: Slot, random: Random) -> Self {
        let mut slots = Slots { config, random, begins: 0, packets: 0, bytes: 0 };
        slots.refill();
        slots
    }

    /// Changes the settings; the next slot is the first one with the new settings.
    pub(super) fn change(&mut self, config: Slot) {
        self.config = config;
        self.refill();
    }

    /// Allows the frames and bytes of a new slot.
    #[inline]
    fn refill(&mut self) {
        self.packets = self.config.packets.unwrap_or(u64::MAX);
        self.bytes = self.config.bytes.unwrap_or(u64::MAX);
    }

    #[inline]
    fn next_after(&mut self, time: Nanos) {
        let Slot { min, max, .. } = self.config;
        self.begins = time.saturating_add(min).saturating_add(self.random.up_to(max.saturating_sub(min)));
        self.refill();
    }

    /// Returns the time at which a frame whose delay ends at `time` may leave: in the current slot,
    /// or in the next slot after `time`.
    #[inline]
    pub(super) fn departure_time(&mut self, time: Nanos) -> Nanos {
        if self.begins < time {
            self.next_after(time);
        }
        self.begins
    }

    /// Counts a frame that leaves in the slot. If the slot is full after this frame, the next slot
    /// is scheduled.
    #[inline]
    pub(super) fn count_frame(&mut self, now: Nanos, bytes: u32) {
        self.packets = self.packets.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes.into());
        if self.packets == 0 || self.bytes == 0 {
            self.next_after(now);
        }
    }
}
