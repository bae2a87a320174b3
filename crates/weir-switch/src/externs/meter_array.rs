//! Arrays of meters, with counts of the packets that each meter has marked.

use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, OnceLock};

use weir_device::Nanos;

use super::counter::CounterValue;
use super::lock;
use super::meter::{Colour, Meter, MeterConfig, execute};

/// The numbers of packets and bytes (`packet_length`) that a meter has marked with each colour,
/// whatever the meter's own unit is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeterCounts {
    /// The green packets.
    pub green: CounterValue,
    /// The yellow packets.
    pub yellow: CounterValue,
    /// The red packets.
    pub red: CounterValue,
}

impl MeterCounts {
    /// Counts a packet of `bytes` bytes. Counts wrap around, like those of counters.
    fn count(&mut self, colour: Colour, bytes: usize) {
        let count = match colour {
            Colour::Green => &mut self.green,
            Colour::Yellow => &mut self.yellow,
            Colour::Red => &mut self.red,
        };
        count.packets = count.packets.wrapping_add(1);
        count.bytes = count.bytes.wrapping_add(bytes as u64);
    }
}

/// An array of meters that several threads can execute. Each execution, together with its count, is
/// atomic.
#[derive(Debug)]
pub(crate) struct MeterArray {
    /// Whether the meters measure bytes. Otherwise, they measure packets.
    pub bytes: bool,
    /// Whether packets hold the [`RegisterLock`](super::register_lock::RegisterLock) while they use
    /// the array.
    pub needs_lock: bool,
    size: usize,
    /// The number of bytes that the meters add to the length of each packet.
    adjustment: AtomicI32,
    /// The cells, in blocks of [`BLOCK`] cells. A block is allocated when one of its cells is first
    /// used.
    blocks: Box<[OnceLock<Box<[Cell]>>]>,
}

/// The number of cells in a block.
const BLOCK: usize = 1024;

/// A cell. Its contents are boxed, because most cells of an array are often unused.
type Cell = Mutex<Option<Box<MeterCell>>>;

/// The contents of a cell, which a new cell does not have.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeterCell {
    /// The meter. Without one, all packets are green.
    meter: Option<Meter>,
    counts: MeterCounts,
}

impl MeterArray {
    /// The memory in bytes that a used cell takes.
    pub(crate) const CELL_BYTES: usize = size_of::<Cell>() + size_of::<MeterCell>();

    pub(crate) fn new(size: usize, bytes: bool) -> Self {
        let blocks = std::iter::repeat_with(OnceLock::new).take(size.div_ceil(BLOCK)).collect();
        Self { bytes, needs_lock: false, size, adjustment: AtomicI32::new(0), blocks }
    }

    /// Returns the number of cells.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Returns the number of bytes that the meters add to the length of each packet.
    pub(crate) fn adjustment(&self) -> i32 {
        self.adjustment.load(Ordering::Relaxed)
    }

    /// Sets the number of bytes that the meters add, and returns the previous one.
    pub(crate) fn set_adjustment(&self, bytes: i32) -> i32 {
        self.adjustment.swap(bytes, Ordering::Relaxed)
    }

    /// Returns the rates of a cell, if they are set. Returns `None` if the index is past the end.
    pub(crate) fn config(&self, index: u64) -> Option<Option<MeterConfig>> {
        let config = |cell: &MeterCell| cell.meter.as_ref().map(|meter| meter.config);
        Some(self.used(index)?.and_then(|cell| lock(cell).as_deref().and_then(config)))
    }

    /// Returns the counts of a cell; `None` if the index is past the end.
    pub(crate) fn counts(&self, index: u64) -> Option<MeterCounts> {
        let counts = |cell: &Cell| lock(cell).as_ref().map(|cell| cell.counts);
        Some(self.used(index)?.and_then(counts).unwrap_or_default())
    }

    /// Sets a cell's counts and returns the previous ones. Does nothing if the index is past the
    /// end.
    pub(crate) fn set_counts(&self, index: u64, counts: MeterCounts) -> Option<MeterCounts> {
        let mut cell = lock(self.cell(index)?);
        if cell.is_none() && counts == MeterCounts::default() {
            return Some(counts);
        }
        Some(std::mem::replace(&mut cell.get_or_insert_default().counts, counts))
    }

    /// Replaces the meter of a cell and returns the previous one. The counts stay. Does nothing if
    /// the index is past the end.
    pub(crate) fn replace(&self, index: u64, meter: Option<Meter>) -> Option<Meter> {
        replace(&mut lock(self.cell(index)?), meter)
    }

