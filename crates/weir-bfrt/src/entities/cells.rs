//! Changes and reads counters, meters and registers.

use weir_grpc::Problem;
use weir_ir::{Bits, ExternId, TableId};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::arch::Chip;
use weir_switch::control::{
    CounterUnit, CounterValue, EntryRef, MeterConfig, MeterRate, RegisterSchema, Update,
};

use super::writer::{Wanted, Writer};
use crate::explain::explain;
use crate::info::{DataField, Table, field};
use crate::matches::index;
use crate::notes::count_key;
use crate::values::{Data, write_number, write_uint};

/// The bytes in a kilobit.
const KILOBIT: u64 = 125;

/// Returns the counts in the data; those that are left out keep their value.
pub(super) fn read_count(data: &Data<'_>, old: CounterValue) -> CounterValue {
    CounterValue {
        packets: data.uint(field::COUNTER_PACKETS).unwrap_or(old.packets),
        bytes: data.uint(field::COUNTER_BYTES).unwrap_or(old.bytes),
    }
}

/// Writes counts.
pub(super) fn write_count(unit: CounterUnit, value: CounterValue) -> Vec<bfrt::DataField> {
    let bytes = unit.has_bytes().then(|| write_uint(field::COUNTER_BYTES, 64, value.bytes));
    let packets = unit.has_packets().then(|| write_uint(field::COUNTER_PACKETS, 64, value.packets));
    bytes.into_iter().chain(packets).collect()
}

/// Returns the number of the field with the first rate, and the number of bytes in a unit of rates
/// and bursts.
fn unit(bytes: bool) -> (u32, u64) {
    if bytes { (field::METER_CIR_KBPS, KILOBIT) } else { (field::METER_CIR_PPS, 1) }
}

/// Returns the numbers that stand for no limit: the largest rates and bursts of the chip in
/// kilobits.
fn no_limit(bytes: bool, chip: Chip) -> [u64; 4] {
    let (rate, burst) = match (bytes, chip) {
        (false, _) => (u64::MAX, u64::MAX),
        (true, Chip::Tofino1) => (5_195_848_221, 4_380_866_642),
        (true, Chip::Tofino2) => (4_087_999_890, 4_380_866_642),
    };
    [rate, rate, burst, burst]
}

/// Returns the rates in the data: `None` if there are none, and rates of `None` if all packets are
/// green. Rates that are left out keep their value. The largest number means no limit.
pub(super) fn read_rates(
    data: &Data<'_>,
    (bytes, chip): (bool, Chip),
    old: Option<MeterConfig>,
) -> Option<Option<MeterConfig>> {
    let (first, unit) = unit(bytes);
    let given = [0, 1, 2, 3].map(|place| data.uint(first + place));
    if given.iter().all(Option::is_none) {
        return None;
    }
    let (old, most) = (old.map_or([u64::MAX; 4], quantities), no_limit(bytes, chip));
    let [cir, pir, cbs, pbs] = [0, 1, 2, 3].map(|place| match given[place] {
        Some(value) if value >= most[place] => u64::MAX,
        Some(value) => value.saturating_mul(unit),
        None => old[place],
    });
    if cir == u64::MAX {
        return Some(None);
    }
    Some(Some(MeterConfig::per_second(cir, cbs, pir, pbs)))
}

/// Returns the rates and bursts of a meter in the order of the fields, in whole packets or bytes.
fn quantities(config: MeterConfig) -> [u64; 4] {
    let rate = |rate: MeterRate| u64::try_from(rate.billionths() / MeterRate::SCALE).unwrap_or(u64::MAX);
    [rate(config.committed_rate), rate(config.peak_rate), config.committed_burst, config.peak_burst]
}

/// Writes the rates of a meter.
pub(super) fn write_rates(bytes: bool, chip: Chip, config: Option<MeterConfig>) -> Vec<bfrt::DataField> {
    let (first, unit) = unit(bytes);
    let values = config.map_or([u64::MAX; 4], quantities).into_iter().zip(no_limit(bytes, chip));
    let shown = values.map(|(value, most)| if value == u64::MAX { most } else { value / unit });
    (first..).zip(shown).map(|(id, value)| write_uint(id, 64, value)).collect()
}

/// Writes the cell of a register.
pub(super) fn write_cell(register: &RegisterSchema, value: &Bits) -> Vec<bfrt::DataField> {
    let widths: Vec<_> = register.fields.iter().map(|(_, width)| *width).collect();
    (1..).zip(parts(&widths, value)).map(|(id, part)| write_number(id, &part)).collect()
}

/// Returns the fields of a cell. The first is in the upper bits.
pub(super) fn parts(widths: &[u32], cell: &Bits) -> Vec<Bits> {
    let mut high = cell.width();
    let part = |width: &u32| {
        high -= width;
        if *width == 0 { Bits::zero(0) } else { cell.slice(high + width - 1, high) }
    };
    widths.iter().map(part).collect()
}

/// Returns a cell with the new value of each field that has one.
pub(super) fn changed(widths: &[u32], cell: &Bits, new: impl Fn(usize) -> Option<Bits>) -> Bits {
    let parts = parts(widths, cell).into_iter().enumerate();
    let parts = parts.filter(|(_, part)| part.width() > 0).map(|(place, part)| new(place).unwrap_or(part));
    parts.reduce(|value, part| value.concat(&part)).unwrap_or_else(|| cell.clone())
}

