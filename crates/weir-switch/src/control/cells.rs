//! Counters, registers and meters: single cells, whole arrays, and the cells of tables' entries.

use std::sync::Arc;

use weir_ir::{Bits, ExternId, TableId};

use super::words::fit;
use super::write::Undo;
use super::{Control, ControlError, CounterUnit, CounterValue, EntryRef, MeterConfig};
use crate::externs::ExternState;
use crate::externs::counter::CounterArray;
use crate::externs::meter::{Meter, MeterArray};
use crate::externs::register::RegisterArray;

impl Control<'_> {
    /// A counter's cell.
    pub fn counter(&self, counter: &str, index: u64) -> Result<CounterValue, ControlError> {
        let (id, cells) = self.counter_array(counter)?;
        cells.get(index).ok_or_else(|| self.no_index("counter", id, index, cells.size()))
    }

    /// All cells of a counter.
    pub fn counters(&self, counter: &str) -> Result<Vec<CounterValue>, ControlError> {
        let (_, cells) = self.counter_array(counter)?;
        Ok((0..cells.size() as u64).filter_map(|index| cells.get(index)).collect())
    }

    /// What a table's direct counter shows for an entry.
    pub fn direct_counter(&self, table: &str, entry: &EntryRef) -> Result<CounterValue, ControlError> {
        let id = self.table_id(table)?;
        self.direct_unit(id)?;
        let slot = self.slot(id, self.handle(id, entry)?)?;
        Ok(self.table_ref(id).entry_data.count(slot).unwrap_or_default())
    }

    /// A register's cell.
    pub fn register(&self, register: &str, index: u64) -> Result<Bits, ControlError> {
        let (id, cells) = self.register_array(register)?;
        cells.get(index).ok_or_else(|| self.no_index("register", id, index, cells.size()))
    }

    /// All cells of a register.
    pub fn registers(&self, register: &str) -> Result<Vec<Bits>, ControlError> {
        let (_, cells) = self.register_array(register)?;
        Ok((0..cells.size() as u64).filter_map(|index| cells.get(index)).collect())
    }

    /// The rates of a meter's cell, if it has been given any.
    pub fn meter(&self, meter: &str, index: u64) -> Result<Option<MeterConfig>, ControlError> {
        let (id, meter) = self.meter_array(meter)?;
        meter.config(index).ok_or_else(|| self.no_index("meter", id, index, meter.size()))
    }

    /// The rates of all cells of a meter.
    pub fn meters(&self, meter: &str) -> Result<Vec<Option<MeterConfig>>, ControlError> {
        let (_, meter) = self.meter_array(meter)?;
        Ok((0..meter.size() as u64).filter_map(|index| meter.config(index)).collect())
    }

    /// The rates of an entry's cell of its table's direct meter, if it has been given any.
    pub fn direct_meter(&self, table: &str, entry: &EntryRef) -> Result<Option<MeterConfig>, ControlError> {
        let id = self.table_id(table)?;
        self.needs_direct_meter(id)?;
        let handle = self.handle(id, entry)?;
        let slot = self.slot(id, handle)?;
        Ok(self.table_ref(id).entry_data.meter(slot))
    }

    pub(super) fn write_counter_cell(
        &mut self,
        counter: &str,
        index: u64,
        value: CounterValue,
    ) -> Result<Undo, ControlError> {
        let old = self.counter(counter, index)?;
        let id = self.object("counter", counter)?;
        if let ExternState::Counter(cells) = self.state.extern_mut(id) {
            cells.set(index, value);
        }
        Ok(Undo::Counter(id, index, old))
    }

    pub(super) fn write_direct_counter(
        &mut self,
        table: &str,
        entry: &EntryRef,
        value: CounterValue,
    ) -> Result<Undo, ControlError> {
        let id = self.table_id(table)?;
        self.direct_unit(id)?;
        let handle = self.handle(id, entry)?;
        let slot = self.slot(id, handle)?;
        let old = self.table_mut(id).entry_data.set_count(slot, value);
        Ok(Undo::Hits(id, vec![(handle, old)]))
    }

    pub(super) fn reset_direct_counter(&mut self, table: &str) -> Result<Undo, ControlError> {
        let id = self.table_id(table)?;
        self.direct_unit(id)?;
        let mut old = Vec::new();
        for handle in self.handles(id) {
            let slot = self.slot(id, handle)?;
            old.push((handle, self.table_mut(id).entry_data.set_count(slot, CounterValue::default())));
        }
        Ok(Undo::Hits(id, old))
    }

    pub(super) fn write_register_cell(
        &mut self,
        register: &str,
        index: u64,
        value: &Bits,
    ) -> Result<Undo, ControlError> {
        let width = self.register(register, index)?.width();
        let id = self.object("register", register)?;
        let name = &self.program.externs[id].name;
        let value = fit(|| format!("cell {index} of register `{name}`"), value, width)?;
        let old = self.state.replace_cell(id, index, &value);
        Ok(Undo::Register(id, index, old.unwrap_or(value)))
    }

    /// All cells of an indexed counter or register as they were at the start.
    pub(super) fn reset_cells(&mut self, kind: &'static str, name: &str) -> Result<Undo, ControlError> {
        let id = self.object(kind, name)?;
        let state = self.state.extern_mut(id);
        let blank = state.initial();
        Ok(Undo::Cells(id, Box::new(std::mem::replace(state, blank))))
    }

    pub(super) fn write_meter_cell(
        &mut self,
        meter: &str,
        index: u64,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        self.meter(meter, index)?;
        let new = metering(config)?;
        let id = self.object("meter", meter)?;
        let ExternState::Meter(meter) = self.state.extern_mut(id) else {
            unreachable!("objects of type meter are meters")
        };
        Ok(Undo::Meter(id, index, meter.replace(index, new)))
    }

    pub(super) fn write_meter_array(
        &mut self,
        meter: &str,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        let new = metering(config)?;
        let id = self.object("meter", meter)?;
        let state = self.state.extern_mut(id);
        let ExternState::Meter(meter) = &*state else { unreachable!("objects of type meter are meters") };
        let mut all = MeterArray::with(meter.size(), meter.bytes, new.as_ref());
        all.needs_lock = meter.needs_lock;
        let all = ExternState::Meter(Arc::new(all));
        Ok(Undo::Cells(id, Box::new(std::mem::replace(state, all))))
    }

    pub(super) fn write_direct_meter(
        &mut self,
        table: &str,
        entry: &EntryRef,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        let id = self.table_id(table)?;
        self.needs_direct_meter(id)?;
        let handle = self.handle(id, entry)?;
        let new = metering(config)?;
        let slot = self.slot(id, handle)?;
        let old = self.table_mut(id).entry_data.replace_meter(slot, new);
        Ok(Undo::DirectMeters(id, vec![(handle, old)]))
    }

    pub(super) fn write_direct_meter_array(
        &mut self,
        table: &str,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        let id = self.table_id(table)?;
        self.needs_direct_meter(id)?;
        let new = metering(config)?;
        let mut old = Vec::new();
        for handle in self.handles(id) {
            let slot = self.slot(id, handle)?;
            old.push((handle, self.table_mut(id).entry_data.replace_meter(slot, new.clone())));
        }
        Ok(Undo::DirectMeters(id, old))
    }

    fn handles(&self, table: TableId) -> Vec<u64> {
        self.table_ref(table).entries.handles().collect()
    }

    fn counter_array(&self, name: &str) -> Result<(ExternId, &CounterArray), ControlError> {
        let id = self.object("counter", name)?;
        match &self.state.settings.externs[id.index()] {
            ExternState::Counter(cells) => Ok((id, cells)),
            _ => unreachable!("objects of type counter are counters"),
        }
    }

    fn register_array(&self, name: &str) -> Result<(ExternId, &RegisterArray), ControlError> {
        let id = self.object("register", name)?;
        match &self.state.settings.externs[id.index()] {
            ExternState::Register(cells) => Ok((id, cells)),
            _ => unreachable!("objects of type register are registers"),
        }
    }

    fn meter_array(&self, name: &str) -> Result<(ExternId, &MeterArray), ControlError> {
        let id = self.object("meter", name)?;
        match &self.state.settings.externs[id.index()] {
            ExternState::Meter(meter) => Ok((id, meter)),
            _ => unreachable!("objects of type meter are meters"),
        }
    }

    fn needs_direct_meter(&self, table: TableId) -> Result<(), ControlError> {
        if self.table_ref(table).entry_data.has_meters() {
            return Ok(());
        }
        Err(ControlError::NoDirectMeter { table: self.table_schema(table).name.clone() })
    }

    fn direct_unit(&self, table: TableId) -> Result<CounterUnit, ControlError> {
        self.table_ref(table)
            .entry_data
            .unit()
            .ok_or_else(|| ControlError::NoDirectCounter { table: self.table_schema(table).name.clone() })
    }

    fn no_index(&self, what: &'static str, id: ExternId, index: u64, size: usize) -> ControlError {
        ControlError::NoSuchIndex {
            what,
            name: self.program.externs[id].name.clone(),
            index,
            size: size as u64,
        }
    }
}

/// A cell with these rates and full buckets.
fn metering(config: Option<MeterConfig>) -> Result<Option<Meter>, ControlError> {
    match config {
        Some(MeterConfig { committed_rate: committed, peak_rate: peak, .. }) if committed > peak => {
            Err(ControlError::MeterRates { committed, peak })
        }
        config => Ok(config.map(Meter::new)),
    }
}
