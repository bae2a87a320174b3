//! What a table keeps for each of its entries, as far as the program asks for it: a direct counter, a direct meter, time-outs. Where it asks for
//! nothing, nothing is kept, and a packet touches nothing of its entry but what the entry does.

use std::sync::Arc;

use weir_device::Nanos;
use weir_ir::{ExternId, PropertyValue, Table, TableId};
use weir_tables::Handle;

use crate::control::{CounterUnit, CounterValue, MeterConfig};
use crate::externs::ExternState;
use crate::externs::counter::CounterArray;
use crate::externs::meter::{Colour, Meter, MeterArray};
use crate::idle::{Idle, IdleTimers};

/// Cells that are made at once.
const CHUNK: usize = 512;

/// All that is kept beside a table's entries, by their slots.
#[derive(Debug)]
pub(crate) struct Beside {
    table: TableId,
    pub(super) cells: Cells,
    /// When entries were hit, and their time-outs.
    ages: Option<Vec<Age>>,
    /// Hits for the owner of the ages, on another thread.
    hits: Vec<(Handle, Nanos)>,
    /// Whether packets touch the meters in their [`Turn`](crate::externs::turn::Turn) only.
    pub in_turn: bool,
}

/// What several threads touch; clones share it.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    counts: Option<Counts>,
    meters: Option<Meters>,
}

/// The cells of a direct counter.
#[derive(Clone, Debug)]
struct Counts {
    unit: CounterUnit,
    /// Each of [`CHUNK`] slots, so that there can be more of them while others use them.
    chunks: Arc<Vec<Arc<CounterArray>>>,
}

/// The cells of a direct meter.
#[derive(Clone, Debug)]
struct Meters {
    object: ExternId,
    bytes: bool,
    /// As [`Counts::chunks`].
    chunks: Arc<Vec<Arc<MeterArray>>>,
}

/// An entry's age.
#[derive(Clone, Copy, Debug, Default)]
struct Age {
    last_hit: Option<Nanos>,
    idle: Option<Idle>,
}

/// What was kept for an entry that is gone.
#[derive(Debug)]
pub(crate) struct Kept {
    count: Option<CounterValue>,
    meter: Option<Meter>,
    age: Option<Age>,
}

/// The array that a slot's cell is in, and where.
fn cell<C>(chunks: &[Arc<C>], slot: u32) -> Option<(&C, u64)> {
    Some((chunks.get(slot as usize / CHUNK)?, u64::from(slot) % CHUNK as u64))
}

/// Makes chunks up to that of the slot.
fn reach<C>(chunks: &mut Arc<Vec<Arc<C>>>, slot: u32, new: impl Fn() -> C) {
    while chunks.len() <= slot as usize / CHUNK {
        Arc::make_mut(chunks).push(Arc::new(new()));
    }
}

impl Counts {
    fn get(&self, slot: u32) -> Option<CounterValue> {
        cell(&self.chunks, slot).and_then(|(cells, at)| cells.get(at))
    }

    fn set(&mut self, slot: u32, value: CounterValue) {
        reach(&mut self.chunks, slot, || CounterArray::new(CHUNK, self.unit));
        if let Some((cells, at)) = cell(&self.chunks, slot) {
            cells.set(at, value);
        }
    }
}

impl Meters {
    fn replace(&mut self, slot: u32, meter: Option<Meter>) -> Option<Meter> {
        reach(&mut self.chunks, slot, || MeterArray::new(CHUNK, self.bytes));
        let (cells, at) = cell(&self.chunks, slot)?;
        cells.replace(at, meter)
    }
}

impl Cells {
    /// Counts a packet that hit an entry; what the direct meter says of it.
    fn hit(&self, slot: u32, now: Nanos, packet_length: usize) -> Option<(ExternId, Colour)> {
        if let Some((cells, at)) = self.counts.as_ref().and_then(|counts| cell(&counts.chunks, slot)) {
            cells.count(at, packet_length);
        }
        self.meters.as_ref().map(|meters| {
            let colour =
                cell(&meters.chunks, slot).and_then(|(cells, at)| cells.execute(at, now, packet_length));
            (meters.object, colour.unwrap_or(Colour::Green))
        })
    }

