//! Bindings for the control interface of one switch.

use std::sync::Arc;

use pyo3::prelude::*;
use weir_control::{Controlled, Error, Names, runtime_json};
use weir_ir::TableId;
use weir_json::Document;
use weir_switch::control::{self, ActionUse, EntryRef, Update};

use crate::control::{
    Entry, EntryKey, EntryName, EntryTarget, Rates, Target, members, rates_in, read_priority,
    to_entry_target, to_rates,
};
use crate::journey::Journeys;
use crate::messages::{Digest, IdleEntry, LogLine};
use crate::program::Program;
use crate::{errors, value};

/// An object that holds a switch.
pub trait SwitchHolder: Send + Sync {
    /// Calls `act` with the switch and the current time in nanoseconds.
    fn with_switch(&self, act: &mut dyn FnMut(&mut weir_switch::Switch, u64)) -> PyResult<()>;

    /// Calls `act` with the control interface of the switch and the names of its program.
    fn with_control(&self, act: &mut dyn FnMut(&mut dyn Controlled, Names<'_>)) -> PyResult<()> {
        self.with_switch(&mut |switch, now| {
            let mut control = switch.control_at(now);
            let names = Names::new(control.schema());
            act(&mut control, names);
        })
    }
}

/// The control interface of a switch.
#[pyclass(frozen)]
pub struct Switch(pub Box<dyn SwitchHolder>);

impl Switch {
    /// Calls `act` with the switch and the current time in nanoseconds.
    pub fn with_switch<T>(&self, act: impl FnOnce(&mut weir_switch::Switch, u64) -> T) -> PyResult<T> {
        let (mut act, mut result) = (Some(act), None);
        self.0.with_switch(&mut |switch, now| {
            if let Some(act) = act.take() {
                result = Some(act(switch, now));
            }
        })?;
        result.ok_or_else(|| errors::network_error("the switch was not called"))
    }

