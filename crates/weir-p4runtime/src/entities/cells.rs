//! Changes counters, meters and registers, both indexed and direct.

use weir_grpc::Problem;
use weir_switch::control::{EntryRef, MeterCounts, Update};

use super::explain::explain;
use super::rates::{check_counts, read_count, read_rates};
use super::table_entries::{entry_key, names_default};
use super::writer::Writer;
use crate::pipeline::{Cells, Table, Translation, Translator};
use crate::proto::v1;
use crate::proto::v1::update::Type;

/// Reads the index of the cell that a request names. Returns `None` if the request names all cells.
pub(super) fn read_index(
    cells: &Cells,
    translator: &Translator,
    wire_index: Option<v1::Index>,
) -> Result<Option<u64>, Problem> {
    let Some(v1::Index { index: wire_index }) = wire_index else { return Ok(None) };
    let Ok(index) = u64::try_from(wire_index) else {
        return Err(Problem::invalid(format!("`{}`: the index {wire_index} is negative", cells.name)));
    };
    let index = match (cells.index, u32::try_from(index)) {
        (Translation::Ports, Ok(port)) => u64::from(translator.switch_port(port)?),
        _ => index,
    };
    if index >= cells.size {
        return Err(Problem::out_of_range(format!(
            "`{}` has {} cells, from 0; there is no cell {index}",
            cells.name, cells.size
        )));
    }
    Ok(Some(index))
}

/// Converts the index of a cell to the controllers' form.
pub(super) fn write_index(cells: &Cells, translator: &Translator, index: u64) -> Option<v1::Index> {
    let index = match (cells.index, u32::try_from(index)) {
        (Translation::Ports, Ok(port)) => u64::from(translator.sdn_port(port)),
        _ => index,
    };
    Some(v1::Index { index: i64::try_from(index).unwrap_or(i64::MAX) })
}

/// Refuses inserts and deletes.
pub(super) fn only_modify(kind: Type, what: &str) -> Result<(), Problem> {
    match kind {
        Type::Modify => Ok(()),
        _ => Err(Problem::invalid(format!("{what} are always there: they can be changed with MODIFY only"))),
    }
}

impl<'w> Writer<'w, '_, '_> {
    pub(super) fn counter_entry(&mut self, kind: Type, entry: &v1::CounterEntry) -> Result<(), Problem> {
        let layout = self.layout;
        let (_, counter) = layout.counter(entry.counter_id)?;
        only_modify(kind, "cells of counters")?;
        let index = read_index(counter, self.translator, entry.index)?;
        let Some(data) = entry.data else { return Ok(()) };
        let value = read_count(data)?;
        match index {
            Some(index) => {
                let update = Update::WriteCounter { counter: counter.cells, index, value };
                self.change(&update).map_err(explain)?;
            }
            None => self.transaction.fill_counter(counter.cells, value).map_err(explain)?,
        }
        Ok(())
    }

    pub(super) fn register_entry(&mut self, kind: Type, entry: &v1::RegisterEntry) -> Result<(), Problem> {
        let layout = self.layout;
        let (_, register) = layout.register(entry.register_id)?;
        only_modify(kind, "cells of registers")?;
        let cells = &register.cells;
        let index = read_index(cells, self.translator, entry.index)?;
        let within = |problem: Problem| problem.within(&format!("`{}`", cells.name));
        let data = entry.data.as_ref().ok_or_else(|| within(Problem::invalid("no `data` are given")))?;
        let mut parts = Vec::new();
        register.data.read(self.translator, data, &mut parts).map_err(within)?;
        // The first part is in the highest bits.
        let value = parts.into_iter().reduce(|high, low| high.concat(&low));
        let value = value.ok_or_else(|| within(Problem::invalid("no `data` are given")))?;
        match index {
            Some(index) => {
                let update = Update::WriteRegister { register: cells.cells, index, value };
                self.change(&update).map_err(explain)?;
            }
            None => self.transaction.fill_register(cells.cells, &value).map_err(explain)?,
        }
        Ok(())
    }