    /// Puts the same meter into all cells and returns the previous ones.
    pub(crate) fn replace_all(&self, meter: Option<&Meter>) -> Vec<Option<Box<Meter>>> {
        let replace = |index| match meter {
            None => self.used(index)?.and_then(|cell| replace(&mut lock(cell), None)),
            Some(meter) => replace(&mut lock(self.cell(index)?), Some(meter.clone())),
        };
        (0..self.size as u64).map(|index| replace(index).map(Box::new)).collect()
    }

    /// Replaces a cell's meter and counts, and returns the previous ones. Does nothing if the index
    /// is past the end.
    pub(crate) fn swap(&self, index: u64, cell: Option<Box<MeterCell>>) -> Option<Box<MeterCell>> {
        std::mem::replace(&mut *lock(self.cell(index)?), cell)
    }

    /// Marks a packet that had this colour before; see [`execute`]. Returns `None` if the index is
    /// past the end.
    pub(crate) fn execute(
        &self,
        index: u64,
        now: Nanos,
        packet_length: usize,
        before: Colour,
    ) -> Option<Colour> {
        let mut cell = lock(self.cell(index)?);
        let MeterCell { meter, counts } = &mut **cell.get_or_insert_default();
        let measured = packet_length.saturating_add_signed(self.adjustment() as isize);
        let colour = execute(meter.as_mut(), self.bytes, now, measured, before);
        counts.count(colour, packet_length);
        Some(colour)
    }

    /// Returns a cell, and allocates its block if necessary. Returns `None` if the index is past
    /// the end.
    #[inline]
    fn cell(&self, index: u64) -> Option<&Cell> {
        let index = usize::try_from(index).ok().filter(|index| *index < self.size)?;
        let block = self.blocks[index / BLOCK].get_or_init(|| {
            let cells = BLOCK.min(self.size - index / BLOCK * BLOCK);
            std::iter::repeat_with(Mutex::default).take(cells).collect()
        });
        Some(&block[index % BLOCK])
    }

    /// Returns a cell if its block is allocated. Returns `None` if the index is past the end.
    fn used(&self, index: u64) -> Option<Option<&Cell>> {
        let index = usize::try_from(index).ok().filter(|index| *index < self.size)?;
        Some(self.blocks[index / BLOCK].get().map(|block| &block[index % BLOCK]))
    }
}

/// Sets the meter of a cell, and returns the old one.
fn replace(cell: &mut Option<Box<MeterCell>>, meter: Option<Meter>) -> Option<Meter> {
    match cell {
        Some(cell) => std::mem::replace(&mut cell.meter, meter),
        None => {
            *cell = meter.map(|meter| Box::new(MeterCell { meter: Some(meter), ..MeterCell::default() }));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_whose_cells_are_used_are_made() {
        let count_blocks =
            |array: &MeterArray| array.blocks.iter().filter(|block| block.get().is_some()).count();
        let array = MeterArray::new(3 * BLOCK + 1, false);
        let last = 3 * BLOCK as u64;
        assert_eq!((array.config(last), array.counts(last)), (Some(None), Some(MeterCounts::default())));
        assert_eq!(array.replace_all(None).len(), array.size());
        assert_eq!(count_blocks(&array), 0);
        assert_eq!(array.execute(last, 0, 64, Colour::Green), Some(Colour::Green));
        assert_eq!(array.execute(last + 1, 0, 64, Colour::Green), None);
        assert_eq!((count_blocks(&array), array.counts(last + 1)), (1, None));
        let config = MeterConfig::per_second(1, 1, 1, 1);
        assert_eq!(array.replace_all(Some(&Meter::new(config))), vec![None; array.size()]);
        let configs = [0, last, last + 1].map(|index| array.config(index));
        assert_eq!((count_blocks(&array), configs), (4, [Some(Some(config)), Some(Some(config)), None]));
    }

    #[test]
    fn meters_add_bytes_to_packets() {
        let array = MeterArray::new(1, true);
        // A burst of 100 bytes is green.
        array.replace(0, Some(Meter::new(MeterConfig::per_second(1, 100, 1, 100))));
        let colours = |lengths: [usize; 2]| lengths.map(|length| array.execute(0, 0, length, Colour::Green));
        assert_eq!(array.set_adjustment(-60), 0);
        assert_eq!(colours([90, 90]), [Some(Colour::Green); 2], "30 bytes each");
        assert_eq!(array.set_adjustment(4), -60);
        assert_eq!(colours([36, 37]), [Some(Colour::Green), Some(Colour::Red)], "40 bytes are left");
    }
}
