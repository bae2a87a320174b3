//! Arrays of meters, with the counts of the packets that each of them marked.

use std::sync::Mutex;

use weir_device::Nanos;

use super::counter::CounterValue;
use super::lock;
use super::meter::{Colour, Meter, MeterConfig, execute};

/// How many packets a meter marked with each colour, and their bytes (`packet_length`), whatever
/// the meter's own unit is.
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
    /// Counts a packet of `bytes` bytes. Counts wrap around, as those of counters do.
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

/// Meters that any number of threads can execute. Each execution, together with its count, is
/// atomic.
#[derive(Debug)]
pub(crate) struct MeterArray {
    /// Whether the meters count bytes; otherwise they count packets.
    pub bytes: bool,
    /// Whether packets hold the [`RegisterLock`](super::register_lock::RegisterLock) while they use
    /// the array.
    pub needs_lock: bool,
    /// The cells. They are boxed, since most cells of an array are often unused.
    cells: Box<[Mutex<Option<Box<MeterCell>>>]>,
}

/// The contents of a cell; none at first.
#[derive(Clone, Debug, Default)]
pub(crate) struct MeterCell {
    /// The meter. Without one, all packets are green.
    meter: Option<Meter>,
    counts: MeterCounts,
}

impl MeterArray {
    pub(crate) fn new(size: usize, bytes: bool) -> Self {
        let cells = std::iter::repeat_with(Mutex::default).take(size).collect();
        Self { bytes, needs_lock: false, cells }
    }

    pub(crate) fn size(&self) -> usize {
        self.cells.len()
    }

    /// The rates of a cell, if any are set. `None` if the index is past the end.
    pub(crate) fn config(&self, index: u64) -> Option<Option<MeterConfig>> {
        let cell = lock(self.cell(index)?);
        Some(cell.as_ref().and_then(|cell| cell.meter.as_ref()).map(|meter| meter.config))
    }

    /// The counts of a cell; `None` if the index is past the end.
    pub(crate) fn counts(&self, index: u64) -> Option<MeterCounts> {
        Some(lock(self.cell(index)?).as_ref().map(|cell| cell.counts).unwrap_or_default())
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
        let replace = |cell: &Mutex<_>| replace(&mut lock(cell), meter.cloned()).map(Box::new);
        self.cells.iter().map(replace).collect()
    }

    /// Replaces a cell's meter and counts, and returns the previous ones. Does nothing if the index
    /// is past the end.
    pub(crate) fn swap(&self, index: u64, cell: Option<Box<MeterCell>>) -> Option<Box<MeterCell>> {
        std::mem::replace(&mut *lock(self.cell(index)?), cell)
    }

    /// Marks a packet without a previous colour; see [`execute`]. Returns `None` if the index is
    /// past the end.
    pub(crate) fn execute(&self, index: u64, now: Nanos, packet_length: usize) -> Option<Colour> {
        let mut cell = lock(self.cell(index)?);
        let MeterCell { meter, counts } = &mut **cell.get_or_insert_default();
        let colour = execute(meter.as_mut(), self.bytes, now, packet_length, Colour::Green);
        counts.count(colour, packet_length);
        Some(colour)
    }

    fn cell(&self, index: u64) -> Option<&Mutex<Option<Box<MeterCell>>>> {
        self.cells.get(usize::try_from(index).ok()?)
    }
}

fn replace(cell: &mut Option<Box<MeterCell>>, meter: Option<Meter>) -> Option<Meter> {
    match cell {
        Some(cell) => std::mem::replace(&mut cell.meter, meter),
        None => {
            *cell = meter.map(|meter| Box::new(MeterCell { meter: Some(meter), ..MeterCell::default() }));
            None
        }
    }
}
