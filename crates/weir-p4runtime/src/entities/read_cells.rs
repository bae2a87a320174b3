//! Reads counters, meters and registers, both indexed and direct.

use weir_grpc::Problem;
use weir_switch::control::{EntryRef, EntryState};

use super::cells::{read_index, write_index};
use super::explain::explain;
use super::matches::write_matches;
use super::rates::{write_count, write_counts, write_rates};
use super::read::Reader;
use super::table_entries::{entry_key, names_default};
use crate::pipeline::{Cells, Register, Table};
use crate::proto::v1;
use crate::proto::v1::entity::Entity;

/// Reads a direct resource of the entry or default entry that the message names. Returns false if
/// the reader is gone.
type ReadEntry<'r, R> = dyn FnMut(&mut R, &Table, (&EntryRef, v1::TableEntry)) -> Result<bool, Problem> + 'r;

impl Reader<'_, '_> {
    pub(super) fn counter_entries(&mut self, entry: &v1::CounterEntry) -> Result<(), Problem> {
        let layout = self.layout;
        if entry.counter_id == 0 {
            all_or_none("counters", entry.index.is_some())?;
            return layout.counters.iter().try_for_each(|counter| self.counter_cells(counter, None));
        }
        let (_, counter) = layout.counter(entry.counter_id)?;
        let index = read_index(counter, self.translator, entry.index)?;
        self.counter_cells(counter, index)
    }

