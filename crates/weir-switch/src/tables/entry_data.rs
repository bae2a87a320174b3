//! The data that a table keeps for each of its entries if the program requests it: a direct
//! counter, a direct meter, a direct register, time-outs. For other programs, the table keeps no
//! such data, and a packet reads only the row of its entry. The default entry also has cells, for
//! packets that miss. The slot `None` means the default entry.

use std::sync::Arc;

use weir_device::Nanos;
use weir_ir::{Bits, ExternId, Table, TableId};
use weir_tables::Handle;

use super::chunks::{CHUNK, cell, grow_chunks};
use super::direct_registers::Registers;
use super::{IdleTimeout, IdleTimers};
use crate::externs::counter::{CounterArray, CounterUnit, CounterValue};
use crate::externs::meter::{Colour, Meter, MeterConfig};
use crate::externs::meter_array::{MeterArray, MeterCell, MeterCounts};
use crate::externs::register::RegisterArray;
use crate::externs::{ExternState, UseAt};

/// The data that is kept for a table's entries, by slot.
#[derive(Debug)]
pub(crate) struct EntryData {
    pub(super) cells: EntryCells,
    /// The times of the last hits of entries, and their time-outs.
    ages: Option<Vec<Age>>,
}

/// The cells of direct counters, meters and registers. All threads and all clones share these
/// cells.
#[derive(Clone, Debug)]
pub(crate) struct EntryCells {
    counts: Option<Counts>,
    meters: Option<Meters>,
    registers: Option<Registers>,
}

/// The cells of a direct counter.
#[derive(Clone, Debug)]
struct Counts {
    unit: CounterUnit,
    use_at: UseAt,
    /// The default's cell.
    default: Arc<CounterArray>,
    /// The cells of the entries, in chunks of [`CHUNK`] slots each, so that chunks can be added
    /// while other threads use the cells.
    chunks: Arc<Vec<Arc<CounterArray>>>,
}

/// The cells of a direct meter.
#[derive(Clone, Debug)]
struct Meters {
    object: ExternId,
    bytes: bool,
    use_at: UseAt,
    /// The default's cell.
    default: Arc<MeterArray>,
    /// The chunks of meters, as in [`Counts::chunks`].
    chunks: Arc<Vec<Arc<MeterArray>>>,
}

/// An entry's age.
#[derive(Clone, Copy, Debug, Default)]
struct Age {
    last_hit: Option<Nanos>,
    /// The time from which packets can hit the entry.
    inserted: Nanos,
    idle: Option<IdleTimeout>,
}

/// The data of an entry that was removed.
#[derive(Debug, Default)]
pub(crate) struct RemovedData {
    count: Option<CounterValue>,
    meter: Option<Box<MeterCell>>,
    /// The words of the register's cell.
    register: Option<Vec<u64>>,
    age: Option<Age>,
}

impl Counts {
    fn new(unit: CounterUnit, use_at: UseAt) -> Self {
        Self { unit, use_at, default: Arc::new(CounterArray::new(1, unit)), chunks: Arc::default() }
    }

    fn get(&self, slot: Option<u32>) -> Option<CounterValue> {
        let (cells, at) = self.cell(slot)?;
        cells.get(at)
    }

    /// Returns the cell of a slot, if it has been allocated.
    fn cell(&self, slot: Option<u32>) -> Option<(&CounterArray, u64)> {
        slot.map_or(Some((&*self.default, 0)), |slot| cell(&self.chunks, slot))
    }

    fn set(&mut self, slot: Option<u32>, value: CounterValue) {
        let Some(slot) = slot else {
            self.default.set(0, value);
            return;
        };
        grow_chunks(&mut self.chunks, slot, || CounterArray::new(CHUNK, self.unit));
        if let Some((cells, at)) = cell(&self.chunks, slot) {
            cells.set(at, value);
        }
    }
}

impl Meters {
    fn new(object: ExternId, bytes: bool, use_at: UseAt) -> Self {
        Self { object, bytes, use_at, default: Arc::new(MeterArray::new(1, bytes)), chunks: Arc::default() }
    }

    /// Returns the cell of a slot, if it has been allocated.
    fn cell(&self, slot: Option<u32>) -> Option<(&MeterArray, u64)> {
        slot.map_or(Some((&*self.default, 0)), |slot| cell(&self.chunks, slot))
    }