impl Writer<'_, '_, '_> {
    pub(super) fn counter(
        &mut self,
        table: &Table,
        id: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        if wanted.is_for_all() {
            return match wanted.kind {
                Type::Delete | Type::Reset => {
                    self.notes.forget_entries(table.id);
                    self.change(&Update::ResetCounter { counter: id }).map(drop)
                }
                _ => wanted.key().map(drop),
            };
        }
        let cell = u64::from(index(table, wanted.key()?)?);
        let old = self.control().counter(id, cell).map_err(|error| explain(self.schema(), error))?;
        let value = match wanted.kind {
            Type::Insert | Type::Modify => read_count(&wanted.data, old),
            Type::Delete | Type::Reset => CounterValue::default(),
            _ => return Err(wanted.unsupported(table)),
        };
        self.change(&Update::WriteCounter { counter: id, index: cell, value })?;
        self.notes.counts.insert((table.id, cell), value);
        Ok(())
    }

    /// Notes the counts of a counter.
    pub(super) fn note_counts(&mut self, table: u32, id: ExternId) -> Result<(), Problem> {
        let counts = self.control().counters(id).map_err(|error| explain(self.schema(), error))?;
        self.notes.forget_entries(table);
        let counted = (0..).zip(counts).filter(|(_, value)| *value != CounterValue::default());
        self.notes.counts.extend(counted.map(|(index, value)| ((table, index), value)));
        Ok(())
    }

    /// Notes the counts of a table's entries.
    pub(super) fn note_direct_counts(&mut self, table: u32, id: TableId) -> Result<(), Problem> {
        let own = |error| explain(self.schema(), error);
        let entries = self.control().each_entry(id).map_err(own)?;
        let mut counts: Vec<_> =
            entries.map(|state| (state.handle, state.hits.unwrap_or_default())).collect();
        let default = self.control().direct_counter(id, &EntryRef::Default).map_err(own)?;
        counts.push((count_key(&EntryRef::Default), default));
        self.notes.counts.extend(counts.into_iter().map(|(key, value)| ((table, key), value)));
        Ok(())
    }

    pub(super) fn meter(&mut self, table: &Table, id: ExternId, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.is_for_all() {
            return match wanted.kind {
                Type::Delete | Type::Reset => {
                    self.change(&Update::WriteMeterArray { meter: id, config: None }).map(drop)
                }
                _ => wanted.key().map(drop),
            };
        }
        let cell = u64::from(index(table, wanted.key()?)?);
        let old = self.control().meter(id, cell).map_err(|error| explain(self.schema(), error))?;
        let bytes = table.data.iter().any(|of| of.id == field::METER_CIR_KBPS);
        let config = match wanted.kind {
            Type::Insert | Type::Modify => {
                read_rates(&wanted.data, (bytes, self.info.chip), old).unwrap_or(old)
            }
            Type::Delete | Type::Reset => None,
            _ => return Err(wanted.unsupported(table)),
        };
        self.change(&Update::WriteMeter { meter: id, index: cell, config }).map(drop)
    }

    pub(super) fn register(
        &mut self,
        table: &Table,
        id: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        if wanted.is_for_all() {
            return match wanted.kind {
                Type::Delete | Type::Reset => self.change(&Update::ResetRegister { register: id }).map(drop),
                _ => wanted.key().map(drop),
            };
        }
        let cell = u64::from(index(table, wanted.key()?)?);
        let old = self.control().register(id, cell).map_err(|error| explain(self.schema(), error))?;
        let value = match wanted.kind {
            Type::Insert | Type::Modify => cell_value(table, wanted, &old)?,
            Type::Delete | Type::Reset => {
                self.control().initial_cell(id).map_err(|error| explain(self.schema(), error))?
            }
            _ => return Err(wanted.unsupported(table)),
        };
        self.change(&Update::WriteRegister { register: id, index: cell, value }).map(drop)
    }

    /// Changes a parameter of register actions, which is the default entry of its table.
    pub(super) fn parameter(
        &mut self,
        table: &Table,
        id: ExternId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        if !wanted.is_for_all() {
            return Err(Problem::invalid(format!("`{}` has no key", table.name)));
        }
        match wanted.kind {
            Type::Modify | Type::InsertOrModify => {
                let value = wanted.data.number(table.data[0].id).cloned();
                let value = value.ok_or_else(|| Problem::invalid("the data have no `value`"))?;
                self.change(&Update::WriteRegister { register: id, index: 0, value }).map(drop)
            }
            Type::Delete | Type::Reset => self.change(&Update::ResetRegister { register: id }).map(drop),
            _ => Err(wanted.unsupported(table)),
        }
    }
}

/// Returns the value of a register's cell in the data. Only MODIFY may leave out a field, which
/// then keeps its value.
fn cell_value(table: &Table, wanted: &Wanted<'_>, old: &Bits) -> Result<Bits, Problem> {
    let widths: Vec<_> = table.data.iter().map(|known| known.ty.bits().unwrap_or(0)).collect();
    let is_missing =
        |known: &&DataField| wanted.data.number(known.id).is_none() && known.ty.bits() != Some(0);
    match table.data.iter().find(is_missing) {
        Some(known) if wanted.kind != Type::Modify => {
            Err(Problem::invalid(format!("the data have no `{}`", known.name)))
        }
        _ => Ok(changed(&widths, old, |place| wanted.data.number(table.data[place].id).cloned())),
    }
}