    /// Whether these are the same cells.
    pub(super) fn is(&self, other: &Self) -> bool {
        let counts = |cells: &Self| cells.counts.as_ref().map(|counts| Arc::as_ptr(&counts.chunks));
        let meters = |cells: &Self| cells.meters.as_ref().map(|meters| Arc::as_ptr(&meters.chunks));
        counts(self) == counts(other) && meters(self) == meters(other)
    }
}

impl Beside {
    pub(super) fn new(id: TableId, table: &Table, externs: &[ExternState], atomic: bool) -> Self {
        let attached = || table.attached.iter().map(|(_, object)| (*object, &externs[object.index()]));
        let counts = attached().find_map(|(_, state)| match state {
            ExternState::DirectCounter(unit) => Some(Counts { unit: *unit, chunks: Arc::default() }),
            _ => None,
        });
        let meters = attached().find_map(|(object, state)| match state {
            ExternState::DirectMeter(bytes) => Some(Meters { object, bytes: *bytes, chunks: Arc::default() }),
            _ => None,
        });
        Self {
            table: id,
            in_turn: atomic && meters.is_some(),
            cells: Cells { counts, meters },
            ages: supports_timeout(table).then(Vec::new),
            hits: Vec::new(),
        }
    }

    /// For a thread that meets entries in what it sees of the table.
    pub(super) fn for_worker(&self) -> Self {
        let (cells, ages) = (self.cells.clone(), self.ages.is_some().then(Vec::new));
        Self { table: self.table, in_turn: self.in_turn, cells, ages, hits: Vec::new() }
    }

    /// Whether anything is kept.
    #[inline]
    pub(super) fn is_kept(&self) -> bool {
        self.cells.counts.is_some() || self.cells.meters.is_some() || self.ages.is_some()
    }

    /// Begins to keep what belongs to a new entry.
    pub(super) fn begin(&mut self, slot: u32, idle: Option<Idle>) {
        let kept = Kept { count: None, meter: None, age: Some(Age { last_hit: None, idle }) };
        self.put(slot, kept);
    }

    /// Keeps what was kept before.
    pub(super) fn put(&mut self, slot: u32, kept: Kept) {
        if let Some(counts) = &mut self.cells.counts {
            counts.set(slot, kept.count.unwrap_or_default());
        }
        if let Some(meters) = &mut self.cells.meters {
            meters.replace(slot, kept.meter);
        }
        if let Some(ages) = &mut self.ages {
            let slot = slot as usize;
            if ages.len() <= slot {
                ages.resize(slot + 1, Age::default());
            }
            ages[slot] = kept.age.unwrap_or_default();
        }
    }

    /// What is kept for an entry that goes.
    pub(super) fn take(&mut self, slot: u32) -> Option<Box<Kept>> {
        self.is_kept().then(|| {
            let age = self.ages.as_mut().and_then(|ages| ages.get_mut(slot as usize)).map(std::mem::take);
            Box::new(Kept { count: self.count(slot), meter: self.replace_meter(slot, None), age })
        })
    }

    /// Notes a packet that hit an entry; what the direct meter says of it.
    #[inline]
    pub(super) fn hit(
        &mut self,
        (slot, handle): (u32, impl FnOnce() -> Handle),
        now: Nanos,
        packet_length: usize,
        timers: &mut IdleTimers,
    ) -> Option<(ExternId, Colour)> {
        if self.ages.is_some() {
            self.hit_at((slot, handle()), now, timers);
        }
        self.cells.hit(slot, now, packet_length)
    }

