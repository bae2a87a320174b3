//! Changes and reads counters, meters and registers.

use weir_grpc::Problem;
use weir_ir::{Bits, ExternId};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{CounterUnit, CounterValue, MeterConfig, MeterRate, RegisterSchema, Update};

use super::writer::{Wanted, Writer};
use crate::explain::explain;
use crate::info::{Table, field};
use crate::matches::index;
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

/// Returns the rates in the data: `None` if there are none, and rates of `None` if all packets are
/// green. Rates that are left out keep their value. The largest number means no limit.
pub(super) fn read_rates(
    data: &Data<'_>,
    bytes: bool,
    old: Option<MeterConfig>,
) -> Option<Option<MeterConfig>> {
    let (first, unit) = unit(bytes);
    let given = [0, 1, 2, 3].map(|place| data.uint(first + place));
    if given.iter().all(Option::is_none) {
        return None;
    }
    let old = [0, 1, 2, 3].map(|place| old.map_or(u64::MAX, |old| quantities(old)[place]));
    let [cir, pir, cbs, pbs] =
        [0, 1, 2, 3].map(|place| given[place].map_or(old[place], |value| value.saturating_mul(unit)));
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
pub(super) fn write_rates(bytes: bool, config: Option<MeterConfig>) -> Vec<bfrt::DataField> {
    let (first, unit) = unit(bytes);
    let values = config.map_or([u64::MAX; 4], quantities);
    let shown = values.map(|value| if value == u64::MAX { value } else { value / unit });
    (first..).zip(shown).map(|(id, value)| write_uint(id, 64, value)).collect()
}

/// Writes the cell of a register.
pub(super) fn write_cell(register: &RegisterSchema, value: &Bits) -> Vec<bfrt::DataField> {
    let mut high = register.width;
    let fields = register.fields.iter().enumerate().map(|(place, (_, width))| {
        // The first field is in the upper bits.
        high -= width;
        let part = if *width == 0 { Bits::zero(0) } else { value.slice(high + width - 1, high) };
        write_number(place as u32 + 1, &part)
    });
    fields.collect()
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
                Type::Delete | Type::Reset => self.change(&Update::ResetCounter { counter: id }).map(drop),
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
        self.change(&Update::WriteCounter { counter: id, index: cell, value }).map(drop)
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
            Type::Insert | Type::Modify => read_rates(&wanted.data, bytes, old).unwrap_or(old),
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
            Type::Insert | Type::Modify => self.cell_value(table, id, wanted, &old)?,
            Type::Delete | Type::Reset => Bits::zero(old.width()),
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

    /// Returns the value of a register's cell in the data. Only MODIFY may leave out a field, which
    /// then keeps its value.
    fn cell_value(
        &self,
        table: &Table,
        id: ExternId,
        wanted: &Wanted<'_>,
        old: &Bits,
    ) -> Result<Bits, Problem> {
        let mut high = old.width();
        let mut value = Bits::zero(0);
        for known in &table.data {
            let width = known.ty.bits().unwrap_or(0);
            if width == 0 {
                continue;
            }
            high -= width;
            let part = match wanted.data.number(known.id) {
                Some(part) => part.clone(),
                None if wanted.kind == Type::Modify => old.slice(high + width - 1, high),
                None => return Err(Problem::invalid(format!("the data have no `{}`", known.name))),
            };
            value = if value.width() == 0 { part } else { value.concat(&part) };
        }
        debug_assert_eq!(value.width(), old.width(), "{id:?}");
        Ok(value)
    }
}