    fn counter_cells(&mut self, counter: &Cells, index: Option<u64>) -> Result<(), Problem> {
        for index in self.indices(counter, index) {
            let data = Some(write_count(self.control.counter(counter.cells, index).map_err(explain)?));
            let index = write_index(counter, self.translator, index);
            let entry = v1::CounterEntry { counter_id: counter.id, index, data };
            if !self.emit(Entity::CounterEntry(entry)) {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn meter_entries(&mut self, entry: &v1::MeterEntry) -> Result<(), Problem> {
        let layout = self.layout;
        let counts = entry.counter_data.is_some();
        if entry.meter_id == 0 {
            all_or_none("meters", entry.index.is_some())?;
            return layout.meters.iter().try_for_each(|meter| self.meter_cells(meter, None, counts));
        }
        let (_, meter) = layout.meter(entry.meter_id)?;
        let index = read_index(meter, self.translator, entry.index)?;
        self.meter_cells(meter, index, counts)
    }

    fn meter_cells(&mut self, meter: &Cells, index: Option<u64>, counts: bool) -> Result<(), Problem> {
        for index in self.indices(meter, index) {
            let config = self.control.meter(meter.cells, index).map_err(explain)?.map(write_rates);
            let counter_data = match counts {
                true => Some(write_counts(self.control.meter_counts(meter.cells, index).map_err(explain)?)),
                false => None,
            };
            let index = write_index(meter, self.translator, index);
            let entry = v1::MeterEntry { meter_id: meter.id, index, config, counter_data };
            if !self.emit(Entity::MeterEntry(entry)) {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn register_entries(&mut self, entry: &v1::RegisterEntry) -> Result<(), Problem> {
        let layout = self.layout;
        if entry.register_id == 0 {
            all_or_none("registers", entry.index.is_some())?;
            return layout.registers.iter().try_for_each(|register| self.register_cells(register, None));
        }
        let (_, register) = layout.register(entry.register_id)?;
        let index = read_index(&register.cells, self.translator, entry.index)?;
        self.register_cells(register, index)
    }

    fn register_cells(&mut self, register: &Register, index: Option<u64>) -> Result<(), Problem> {
        let cells = &register.cells;
        let mut widths = Vec::new();
        register.data.append_widths(&mut widths);
        for index in self.indices(cells, index) {
            let cell = self.control.register(cells.cells, index).map_err(explain)?;
            // The first part is in the highest bits.
            let mut left = cell.width();
            let parts = widths.iter().map(|width| {
                left = left.saturating_sub(*width);
                cell.shr(u64::from(left)).resize(*width)
            });
            let parts: Vec<_> = parts.collect();
            let data = Some(register.data.write(self.translator, &mut parts.iter()));
            let index = write_index(cells, self.translator, index);
            let entry = v1::RegisterEntry { register_id: cells.id, index, data };
            if !self.emit(Entity::RegisterEntry(entry)) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the cells to read; empty if the object belongs to another role.
    fn indices(&self, cells: &Cells, index: Option<u64>) -> std::ops::Range<u64> {
        match index {
            _ if !(self.may_read)(cells.id) => 0..0,
            Some(index) => index..index + 1,
            None => 0..cells.size,
        }
    }

    pub(super) fn direct_counter_entries(&mut self, message: &v1::DirectCounterEntry) -> Result<(), Problem> {
        let has = |table: &Table| table.has_counter();
        let read = &mut |reader: &mut Self, table: &Table, (entry, key): (&EntryRef, v1::TableEntry)| {
            let count = reader.control.direct_counter(table.table, entry).map_err(explain)?;
            let entry = v1::DirectCounterEntry { table_entry: Some(key), data: Some(write_count(count)) };
            Ok(reader.emit(Entity::DirectCounterEntry(entry)))
        };
        self.direct_entries(message.table_entry.as_ref(), ("direct counter", has), read)
    }

    pub(super) fn direct_meter_entries(&mut self, message: &v1::DirectMeterEntry) -> Result<(), Problem> {
        let counts = message.counter_data.is_some();
        let has = |table: &Table| table.has_meter();
        let read = &mut |reader: &mut Self, table: &Table, (entry, key): (&EntryRef, v1::TableEntry)| {
            let config = reader.control.direct_meter(table.table, entry).map_err(explain)?.map(write_rates);
            let counter_data = match counts {
                true => {
                    let counts = reader.control.direct_meter_counts(table.table, entry).map_err(explain)?;
                    Some(write_counts(counts))
                }
                false => None,
            };
            let entry = v1::DirectMeterEntry { table_entry: Some(key), config, counter_data };
            Ok(reader.emit(Entity::DirectMeterEntry(entry)))
        };
        self.direct_entries(message.table_entry.as_ref(), ("direct meter", has), read)
    }

    /// Reads the direct resource of one entry or of the default entry. A request without a match
    /// reads the resources of all entries. A request without a table reads the resources of all
    /// tables.
    fn direct_entries(
        &mut self,
        wanted: Option<&v1::TableEntry>,
        (what, has): (&str, fn(&Table) -> bool),
        read: &mut ReadEntry<'_, Self>,
    ) -> Result<(), Problem> {
        let layout = self.layout;
        let none = v1::TableEntry::default();
        let wanted = wanted.unwrap_or(&none);
        if wanted.table_id == 0 {
            all_or_none(
                what,
                !wanted.r#match.is_empty() || wanted.priority != 0 || wanted.is_default_action,
            )?;
            for table in layout.tables.iter().filter(|table| has(table)) {
                self.direct_of_all(table, read)?;
            }
            return Ok(());
        }
        let (_, table) = layout.table(wanted.table_id)?;
        let within = |problem: Problem| problem.within(&format!("table `{}`", table.name()));
        if !has(table) {
            return Err(Problem::invalid(format!("the table `{}` has no {what}", table.name())));
        }
        if wanted.is_default_action {
            names_default(wanted).map_err(within)?;
        } else if wanted.r#match.is_empty() && wanted.priority == 0 {
            return self.direct_of_all(table, read);
        }
        if (self.may_read)(table.id) {
            if wanted.is_default_action {
                let (table_id, is_default_action) = (table.id, true);
                let key = v1::TableEntry { table_id, is_default_action, ..v1::TableEntry::default() };
                read(self, table, (&EntryRef::Default, key))?;
                return Ok(());
            }
            let key = entry_key(self.translator, table, wanted).map_err(within)?;
            let entry = self.control.entry(table.table, &key).map_err(explain)?;
            let key = self.key_of(table, &entry);
            read(self, table, (&EntryRef::Handle(entry.handle), key))?;
        }
        Ok(())
    }

    fn direct_of_all(&mut self, table: &Table, read: &mut ReadEntry<'_, Self>) -> Result<(), Problem> {
        let control = self.control;
        self.looked_at += 1;
        if (self.may_read)(table.id) {
            for entry in control.each_entry(table.table).map_err(explain)? {
                let key = self.key_of(table, &entry);
                if !read(self, table, (&EntryRef::Handle(entry.handle), key))? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Makes a table entry that contains only the key.
    fn key_of(&self, table: &Table, entry: &EntryState) -> v1::TableEntry {
        let priority = entry.entry.priority.unwrap_or(0);
        v1::TableEntry {
            table_id: table.id,
            r#match: write_matches(&table.keys, self.translator, &entry.entry.matches),
            priority: i32::try_from(priority).unwrap_or(i32::MAX),
            ..v1::TableEntry::default()
        }
    }
}

/// Refuses a request that gives only part of a key.
fn all_or_none(what: &str, part: bool) -> Result<(), Problem> {
    if part {
        Err(Problem::invalid(format!("all {what} are read: nothing else can be given")))
    } else {
        Ok(())
    }
}