    pub(super) fn meter_entry(&mut self, kind: Type, entry: &v1::MeterEntry) -> Result<(), Problem> {
        let layout = self.layout;
        let (_, cells) = layout.meter(entry.meter_id)?;
        only_modify(kind, "cells of meters")?;
        let index = read_index(cells, self.translator, entry.index)?;
        let config = entry.config.map(|config| read_rates(config, cells.meter_type)).transpose()?;
        let reset = check_counts(entry.counter_data.as_ref())?;
        let meter = cells.cells;
        let update = match index {
            Some(index) => Update::WriteMeter { meter, index, config },
            None => Update::WriteMeterArray { meter, config },
        };
        self.change(&update).map_err(explain)?;
        if reset {
            let counts = MeterCounts::default();
            let all = index.map_or(0..cells.size, |index| index..index + 1);
            for index in all {
                self.change(&Update::WriteMeterCounts { meter, index, counts }).map_err(explain)?;
            }
        }
        Ok(())
    }

    pub(super) fn direct_counter_entry(
        &mut self,
        kind: Type,
        message: &v1::DirectCounterEntry,
    ) -> Result<(), Problem> {
        let table = self.table_of(message.table_entry.as_ref())?;
        let entry = self.direct_entry(kind, table, message.table_entry.as_ref(), "direct counters")?;
        if !table.has_counter() {
            return Err(Problem::invalid(format!("the table `{}` has no direct counter", table.name())));
        }
        if let Some(data) = message.data {
            let value = read_count(data)?;
            let update = Update::WriteDirectCounter { table: table.table, entry, value };
            self.change(&update).map_err(explain)?;
        }
        Ok(())
    }

    pub(super) fn direct_meter_entry(
        &mut self,
        kind: Type,
        message: &v1::DirectMeterEntry,
    ) -> Result<(), Problem> {
        let table = self.table_of(message.table_entry.as_ref())?;
        let entry = self.direct_entry(kind, table, message.table_entry.as_ref(), "direct meters")?;
        if !table.has_meter() {
            return Err(Problem::invalid(format!("the table `{}` has no direct meter", table.name())));
        }
        let config = message.config.map(|config| read_rates(config, table.meter_type)).transpose()?;
        let reset = check_counts(message.counter_data.as_ref())?;
        let update = Update::WriteDirectMeter { table: table.table, entry: entry.clone(), config };
        self.change(&update).map_err(explain)?;
        if reset {
            self.reset_direct_meter_counts(table, entry)?;
        }
        Ok(())
    }

    /// Sets the packet and byte counts of an entry's direct meter to 0.
    pub(super) fn reset_direct_meter_counts(
        &mut self,
        table: &Table,
        entry: EntryRef,
    ) -> Result<(), Problem> {
        let counts = MeterCounts::default();
        let update = Update::WriteDirectMeterCounts { table: table.table, entry, counts };
        self.change(&update).map_err(explain)?;
        Ok(())
    }

    fn table_of(&self, entry: Option<&v1::TableEntry>) -> Result<&'w Table, Problem> {
        let entry = entry.ok_or_else(|| Problem::invalid("no `table_entry` is given"))?;
        Ok(self.layout.table(entry.table_id)?.1)
    }

    /// Finds the entry that a direct resource belongs to.
    fn direct_entry(
        &self,
        kind: Type,
        table: &Table,
        entry: Option<&v1::TableEntry>,
        what: &str,
    ) -> Result<EntryRef, Problem> {
        only_modify(kind, what)?;
        let entry = entry.ok_or_else(|| Problem::invalid("no `table_entry` is given"))?;
        let within = |problem: Problem| problem.within(&format!("table `{}`", table.name()));
        if entry.is_default_action {
            names_default(entry).map_err(within)?;
            return Ok(EntryRef::Default);
        }
        let key = entry_key(self.translator, table, entry).map_err(within)?;
        let handle = self.control().handle(table.table, &key).map_err(explain)?;
        Ok(EntryRef::Handle(handle))
    }
}
