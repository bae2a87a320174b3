//! Arrays of packet and byte counts.

use crate::control::{CounterUnit, CounterValue};

#[derive(Clone, Debug)]
pub(crate) struct CounterArray {
    pub unit: CounterUnit,
    packets: Vec<u64>,
    bytes: Vec<u64>,
}

impl CounterArray {
    pub(crate) fn new(size: usize, unit: CounterUnit) -> Self {
        Self { unit, packets: vec![0; size], bytes: vec![0; size] }
    }

    pub(crate) fn size(&self) -> usize {
        self.packets.len()
    }

    /// Counts a packet of `bytes` bytes; past the end nothing is counted.
    pub(crate) fn count(&mut self, index: u64, bytes: usize) {
        if let Some(mut value) = self.get(index) {
            value.count(bytes);
            self.set(index, value);
        }
    }

    pub(crate) fn get(&self, index: u64) -> Option<CounterValue> {
        let index = usize::try_from(index).ok()?;
        Some(CounterValue { packets: *self.packets.get(index)?, bytes: *self.bytes.get(index)? })
    }

    /// Sets a cell, as far as its unit goes; returns false past the end.
    pub(crate) fn set(&mut self, index: u64, value: CounterValue) -> bool {
        let value = in_unit(value, self.unit);
        let Some(index) = usize::try_from(index).ok().filter(|i| *i < self.packets.len()) else {
            return false;
        };
        (self.packets[index], self.bytes[index]) = (value.packets, value.bytes);
        true
    }
}

impl CounterValue {
    /// Counts a packet of `bytes` bytes. What the control plane has set may be near the end: counts go round.
    pub(crate) fn count(&mut self, bytes: usize) {
        self.packets = self.packets.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(bytes as u64);
    }
}

/// What a counter of this unit shows of a value.
pub(crate) fn in_unit(value: CounterValue, unit: CounterUnit) -> CounterValue {
    CounterValue {
        packets: if unit == CounterUnit::Bytes { 0 } else { value.packets },
        bytes: if unit == CounterUnit::Packets { 0 } else { value.bytes },
    }
}
