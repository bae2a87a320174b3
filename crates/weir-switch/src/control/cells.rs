//! Counters, registers and meters: single cells, whole arrays, and the cells of tables' entries.

use weir_ir::{Bits, ExternId, TableId};

use super::error::{CellsOf, Field};
use super::undo::Undo;
use super::words::fit_width;
use super::{Control, ControlError, CounterUnit, CounterValue, EntryRef, MeterConfig, MeterCounts};
use crate::externs::ExternState;
use crate::externs::counter::CounterArray;
use crate::externs::meter::Meter;
use crate::externs::meter_array::MeterArray;
use crate::externs::register::RegisterArray;

impl Control<'_> {
    /// Reads a counter's cell.
    pub fn counter(&self, counter: ExternId, index: u64) -> Result<CounterValue, ControlError> {
        let cells = self.counter_array(counter)?;
        cells.get(index).ok_or_else(|| no_index("counter", counter, index, cells.size()))
    }

    /// Reads all cells of a counter.
    pub fn counters(&self, counter: ExternId) -> Result<Vec<CounterValue>, ControlError> {
        let cells = self.counter_array(counter)?;
        Ok((0..cells.size() as u64).filter_map(|index| cells.get(index)).collect())
    }

    /// Reads the value of a table's direct counter for an entry.
    pub fn direct_counter(&self, table: TableId, entry: &EntryRef) -> Result<CounterValue, ControlError> {
        self.direct_unit(table)?;
        let slot = self.find_cell(table, entry)?;
        Ok(self.table_ref(table).entry_data.count(slot).unwrap_or_default())
    }

    /// Reads a register's cell.
    pub fn register(&self, register: ExternId, index: u64) -> Result<Bits, ControlError> {
        let cells = self.register_array(register)?;
        cells.get(index).ok_or_else(|| no_index("register", register, index, cells.size()))
    }

    /// Returns the value with which the cells of a register begin.
    pub fn initial_cell(&self, register: ExternId) -> Result<Bits, ControlError> {
        let cells = self.register_array(register)?;
        Ok(cells.initial_cell())
    }

    /// Reads all cells of a register.
    pub fn registers(&self, register: ExternId) -> Result<Vec<Bits>, ControlError> {
        let cells = self.register_array(register)?;
        Ok((0..cells.size() as u64).filter_map(|index| cells.get(index)).collect())
    }

    /// Returns the rates of a meter's cell, if any are set.
    pub fn meter(&self, meter: ExternId, index: u64) -> Result<Option<MeterConfig>, ControlError> {
        let cells = self.meter_array(meter)?;
        cells.config(index).ok_or_else(|| no_index("meter", meter, index, cells.size()))
    }

    /// Returns the rates of all cells of a meter.
    pub fn meters(&self, meter: ExternId) -> Result<Vec<Option<MeterConfig>>, ControlError> {
        let cells = self.meter_array(meter)?;
        Ok((0..cells.size() as u64).filter_map(|index| cells.config(index)).collect())
    }

    /// Returns the rates of an entry in the direct meter of its table, if rates are set.
    pub fn direct_meter(
        &self,
        table: TableId,
        entry: &EntryRef,
    ) -> Result<Option<MeterConfig>, ControlError> {
        self.needs_direct_meter(table)?;
        let slot = self.find_cell(table, entry)?;
        Ok(self.table_ref(table).entry_data.meter(slot))
    }

    /// Returns the fields of a cell of the table's direct register, with their widths; `None` if
    /// the table has no direct register. The filters `DirectLpf` and `DirectWred` of TNA are direct
    /// registers.
    pub fn direct_register_fields(&self, table: TableId) -> Option<&[(String, u32)]> {
        self.known_table(table).ok()?;
        self.table_ref(table).entry_data.register_fields()
    }

    /// Reads the cell of an entry in the direct register of its table. The first field is in the
    /// upper bits.
    pub fn direct_register(&self, table: TableId, entry: &EntryRef) -> Result<Bits, ControlError> {
        self.direct_register_fields(table).ok_or(ControlError::NoDirectRegister(table))?;
        let slot = self.find_cell(table, entry)?;
        let cell = self.table_ref(table).entry_data.register(slot);
        cell.ok_or(ControlError::NoDirectRegister(table))
    }

    /// Returns the counts of a meter's cell.
    pub fn meter_counts(&self, meter: ExternId, index: u64) -> Result<MeterCounts, ControlError> {
        let cells = self.meter_array(meter)?;
        cells.counts(index).ok_or_else(|| no_index("meter", meter, index, cells.size()))
    }

    /// Returns the counts of an entry in the direct meter of its table.
    pub fn direct_meter_counts(&self, table: TableId, entry: &EntryRef) -> Result<MeterCounts, ControlError> {
        self.needs_direct_meter(table)?;
        let slot = self.find_cell(table, entry)?;
        Ok(self.table_ref(table).entry_data.meter_counts(slot))
    }

    pub(super) fn write_counter(
        &mut self,
        counter: ExternId,
        index: u64,
        value: CounterValue,
    ) -> Result<Undo, ControlError> {
        let old = self.counter(counter, index)?;
        check_unit(CellsOf::Object(counter), self.counter_array(counter)?.unit, value)?;
        if let ExternState::Counter(cells) = self.state.extern_mut(counter) {
            cells.set(index, value);
        }
        Ok(Undo::Counter(counter, index, old))
    }

    pub(super) fn write_direct_counter(
        &mut self,
        table: TableId,
        entry: &EntryRef,
        value: CounterValue,
    ) -> Result<Undo, ControlError> {
        check_unit(CellsOf::Entries(table), self.direct_unit(table)?, value)?;
        let slot = self.find_cell(table, entry)?;
        let runtime = self.table_mut(table);
        let handle = slot.map(|slot| runtime.entries.handle(slot));
        Ok(Undo::Hits(table, vec![(handle, runtime.entry_data.set_count(slot, value))]))
    }

    pub(super) fn reset_direct_counter(&mut self, table: TableId) -> Result<Undo, ControlError> {
        self.direct_unit(table)?;
        let mut old = Vec::new();
        for handle in self.handles(table).into_iter().map(Some).chain([None]) {
            let slot = handle.map(|handle| self.slot_of_handle(table, handle)).transpose()?;
            old.push((handle, self.table_mut(table).entry_data.set_count(slot, CounterValue::default())));
        }
        Ok(Undo::Hits(table, old))
    }

    pub(super) fn write_register(
        &mut self,
        register: ExternId,
        index: u64,
        value: &Bits,
    ) -> Result<Undo, ControlError> {
        let width = self.register(register, index)?.width();
        let value = fit_width(Field::Cell(register, index), value, width)?;
        let old = self.state.replace_cell(register, index, &value);
        Ok(Undo::Register(register, index, old.unwrap_or(value)))
    }

    pub(super) fn write_direct_register(
        &mut self,
        table: TableId,
        entry: &EntryRef,
        value: &Bits,
    ) -> Result<Undo, ControlError> {
        let width = self.direct_register(table, entry)?.width();
        let value = fit_width(Field::EntryCell(table), value, width)?;
        let slot = self.find_cell(table, entry)?;
        let runtime = self.table_mut(table);
        let handle = slot.map(|slot| runtime.entries.handle(slot));
        let old = runtime.entry_data.replace_register(slot, &value);
        Ok(Undo::DirectRegister(table, handle, old.unwrap_or(value)))
    }

    pub(super) fn reset_counter(&mut self, counter: ExternId) -> Result<Undo, ControlError> {
        self.counter_array(counter)?;
        Ok(self.reset_cells(counter))
    }

    pub(super) fn reset_register(&mut self, register: ExternId) -> Result<Undo, ControlError> {
        self.register_array(register)?;
        Ok(self.reset_cells(register))
    }

    /// Sets all cells of an indexed counter or register to their initial value.
    fn reset_cells(&mut self, id: ExternId) -> Undo {
        let state = self.state.extern_mut(id);
        let blank = state.initial();
        Undo::Cells(id, Box::new(std::mem::replace(state, blank)))
    }

    /// Sets all cells of a counter.
    pub(super) fn fill_counter(
        &mut self,
        counter: ExternId,
        value: CounterValue,
    ) -> Result<Undo, ControlError> {
        check_unit(CellsOf::Object(counter), self.counter_array(counter)?.unit, value)?;
        let undo = self.reset_counter(counter)?;
        if let ExternState::Counter(cells) = self.state.extern_mut(counter) {
            for index in 0..cells.size() as u64 {
                cells.set(index, value);
            }
        }
        Ok(undo)
    }

    /// Sets all cells of a register.
    pub(super) fn fill_register(&mut self, register: ExternId, value: &Bits) -> Result<Undo, ControlError> {
        let cells = self.register_array(register)?;
        let (size, width) = (cells.size() as u64, cells.width());
        let value = fit_width(Field::Cell(register, 0), value, width)?;
        let undo = self.reset_register(register)?;
        for index in 0..size {
            self.state.replace_cell(register, index, &value);
        }
        Ok(undo)
    }

    pub(super) fn write_meter(
        &mut self,
        meter: ExternId,
        index: u64,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        self.meter(meter, index)?;
        let new = meter_from_config(config)?;
        let ExternState::Meter(cells) = self.state.extern_mut(meter) else {
            unreachable!("it was found to be a meter")
        };
        Ok(Undo::Meter(meter, index, cells.replace(index, new)))
    }

    pub(super) fn write_meter_array(
        &mut self,
        meter: ExternId,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        let new = meter_from_config(config)?;
        Ok(Undo::Meters(meter, self.meter_array(meter)?.replace_all(new.as_ref())))
    }

    /// Returns the number of bytes that a meter adds to the length of each packet.
    pub fn meter_adjustment(&self, meter: CellsOf) -> Result<i32, ControlError> {
        match meter {
            CellsOf::Object(meter) => Ok(self.meter_array(meter)?.adjustment()),
            CellsOf::Entries(table) => {
                self.needs_direct_meter(table)?;
                Ok(self.table_ref(table).entry_data.meter_adjustment())
            }
        }
    }

    pub(super) fn set_meter_adjustment(&mut self, meter: CellsOf, bytes: i32) -> Result<Undo, ControlError> {
        let old = self.meter_adjustment(meter)?;
        self.put_meter_adjustment(meter, bytes);
        Ok(Undo::MeterAdjustment(meter, old))
    }

    /// Sets the number of bytes that a meter adds, if there is such a meter.
    pub(super) fn put_meter_adjustment(&mut self, meter: CellsOf, bytes: i32) {
        match meter {
            CellsOf::Object(meter) => {
                if let Ok(cells) = self.meter_array(meter) {
                    cells.set_adjustment(bytes);
                }
            }
            CellsOf::Entries(table) => self.table_mut(table).entry_data.set_meter_adjustment(bytes),
        }
    }

    pub(super) fn write_meter_counts(
        &mut self,
        meter: ExternId,
        index: u64,
        counts: MeterCounts,
    ) -> Result<Undo, ControlError> {
        let cells = self.meter_array(meter)?;
        let old = cells.set_counts(index, counts);
        let old = old.ok_or_else(|| no_index("meter", meter, index, cells.size()))?;
        Ok(Undo::MeterCounts(meter, index, Box::new(old)))
    }

    pub(super) fn write_direct_meter_counts(
        &mut self,
        table: TableId,
        entry: &EntryRef,
        counts: MeterCounts,
    ) -> Result<Undo, ControlError> {
        self.needs_direct_meter(table)?;
        let slot = self.find_cell(table, entry)?;
        let runtime = self.table_mut(table);
        let handle = slot.map(|slot| runtime.entries.handle(slot));
        let old = runtime.entry_data.set_meter_counts(slot, counts);
        Ok(Undo::DirectMeterCounts(table, handle, Box::new(old)))
    }

    pub(super) fn write_direct_meter(
        &mut self,
        table: TableId,
        entry: &EntryRef,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        self.needs_direct_meter(table)?;
        let slot = self.find_cell(table, entry)?;
        let new = meter_from_config(config)?;
        let runtime = self.table_mut(table);
        let handle = slot.map(|slot| runtime.entries.handle(slot));
        Ok(Undo::DirectMeters(table, vec![(handle, runtime.entry_data.replace_meter(slot, new))]))
    }

    pub(super) fn write_direct_meter_array(
        &mut self,
        table: TableId,
        config: Option<MeterConfig>,
    ) -> Result<Undo, ControlError> {
        self.needs_direct_meter(table)?;
        let new = meter_from_config(config)?;
        let mut old = Vec::new();
        for handle in self.handles(table) {
            let slot = self.slot_of_handle(table, handle)?;
            let meters = &mut self.table_mut(table).entry_data;
            old.push((Some(handle), meters.replace_meter(Some(slot), new.clone())));
        }
        Ok(Undo::DirectMeters(table, old))
    }

    /// Returns the handles of a table's entries.
    fn handles(&self, table: TableId) -> Vec<u64> {
        self.table_ref(table).entries.handles().collect()
    }

    fn counter_array(&self, id: ExternId) -> Result<&CounterArray, ControlError> {
        match self.state.settings.externs.get(id.index()) {
            Some(ExternState::Counter(cells)) => Ok(cells),
            _ => Err(ControlError::NoSuchExtern { what: "counter", id }),
        }
    }

    fn register_array(&self, id: ExternId) -> Result<&RegisterArray, ControlError> {
        match self.state.settings.externs.get(id.index()) {
            Some(ExternState::Register(cells)) => Ok(cells),
            _ => Err(ControlError::NoSuchExtern { what: "register", id }),
        }
    }

    fn meter_array(&self, id: ExternId) -> Result<&MeterArray, ControlError> {
        match self.state.settings.externs.get(id.index()) {
            Some(ExternState::Meter(cells)) => Ok(cells),
            _ => Err(ControlError::NoSuchExtern { what: "meter", id }),
        }
    }

    fn needs_direct_meter(&self, table: TableId) -> Result<(), ControlError> {
        self.known_table(table)?;
        let has = self.table_ref(table).entry_data.has_meters();
        if has { Ok(()) } else { Err(ControlError::NoDirectMeter(table)) }
    }

    fn direct_unit(&self, table: TableId) -> Result<CounterUnit, ControlError> {
        self.known_table(table)?;
        self.table_ref(table).entry_data.counter_unit().ok_or(ControlError::NoDirectCounter(table))
    }
}

fn no_index(what: &'static str, id: ExternId, index: u64, size: usize) -> ControlError {
    ControlError::NoSuchIndex { what, id, index, size: size as u64 }
}

/// Refuses counts in a unit that the counter does not count.
fn check_unit(cells: CellsOf, unit: CounterUnit, value: CounterValue) -> Result<(), ControlError> {
    if unit.holds(value) { Ok(()) } else { Err(ControlError::NotCounted { cells, unit }) }
}

/// Creates a meter with these rates and full buckets.
fn meter_from_config(config: Option<MeterConfig>) -> Result<Option<Meter>, ControlError> {
    match config {
        Some(MeterConfig { committed_rate: committed, peak_rate: peak, .. }) if committed > peak => {
            Err(ControlError::MeterRates { committed, peak })
        }
        Some(config)
            if config.has_single_rate()
                && (config.committed_rate, config.committed_burst)
                    != (config.peak_rate, config.peak_burst) =>
        {
            Err(ControlError::ExcessBurst)
        }
        config => Ok(config.map(Meter::new)),
    }
}