    /// Returns the cell of a slot, and allocates it if it does not exist.
    fn cell_mut(&mut self, slot: Option<u32>) -> Option<(&MeterArray, u64)> {
        if let Some(slot) = slot {
            let adjustment = self.default.adjustment();
            grow_chunks(&mut self.chunks, slot, || {
                let chunk = MeterArray::new(CHUNK, self.bytes);
                chunk.set_adjustment(adjustment);
                chunk
            });
        }
        self.cell(slot)
    }
}

impl EntryCells {
    pub(super) fn new(table: &Table, externs: &[ExternState]) -> Self {
        let attached = || table.attached.iter().map(|(_, object)| (*object, &externs[object.index()]));
        let counts = attached().find_map(|(_, state)| match state {
            ExternState::DirectCounter { unit, use_at } => Some(Counts::new(*unit, *use_at)),
            _ => None,
        });
        let meters = attached().find_map(|(object, state)| match state {
            ExternState::DirectMeter { bytes, use_at } => Some(Meters::new(object, *bytes, *use_at)),
            _ => None,
        });
        let registers = attached().find_map(|(_, state)| match state {
            ExternState::DirectRegister { fields, initial } => Some(Registers::new(fields, initial.as_ref())),
            _ => None,
        });
        Self { counts, meters, registers }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_none() && self.meters.is_none() && self.registers.is_none()
    }

    /// Returns the register that holds an entry's cell, and the index of the cell.
    pub(super) fn register(&self, slot: Option<u32>) -> Option<(&RegisterArray, u64)> {
        self.registers.as_ref()?.cell(slot)
    }

    pub(super) fn has_meters(&self) -> bool {
        self.meters.is_some()
    }

    /// Returns whether calls use the cells.
    #[inline]
    pub(super) fn are_used_by_calls(&self) -> bool {
        let uses =
            [self.counts.as_ref().map(|cells| cells.use_at), self.meters.as_ref().map(|cells| cells.use_at)];
        uses.contains(&Some(UseAt::Call)) || self.registers.is_some()
    }

    /// Counts a packet for an entry.
    pub(super) fn count(&self, slot: Option<u32>, packet_length: usize) {
        if let Some((cells, at)) = self.counts.as_ref().and_then(|counts| counts.cell(slot)) {
            cells.count(at, packet_length);
        }
    }

    /// Meters a packet of this colour for an entry. Returns its new colour.
    pub(super) fn meter(
        &self,
        slot: Option<u32>,
        now: Nanos,
        packet_length: usize,
        before: Colour,
    ) -> Option<Colour> {
        let (cells, at) = self.meters.as_ref()?.cell(slot)?;
        cells.execute(at, now, packet_length, before)
    }

    /// Returns the counter and the meter that each lookup uses.
    #[inline]
    fn used_by_lookups(&self) -> (Option<&Counts>, Option<&Meters>) {
        let counts = self.counts.as_ref().filter(|counts| counts.use_at == UseAt::Lookup);
        (counts, self.meters.as_ref().filter(|meters| meters.use_at == UseAt::Lookup))
    }

    /// Counts a packet that hit an entry. Returns its colour from the direct meter.
    #[inline]
    pub(super) fn record_hit_at(
        &self,
        slot: u32,
        now: Nanos,
        packet_length: usize,
    ) -> Option<(ExternId, Colour)> {
        let (counts, meters) = self.used_by_lookups();
        if let Some((cells, at)) = counts.and_then(|counts| cell(&counts.chunks, slot)) {
            cells.count(at, packet_length);
        }
        meters.map(|meters| {
            let execute =
                |(cells, at): (&MeterArray, u64)| cells.execute(at, now, packet_length, Colour::Green);
            let colour = cell(&meters.chunks, slot).and_then(execute);
            (meters.object, colour.unwrap_or(Colour::Green))
        })
    }

    /// Counts a packet that missed. Returns the packet's colour from the direct meter.
    #[inline]
    pub(super) fn record_miss(&self, now: Nanos, packet_length: usize) -> Option<(ExternId, Colour)> {
        let (counts, meters) = self.used_by_lookups();
        if let Some(counts) = counts {
            counts.default.count(0, packet_length);
        }
        meters.map(|meters| {
            let colour = meters.default.execute(0, now, packet_length, Colour::Green);
            (meters.object, colour.unwrap_or(Colour::Green))
        })
    }

    /// Returns whether both share the same cells.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let counts = |cells: &Self| cells.counts.as_ref().map(|counts| Arc::as_ptr(&counts.chunks));
        let meters = |cells: &Self| cells.meters.as_ref().map(|meters| Arc::as_ptr(&meters.chunks));
        let registers =
            |cells: &Self| cells.registers.as_ref().map(|registers| Arc::as_ptr(&registers.chunks));
        counts(self) == counts(other) && meters(self) == meters(other) && registers(self) == registers(other)
    }
}