    /// Notes when an entry was hit.
    pub(super) fn hit_at(&mut self, (slot, handle): (u32, Handle), time: Nanos, timers: &mut IdleTimers) {
        if let Some(age) = self.ages.as_mut().and_then(|ages| ages.get_mut(slot as usize)) {
            age.last_hit = age.last_hit.max(Some(time));
            if let Some(idle) = &mut age.idle {
                idle.since = idle.since.max(time);
                timers.arm(self.table, handle, idle);
            }
        }
    }

    /// As [`Beside::hit`], in the cells of the table as it is seen on this thread.
    pub(super) fn hit_of(
        &mut self,
        cells: &Cells,
        (slot, handle): (u32, impl FnOnce() -> Handle),
        now: Nanos,
        packet_length: usize,
    ) -> Option<(ExternId, Colour)> {
        if self.ages.is_some() {
            let handle = handle();
            match self.hits.last_mut() {
                Some((last, time)) if *last == handle => *time = now.max(*time),
                _ => self.hits.push((handle, now)),
            }
        }
        cells.hit(slot, now, packet_length)
    }

    /// Takes the hits that were noted for the owner.
    pub(super) fn take_hits(&mut self) -> Vec<(Handle, Nanos)> {
        std::mem::take(&mut self.hits)
    }

    /// What the direct meter says of a packet that met no entry.
    #[inline]
    pub(super) fn missed(&self) -> Option<(ExternId, Colour)> {
        self.cells.meters.as_ref().map(|meters| (meters.object, Colour::Green))
    }

    /// What the direct counter counts.
    pub(crate) fn unit(&self) -> Option<CounterUnit> {
        self.cells.counts.as_ref().map(|counts| counts.unit)
    }

    /// An entry's hits, if there is a direct counter, in its unit.
    pub(crate) fn count(&self, slot: u32) -> Option<CounterValue> {
        self.cells.counts.as_ref().map(|counts| counts.get(slot).unwrap_or_default())
    }

    /// Sets an entry's hits; returns what they were.
    pub(crate) fn set_count(&mut self, slot: u32, value: CounterValue) -> CounterValue {
        let Some(counts) = &mut self.cells.counts else { return CounterValue::default() };
        let old = counts.get(slot).unwrap_or_default();
        counts.set(slot, value);
        old
    }

    /// Whether there is a direct meter.
    pub(crate) fn has_meters(&self) -> bool {
        self.cells.meters.is_some()
    }

    /// The rates of an entry's cell of the direct meter, if it has any.
    pub(crate) fn meter(&self, slot: u32) -> Option<MeterConfig> {
        let (cells, at) = cell(&self.cells.meters.as_ref()?.chunks, slot)?;
        cells.config(at).flatten()
    }

    /// Puts another cell in its place.
    pub(crate) fn replace_meter(&mut self, slot: u32, meter: Option<Meter>) -> Option<Meter> {
        self.cells.meters.as_mut().and_then(|meters| meters.replace(slot, meter))
    }

    /// Whether entries may have time-outs, and their hits' times are noted.
    pub(crate) fn has_ages(&self) -> bool {
        self.ages.is_some()
    }

    /// When an entry was hit last, if that is noted and it was.
    pub(crate) fn last_hit(&self, slot: u32) -> Option<Nanos> {
        self.ages.as_ref()?.get(slot as usize)?.last_hit
    }

    /// An entry's time-out.
    pub(crate) fn idle(&self, slot: u32) -> Option<&Idle> {
        self.ages.as_ref()?.get(slot as usize)?.idle.as_ref()
    }

    /// An entry's time-out, to change.
    pub(crate) fn idle_mut(&mut self, slot: u32) -> Option<&mut Option<Idle>> {
        Some(&mut self.ages.as_mut()?.get_mut(slot as usize)?.idle)
    }

    /// Bytes of memory.
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

/// Whether the program lets the table's entries have time-outs.
pub(crate) fn supports_timeout(table: &Table) -> bool {
    let property = table.properties.iter().find(|(name, _)| name == "support_timeout");
    property.is_some_and(|(_, value)| *value == PropertyValue::Bool(true))
}