    /// Calls `act` with the control interface and the names of the program.
    pub fn with_control<T>(&self, act: impl FnOnce(&mut dyn Controlled, Names<'_>) -> T) -> PyResult<T> {
        let (mut act, mut result) = (Some(act), None);
        self.0.with_control(&mut |control, names| {
            if let Some(act) = act.take() {
                result = Some(act(control, names));
            }
        })?;
        result.ok_or_else(|| errors::network_error("the switch was not called"))
    }

    /// Calls `act` like [`Self::with_control`], for requests that the switch may refuse.
    pub fn with<T>(
        &self,
        act: impl FnOnce(&mut dyn Controlled, Names<'_>) -> Result<T, Error>,
    ) -> PyResult<T> {
        self.with_control(act)?.map_err(|error| errors::request(&error))
    }

    /// Applies an update. Returns the handle or number of the inserted object.
    pub fn change(&self, update: impl FnOnce(Names<'_>) -> Result<Update, Error>) -> PyResult<u64> {
        self.with(|control, names| Ok(control.change(&update(names)?)?.unwrap_or_default()))
    }

    fn apply(&self, document: &Document) -> PyResult<usize> {
        let mut applied = Ok(0);
        self.0.with_control(&mut |control, names| applied = runtime_json::apply(control, names, document))?;
        applied.map_err(|error| errors::documents(&error))
    }
}

#[pymethods]
impl Switch {
    /// Applies runtime JSON as a whole: if any part of it is wrong, nothing changes. Returns the
    /// number of updates.
    fn load(&self, file: String, text: String) -> PyResult<usize> {
        let document = Document::parse(file, text).map_err(|error| errors::documents(&error))?;
        self.apply(&document)
    }

    /// Applies a runtime document like `load`, given as Python values.
    fn load_values(&self, document: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.apply(&Document::from_value(value::read(document)?))
    }

    /// Adds an entry and returns its handle.
    #[pyo3(signature = (table, matches, target, priority, idle_timeout_ns))]
    fn insert(
        &self,
        table: &str,
        matches: &Bound<'_, PyAny>,
        target: &Target,
        priority: &Bound<'_, PyAny>,
        idle_timeout_ns: Option<u64>,
    ) -> PyResult<u64> {
        let (matches, rank) = (members(matches)?, read_priority(priority)?);
        self.change(|names| {
            let table = names.table(table)?;
            let action = target.read(names, table, ActionUse::Entry)?;
            let matches = names.read_matches(table, &matches)?;
            let priority = names.priority(table, rank)?;
            let entry = control::Entry { matches, priority, action, idle_timeout: idle_timeout_ns };
            Ok(Update::Insert { table, entry })
        })
    }

    fn modify(&self, table: &str, entry: EntryKey<'_>, target: &Target) -> PyResult<()> {
        self.change_entry(table, entry, |names, table, entry| {
            Ok(Update::Modify { table, entry, action: target.read(names, table, ActionUse::Entry)? })
        })
    }

    fn delete(&self, table: &str, entry: EntryKey<'_>) -> PyResult<()> {
        self.change_entry(table, entry, |_, table, entry| Ok(Update::Delete { table, entry }))
    }

    fn clear(&self, table: &str) -> PyResult<()> {
        self.change(|names| Ok(Update::Clear { table: names.table(table)? })).map(drop)
    }

    fn set_default(&self, table: &str, target: &Target) -> PyResult<()> {
        let update = |names: Names<'_>| {
            let table = names.table(table)?;
            Ok(Update::SetDefault { table, action: target.read(names, table, ActionUse::Default)? })
        };
        self.change(update).map(drop)
    }

    fn reset_default(&self, table: &str) -> PyResult<()> {
        self.change(|names| Ok(Update::ResetDefault { table: names.table(table)? })).map(drop)
    }

    fn set_idle_timeout(&self, table: &str, entry: EntryKey<'_>, timeout_ns: Option<u64>) -> PyResult<()> {
        self.change_entry(table, entry, |_, table, entry| {
            Ok(Update::SetIdleTimeout { table, entry, timeout: timeout_ns })
        })
    }

    /// Sets the rates of an entry in the direct meter of its table.
    fn set_rates(&self, table: &str, entry: EntryKey<'_>, rates: Option<Rates>) -> PyResult<()> {
        self.change_entry(table, entry, |_, table, entry| {
            Ok(Update::WriteDirectMeter { table, entry, config: rates.map(rates_in) })
        })
    }

    /// Returns the rates of an entry in the direct meter of its table.
    fn rates(&self, table: &str, entry: EntryKey<'_>) -> PyResult<Option<Rates>> {
        let entry = entry.take()?;
        self.with(|control, names| {
            let table = names.table(table)?;
            let entry = entry.read(names, table)?;
            Ok(control.direct_meter(table, &entry)?.map(to_rates))
        })
    }

    /// Returns the entries of a table in the order of insertion.
    fn entries(&self, table: &str) -> PyResult<Vec<Entry>> {
        self.with(|control, names| {
            let table = names.table(table)?;
            let entries = control.entries(table)?;
            Ok(entries.into_iter().map(|state| Entry::new_of(names, table, state)).collect())
        })
    }

    /// Reads one entry.
    fn entry(&self, table: &str, entry: EntryKey<'_>) -> PyResult<Entry> {
        let entry = entry.take()?;
        self.with(|control, names| {
            let table = names.table(table)?;
            let entry = entry.read(names, table)?;
            Ok(Entry::new_of(names, table, control.entry(table, &entry)?))
        })
    }

    fn default_action(&self, table: &str) -> PyResult<EntryTarget> {
        self.with(|control, names| Ok(to_entry_target(names, &control.default_action(names.table(table)?)?)))
    }

    /// Returns the number of entries of a table, its hits, its misses, and its memory in bytes.
    fn table_state(&self, table: &str) -> PyResult<(usize, u64, u64, usize)> {
        let state = self.with(|control, names| control.table_state(names.table(table)?))?;
        Ok((state.entries, state.hits, state.misses, state.memory))
    }

    /// Returns the virtual time in nanoseconds since the start.
    fn now(&self) -> PyResult<u64> {
        self.with(|control, _| control.now())
    }

    fn ports(&self) -> PyResult<Vec<u32>> {
        self.with(|control, _| control.ports())
    }

    /// Returns whether the link of a port is up. Returns false if there is no such port.
    fn is_port_up(&self, port: u32) -> PyResult<bool> {
        self.with_switch(|switch, now| switch.control_at(now).is_port_up(port))
    }

    /// Returns the running program, or `None` if it is `known`.
    fn program(&self, known: &Program) -> PyResult<Option<Program>> {
        self.with_switch(|switch, _| {
            let runs = |executor| Arc::ptr_eq(switch.executor(), executor);
            (!runs(&known.executor) && !runs(&known.untraced)).then(|| Program::from_switch(switch))
        })
    }

    /// Returns whether the switch has a program.
    fn has_program(&self) -> PyResult<bool> {
        self.with_switch(|switch, _| switch.has_program())
    }

    /// Drops packets until a controller has sent a program.
    fn wait_for_program(&self) -> PyResult<()> {
        self.with_switch(|switch, _| switch.wait_for_program())
    }

    /// Resets the switch to the initial state of its program.
    fn reset(&self) -> PyResult<()> {
        self.change(|_| Ok(Update::Reset)).map(drop)
    }

    /// Traces the next packets that arrive. `None` stops tracing and discards the recorded steps.
    fn trace(&self, packets: u64) -> PyResult<()> {
        self.with_switch(|switch, _| match packets {
            0 => switch.stop_trace(),
            packets => switch.trace_next(packets),
        })
    }

    /// Adds the steps recorded since the last call to journeys. Returns the number of packets that
    /// are still to be traced.
    fn read_journeys(&self, journeys: &Journeys) -> PyResult<u64> {
        let (steps, left) = self.with_switch(|switch, _| (switch.take_trace().0, switch.trace_left()))?;
        journeys.add(steps);
        Ok(left)
    }

    /// Takes the digests since the last call.
    fn take_digests(&self) -> PyResult<Vec<Digest>> {
        self.with(|control, _| Ok(control.take_digests()?.into_iter().map(Digest::from).collect()))
    }

    /// Takes the `log_msg` lines since the last call.
    fn take_log(&self) -> PyResult<Vec<LogLine>> {
        self.with(|control, _| Ok(control.take_log()?.into_iter().map(LogLine::from).collect()))
    }

    /// Takes the idle notices since the last call.
    fn take_idle_notices(&self) -> PyResult<Vec<IdleEntry>> {
        self.with(|control, names| {
            let notices = control.take_idle_notices()?.into_iter();
            Ok(notices.map(|notice| IdleEntry::new_of(names, notice)).collect())
        })
    }
}

impl Switch {
    /// Modifies an existing entry.
    fn change_entry(
        &self,
        table: &str,
        entry: EntryKey<'_>,
        update: impl FnOnce(Names<'_>, TableId, EntryRef) -> Result<Update, Error>,
    ) -> PyResult<()> {
        let entry: EntryName = entry.take()?;
        let update = |names: Names<'_>| {
            let table = names.table(table)?;
            let entry = entry.read(names, table)?;
            update(names, table, entry)
        };
        self.change(update).map(drop)
    }
}
