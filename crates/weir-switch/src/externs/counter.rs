//! Arrays of packet and byte counts.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_ir::{ConstArg, ExternInstance, Program, Type};

use super::zeroes;

/// The unit that a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// The counter counts packets.
    Packets,
    /// The counter counts bytes.
    Bytes,
    /// The counter counts packets and bytes.
    PacketsAndBytes,
}

impl CounterUnit {
    /// Returns the memory of a counter's cell in bytes.
    pub(crate) fn cell_bytes(self) -> usize {
        8 * counts_of(self)
    }

    /// Reads the unit of a counter or meter from the constructor's arguments. It is a member of an
    /// enumeration: `packets` in v1model, `PACKETS` in PSA.
    pub fn from_constructor(program: &Program, object: &ExternInstance) -> Option<Self> {
        let member = object.args.iter().find_map(|arg| match arg {
            ConstArg::Bits(Type::Enum(id), ordinal) => {
                program.enums[*id].members.get(ordinal.low_u64() as usize)
            }
            _ => None,
        });
        match member?.to_lowercase().as_str() {
            "packets" => Some(Self::Packets),
            "bytes" => Some(Self::Bytes),
            "packets_and_bytes" => Some(Self::PacketsAndBytes),
            _ => None,
        }
    }

    /// Returns whether a cell counts packets.
    pub fn has_packets(self) -> bool {
        self != Self::Bytes
    }

    /// Returns whether a cell counts bytes.
    pub fn has_bytes(self) -> bool {
        self != Self::Packets
    }

    /// Returns whether a cell can hold these counts: a count that the cell does not keep must be 0.
    pub fn holds(self, value: CounterValue) -> bool {
        (self.has_packets() || value.packets == 0) && (self.has_bytes() || value.bytes == 0)
    }

    /// Formats the counts that a cell keeps, such as `3 packets, 180 bytes`.
    pub fn shown(self, value: CounterValue) -> String {
        let CounterValue { packets, bytes } = value;
        match self {
            Self::Packets => format!("{packets} packets"),
            Self::Bytes => format!("{bytes} bytes"),
            Self::PacketsAndBytes => format!("{packets} packets, {bytes} bytes"),
        }
    }
}

/// The value of a counter's cell. A counter of packets leaves `bytes` at 0, and a counter of bytes
/// leaves `packets` at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CounterValue {
    /// The number of packets.
    pub packets: u64,
    /// The number of bytes (`packet_length`).
    pub bytes: u64,
}

/// An array of counts that several threads can increase without losing an increment. The packets
/// and bytes of a cell are counted one after the other, so a concurrent reader may see a packet
/// without its bytes.
#[derive(Debug)]
pub(crate) struct CounterArray {
    pub unit: CounterUnit,
    /// The counts of each cell: packets, or bytes, or packets followed by bytes, depending on the
    /// unit.
    counts: Box<[AtomicU64]>,
}

impl CounterArray {
    pub(crate) fn new(size: usize, unit: CounterUnit) -> Self {
        Self { unit, counts: zeroes(size * counts_of(unit)) }
    }

    /// Returns the number of cells.
    pub(crate) fn size(&self) -> usize {
        self.counts.len() / counts_of(self.unit)
    }

    /// Counts a packet of `bytes` bytes. Does nothing if the index is past the end. Counts wrap
    /// around, because the control plane may have set a count near the maximum.
    #[inline]
    pub(crate) fn count(&self, index: u64, bytes: usize) {
        let bytes = bytes as u64;
        let add = |count: &AtomicU64, more| {
            count.fetch_add(more, Relaxed);
        };
        match (self.cell(index), self.unit) {
            (Some([packets, of_bytes]), _) => {
                add(packets, 1);
                add(of_bytes, bytes);
            }
            (Some([packets]), CounterUnit::Packets) => add(packets, 1),
            (Some([of_bytes]), _) => add(of_bytes, bytes),
            _ => {}
        }
    }

    /// Adds a number to a cell of a counter of packets. Does nothing if the index is past the end.
    pub(crate) fn add_packets(&self, index: u64, more: u64) {
        if let Some([packets]) = self.cell(index) {
            packets.fetch_add(more, Relaxed);
        }
    }

    pub(crate) fn get(&self, index: u64) -> Option<CounterValue> {
        let mut counts = self.cell(index)?.iter().map(|count| count.load(Relaxed));
        let mut next = |is_kept| if is_kept { counts.next().unwrap_or(0) } else { 0 };
        let packets = next(self.unit.has_packets());
        Some(CounterValue { packets, bytes: next(self.unit.has_bytes()) })
    }

    /// Sets the counts that a cell keeps. Returns false if the index is past the end.
    pub(crate) fn set(&self, index: u64, value: CounterValue) -> bool {
        let values = match self.unit {
            CounterUnit::Packets => [value.packets, 0],
            CounterUnit::Bytes => [value.bytes, 0],
            CounterUnit::PacketsAndBytes => [value.packets, value.bytes],
        };
        let Some(cell) = self.cell(index) else { return false };
        cell.iter().zip(values).for_each(|(count, value)| count.store(value, Relaxed));
        true
    }

    /// Returns the counts of a cell; `None` if there is no such cell.
    #[inline]
    fn cell(&self, index: u64) -> Option<&[AtomicU64]> {
        let counts = counts_of(self.unit);
        let start = usize::try_from(index).ok()?.checked_mul(counts)?;
        self.counts.get(start..start.checked_add(counts)?)
    }
}

/// Returns the number of counts in a cell.
fn counts_of(unit: CounterUnit) -> usize {
    if unit == CounterUnit::PacketsAndBytes { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_the_counts_of_their_unit() {
        for unit in [CounterUnit::Packets, CounterUnit::Bytes, CounterUnit::PacketsAndBytes] {
            let counter = CounterArray::new(3, unit);
            (0..5).for_each(|index| counter.count(index, 60));
            counter.count(1, 40);
            let counts = |packets, bytes| {
                let packets = if unit == CounterUnit::Bytes { 0 } else { packets };
                Some(CounterValue { packets, bytes: if unit == CounterUnit::Packets { 0 } else { bytes } })
            };
            let cells: Vec<_> = (0..4).map(|index| counter.get(index)).collect();
            assert_eq!(
                (counter.size(), cells),
                (3, vec![counts(1, 60), counts(2, 100), counts(1, 60), None])
            );
            let last = CounterValue { packets: u64::MAX, bytes: u64::MAX };
            assert!(counter.set(2, last) && !counter.set(3, last));
            counter.count(2, 2);
            assert_eq!(counter.get(2), counts(0, 1), "counts wrap around");
        }
    }
}