impl EntryData {
    pub(super) fn new(cells: EntryCells, has_timeouts: bool) -> Self {
        Self { cells, ages: has_timeouts.then(Vec::new) }
    }

    /// Returns whether no data is kept for entries.
    pub(super) fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.ages.is_none()
    }

    /// Creates the data of an entry that is inserted at `now`.
    pub(super) fn add(&mut self, slot: u32, now: Nanos, idle: Option<IdleTimeout>) {
        let age = Age { last_hit: None, inserted: now, idle };
        self.put(slot, RemovedData { age: Some(age), ..RemovedData::default() });
    }

    /// Puts back the data of an entry.
    pub(super) fn put(&mut self, slot: u32, data: RemovedData) {
        if let Some(counts) = &mut self.cells.counts {
            counts.set(Some(slot), data.count.unwrap_or_default());
        }
        if let Some(meters) = &mut self.cells.meters {
            meters.cell_mut(Some(slot)).and_then(|(cells, at)| cells.swap(at, data.meter));
        }
        if let Some(registers) = &mut self.cells.registers {
            registers.set(slot, data.register);
        }
        if let Some(ages) = &mut self.ages {
            let slot = slot as usize;
            if ages.len() <= slot {
                ages.resize(slot + 1, Age::default());
            }
            ages[slot] = data.age.unwrap_or_default();
        }
    }

    /// Removes and returns the data of an entry.
    pub(super) fn remove(&mut self, slot: u32) -> Option<Box<RemovedData>> {
        (!self.is_empty()).then(|| {
            let age = self.ages.as_mut().and_then(|ages| ages.get_mut(slot as usize)).map(std::mem::take);
            let meter = self.meter_cell(Some(slot)).and_then(|(cells, at)| cells.swap(at, None));
            let register = self.cells.register(Some(slot)).map(|(cells, at)| {
                let mut words = vec![0; cells.cell_words];
                cells.read_words(at, &mut words);
                words
            });
            Box::new(RemovedData { count: self.count(Some(slot)), meter, register, age })
        })
    }

    /// Forgets the data of an entry that was deleted. Cells are set again when the slot has another
    /// entry.
    pub(super) fn forget(&mut self, slot: u32) {
        if let Some(age) = self.ages.as_mut().and_then(|ages| ages.get_mut(slot as usize)) {
            *age = Age::default();
        }
    }

    /// Records when an entry was hit. `restarts` says whether its time-out starts again.
    pub(super) fn record_hit(
        &mut self,
        table: TableId,
        (slot, handle): (u32, Handle),
        (time, restarts): (Nanos, bool),
        timers: &mut IdleTimers,
    ) {
        if let Some(age) = self.ages.as_mut().and_then(|ages| ages.get_mut(slot as usize)) {
            age.last_hit = age.last_hit.max(Some(time));
            if let Some(idle) = age.idle.as_mut().filter(|_| restarts) {
                idle.since = idle.since.max(time);
                timers.set_timer(table, handle, idle);
            }
        }
    }

    /// Returns the unit that the direct counter counts.
    pub(crate) fn counter_unit(&self) -> Option<CounterUnit> {
        self.cells.counts.as_ref().map(|counts| counts.unit)
    }

    /// Returns the hits of an entry in the unit of the direct counter, if there is one.
    pub(crate) fn count(&self, slot: Option<u32>) -> Option<CounterValue> {
        self.cells.counts.as_ref().map(|counts| counts.get(slot).unwrap_or_default())
    }

    /// Sets the hits of an entry, and returns the previous ones.
    pub(crate) fn set_count(&mut self, slot: Option<u32>, value: CounterValue) -> CounterValue {
        let Some(counts) = &mut self.cells.counts else { return CounterValue::default() };
        let old = counts.get(slot).unwrap_or_default();
        counts.set(slot, value);
        old
    }

    /// Returns whether there is a direct meter.
    pub(crate) fn has_meters(&self) -> bool {
        self.cells.meters.is_some()
    }

    /// Returns the rates of an entry in the direct meter, if they are set.
    pub(crate) fn meter(&self, slot: Option<u32>) -> Option<MeterConfig> {
        let (cells, at) = self.cells.meters.as_ref()?.cell(slot)?;
        cells.config(at).flatten()
    }

    /// Replaces the meter of an entry in the direct meter, and returns the previous one.
    pub(crate) fn replace_meter(&mut self, slot: Option<u32>, meter: Option<Meter>) -> Option<Meter> {
        self.meter_cell(slot).and_then(|(cells, at)| cells.replace(at, meter))
    }

    /// Returns the number of bytes that the direct meter adds to the length of each packet.
    pub(crate) fn meter_adjustment(&self) -> i32 {
        self.cells.meters.as_ref().map_or(0, |meters| meters.default.adjustment())
    }

    /// Sets the number of bytes that the direct meter adds.
    pub(crate) fn set_meter_adjustment(&self, bytes: i32) {
        for meters in
            self.cells.meters.iter().flat_map(|meters| meters.chunks.iter().chain([&meters.default]))
        {
            meters.set_adjustment(bytes);
        }
    }

    /// Returns the fields of a cell of the direct register, with their widths, if there is one.
    pub(crate) fn register_fields(&self) -> Option<&[(String, u32)]> {
        Some(self.cells.registers.as_ref()?.fields())
    }

    /// Returns an entry's cell of the direct register as one value.
    pub(crate) fn register(&self, slot: Option<u32>) -> Option<Bits> {
        let (cells, at) = self.cells.register(slot)?;
        cells.get(at)
    }

    /// Sets an entry's cell of the direct register to the low bits of the value, and returns the
    /// previous value.
    pub(crate) fn replace_register(&self, slot: Option<u32>, value: &Bits) -> Option<Bits> {
        let (cells, at) = self.cells.register(slot)?;
        let old = cells.get(at);
        cells.set(at, value);
        old
    }

    /// Returns the counts of an entry in the direct meter.
    pub(crate) fn meter_counts(&self, slot: Option<u32>) -> MeterCounts {
        let meters = self.cells.meters.as_ref().and_then(|meters| meters.cell(slot));
        meters.and_then(|(cells, at)| cells.counts(at)).unwrap_or_default()
    }

    /// Sets the counts of an entry in the direct meter, and returns the previous ones.
    pub(crate) fn set_meter_counts(&mut self, slot: Option<u32>, counts: MeterCounts) -> MeterCounts {
        self.meter_cell(slot).and_then(|(cells, at)| cells.set_counts(at, counts)).unwrap_or_default()
    }

    fn meter_cell(&mut self, slot: Option<u32>) -> Option<(&MeterArray, u64)> {
        self.cells.meters.as_mut().and_then(|meters| meters.cell_mut(slot))
    }

    /// Returns whether entries may have time-outs. Then the times of hits are kept.
    pub(crate) fn has_timeouts(&self) -> bool {
        self.ages.is_some()
    }

    /// Returns the time at which an entry was last hit, or `None` if it never was, or if times are
    /// not kept.
    pub(crate) fn last_hit(&self, slot: u32) -> Option<Nanos> {
        self.ages.as_ref()?.get(slot as usize)?.last_hit
    }

    /// Returns the time since which an entry has been idle (its last hit or its insertion), if
    /// times are kept.
    pub(crate) fn idle_since(&self, slot: u32) -> Option<Nanos> {
        let age = self.ages.as_ref()?.get(slot as usize)?;
        Some(age.last_hit.unwrap_or(age.inserted))
    }

    /// Records that packets hit no entry before `now`, so that idle times start at `now`.
    pub(super) fn set_start_time(&mut self, now: Nanos) {
        for age in self.ages.iter_mut().flatten() {
            age.inserted = age.inserted.max(now);
            if let Some(idle) = &mut age.idle {
                idle.since = idle.since.max(now);
            }
        }
    }

    /// Returns an entry's time-out.
    pub(crate) fn idle_timeout(&self, slot: u32) -> Option<&IdleTimeout> {
        self.ages.as_ref()?.get(slot as usize)?.idle.as_ref()
    }

    /// Returns an entry's time-out, so that the caller can change it.
    pub(crate) fn idle_mut(&mut self, slot: u32) -> Option<&mut Option<IdleTimeout>> {
        Some(&mut self.ages.as_mut()?.get_mut(slot as usize)?.idle)
    }

    /// Returns the memory of the data in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let counts = self.cells.counts.as_ref().map_or(0, |counts| {
            let words = if counts.unit == CounterUnit::PacketsAndBytes { 2 } else { 1 };
            counts.chunks.len() * CHUNK * words * 8
        });
        let meters = self.cells.meters.as_ref().map_or(0, |meters| meters.chunks.len() * CHUNK * 16);
        let ages = self.ages.as_ref().map_or(0, |ages| ages.capacity() * size_of::<Age>());
        counts + meters + ages
    }
}
