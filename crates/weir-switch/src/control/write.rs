//! Changing, one update or a batch of which all is done or nothing.

use std::ops::Range;
use std::sync::Arc;

use weir_ir::{ActionCall, Bits, ExternId, TableId, ValueSetId};
use weir_tables::Table;

use super::batch::Batch;
use super::words::fit;
use super::{
    BatchError, CloneSession, Control, ControlError, CounterValue, CrcParameters, Entry, EntryRef,
    MeterConfig, Replica, Target, Update,
};
use crate::externs::ExternState;
use crate::externs::crc::CustomCrc;
use crate::externs::meter::Meter;
use crate::externs::profile::Outcome;
use crate::state::ControlState;
use crate::tables::{IdleTimeout, OldRow, RemovedEntry};
use crate::traffic_manager::QueueSettings;

/// How to take an update back.
pub(super) enum Undo {
    /// Entries that were inserted one after the other.
    Remove(TableId, Range<u64>),
    Restore(TableId, Vec<RemovedEntry>),
    Row(TableId, u64, OldRow),
    Idle(TableId, u64, Option<IdleTimeout>),
    Member(ExternId, u32, Option<Arc<ActionCall>>),
    SelectorGroup(ExternId, u32, Option<Vec<(u32, u32)>>),
    Crc(CustomCrc),
    Hits(TableId, Vec<(u64, CounterValue)>),
    DirectMeters(TableId, Vec<(u64, Option<Meter>)>),
    Cells(ExternId, Box<ExternState>),
    State(Box<ControlState>),
    Default(TableId, Outcome),
    Counter(ExternId, u64, CounterValue),
    Register(ExternId, u64, Bits),
    Meter(ExternId, u64, Option<Meter>),
    ValueSet(ValueSetId, Arc<Table>),
    Group(u16, Option<Vec<Replica>>),
    Session(u32, Option<CloneSession>),
    Queues(Box<QueueSettings>),
}

impl Control<'_> {
    /// Does all updates in order, or nothing if one of them is wrong. Returns for each the handle of the entry, or the
    /// number of the member or group, that it inserted, if it did.
    pub fn write(&mut self, updates: &[Update]) -> Result<Vec<Option<u64>>, BatchError> {
        let mut done: Vec<Undo> = Vec::new();
        let mut handles = Vec::with_capacity(updates.len());
        let mut batch = std::mem::take(self.batch);
        for (index, update) in updates.iter().enumerate() {
            match self.apply(update, &mut batch) {
                Ok(undo) => {
                    handles.push(match &undo {
                        Undo::Remove(_, entries) => Some(entries.start),
                        Undo::Member(_, id, None) | Undo::SelectorGroup(_, id, None) => Some(u64::from(*id)),
                        _ => None,
                    });
                    match (done.last_mut(), undo) {
                        (Some(Undo::Remove(of, before)), Undo::Remove(table, entries))
                            if *of == table && before.end == entries.start =>
                        {
                            before.end = entries.end;
                        }
                        (_, undo) => done.push(undo),
                    }
                }
                Err(error) => {
                    *self.batch = batch;
                    while let Some(undo) = done.pop() {
                        self.take_back(undo);
                    }
                    return Err(BatchError { index, error });
                }
            }
        }
        *self.batch = batch;
        self.publish();
        Ok(handles)
    }

    /// A batch of one.
    fn change(&mut self, update: &Update) -> Result<(), ControlError> {
        let mut batch = std::mem::take(self.batch);
        let changed = self.apply(update, &mut batch);
        *self.batch = batch;
        changed?;
        self.publish();
        Ok(())
    }

    /// Adds an entry and returns its handle.
    pub fn insert(&mut self, table: &str, entry: Entry) -> Result<u64, ControlError> {
        let mut batch = std::mem::take(self.batch);
        let inserted = self.insert_entry(table, &entry, &mut batch);
        *self.batch = batch;
        let (_, handle) = inserted?;
        self.publish();
        Ok(handle)
    }

    /// Gives an entry another action.
    pub fn modify(
        &mut self,
        table: &str,
        entry: EntryRef,
        action: impl Into<Target>,
    ) -> Result<(), ControlError> {
        let action = action.into();
        self.change(&Update::Modify { table: table.to_owned(), entry, action })
    }

    /// Takes an entry out.
    pub fn delete(&mut self, table: &str, entry: EntryRef) -> Result<(), ControlError> {
        self.change(&Update::Delete { table: table.to_owned(), entry })
    }

    /// Takes out all entries that are not constant.
    pub fn clear(&mut self, table: &str) -> Result<(), ControlError> {
        self.change(&Update::Clear { table: table.to_owned() })
    }

    /// Sets a table's default action.
    pub fn set_default(&mut self, table: &str, action: impl Into<Target>) -> Result<(), ControlError> {
        let action = action.into();
        self.change(&Update::SetDefault { table: table.to_owned(), action })
    }

    /// Back to the program's default action.
    pub fn reset_default(&mut self, table: &str) -> Result<(), ControlError> {
        self.change(&Update::ResetDefault { table: table.to_owned() })
    }

    /// Sets a counter's cell.
    pub fn write_counter(
        &mut self,
        counter: &str,
        index: u64,
        value: CounterValue,
    ) -> Result<(), ControlError> {
        self.change(&Update::WriteCounter { counter: counter.to_owned(), index, value })
    }

    /// Sets a register's cell.
    pub fn write_register(&mut self, register: &str, index: u64, value: Bits) -> Result<(), ControlError> {
        self.change(&Update::WriteRegister { register: register.to_owned(), index, value })
    }

    /// Sets or removes the rates of a meter's cell.
    pub fn write_meter(
        &mut self,
        meter: &str,
        index: u64,
        config: Option<MeterConfig>,
    ) -> Result<(), ControlError> {
        self.change(&Update::WriteMeter { meter: meter.to_owned(), index, config })
    }

    /// Sets or removes a multicast group.
    pub fn set_multicast_group(
        &mut self,
        group: u16,
        replicas: Option<Vec<Replica>>,
    ) -> Result<(), ControlError> {
        self.change(&Update::SetMulticastGroup { group, replicas })
    }

    /// Sets or removes a clone session.
    pub fn set_clone_session(
        &mut self,
        session: u32,
        config: Option<CloneSession>,
    ) -> Result<(), ControlError> {
        self.change(&Update::SetCloneSession { session, config })
    }

    fn apply(&mut self, update: &Update, batch: &mut Batch) -> Result<Undo, ControlError> {
        match update {
            Update::Insert { table, entry } => {
                let (id, handle) = self.insert_entry(table, entry, batch)?;
                Ok(Undo::Remove(id, handle..handle + 1))
            }
            Update::Modify { table, entry, action } => {
                let (id, slot) = self.changeable(table, entry, batch)?;
                if self.table_ref(id).shape.profile.is_none()
                    && let Target::Action(call) = action
                {
                    let names = batch.names.table(self.schema, table)?;
                    self.read_call(names, call, false, &mut batch.row)?;
                } else {
                    let outcome = self.outcome(id, action, false)?;
                    self.table_mut(id).write_outcome(&outcome, &mut batch.row);
                }
                let runtime = self.table_mut(id);
                let (handle, size) = (runtime.entries.handle(slot), runtime.entries.len() as u64);
                let set = runtime.set_row(slot, &batch.row);
                let name = || self.table_schema(id).name.clone();
                let old = set.map_err(|_| ControlError::TableFull { table: name(), size })?;
                Ok(Undo::Row(id, handle, old))
            }
            Update::Delete { table, entry } => {
                let (id, slot) = self.changeable(table, entry, batch)?;
                Ok(Undo::Restore(id, vec![self.table_mut(id).remove_at(slot)]))
            }
            Update::Clear { table } => {
                let id = self.table_id(table)?;
                self.not_const(id)?;
                let table = self.table_mut(id);
                let handles: Vec<_> =
                    table.entries.handles().filter(|handle| !table.is_const(*handle)).collect();
                Ok(Undo::Restore(id, handles.into_iter().filter_map(|handle| table.remove(handle)).collect()))
            }
            Update::SetDefault { table, action } => {
                let id = self.table_id(table)?;
                self.not_const_default(id)?;
                let outcome = self.outcome(id, action, true)?;
                Ok(Undo::Default(id, self.table_mut(id).set_default(outcome)))
            }
            Update::ResetDefault { table } => {
                let id = self.table_id(table)?;
                let own = Outcome::Call(Arc::clone(&self.table_ref(id).shape.own_default));
                Ok(Undo::Default(id, self.table_mut(id).set_default(own)))
            }
            Update::SetIdleTimeout { table, entry, timeout } => {
                let id = self.table_id(table)?;
                let handle = self.handle(id, entry)?;
                let idle = self.idle(id, *timeout)?;
                let slot = self.slot(id, handle)?;
                let place = self.table_mut(id).entry_data.idle_mut(slot);
                let old = place.and_then(|place| std::mem::replace(place, idle));
                self.arm(id, handle);
                Ok(Undo::Idle(id, handle, old))
            }
            Update::InsertMember { profile, member, action } => {
                let (id, call) = self.member_call(profile, action)?;
                let (size, members) = (self.profile_ref(id).size, &self.profile_ref(id).members);
                let number = self.new_number("member", id, *member, members)?;
                if size != 0 && members.len() as u64 >= size {
                    let profile = self.program.externs[id].name.clone();
                    return Err(ControlError::ProfileFull { profile, size });
                }
                self.profile_mut(id).members.insert(number, call);
                Ok(Undo::Member(id, number, None))
            }
            Update::ModifyMember { profile, member, action } => {
                let (id, call) = self.member_call(profile, action)?;
                self.known_member(id, *member)?;
                Ok(Undo::Member(id, *member, self.profile_mut(id).members.insert(*member, call)))
            }
            Update::DeleteMember { profile, member } => {
                let (id, _) = self.profile_id(profile)?;
                self.known_member(id, *member)?;
                self.unused(id, &Outcome::Member(*member))?;
                Ok(Undo::Member(id, *member, self.profile_mut(id).members.remove(member)))
            }
            Update::InsertGroup { profile, group, members } => {
                let (id, _) = self.profile_id(profile)?;
                self.needs_selector(id)?;
                let number = self.new_number("group", id, *group, &self.profile_ref(id).groups)?;
                let members = self.group_members(id, members)?;
                self.profile_mut(id).groups.insert(number, members);
                Ok(Undo::SelectorGroup(id, number, None))
            }
            Update::ModifyGroup { profile, group, members } => {
                let (id, _) = self.profile_id(profile)?;
                self.needs_selector(id)?;
                self.known_group(id, *group)?;
                let members = self.group_members(id, members)?;
                Ok(Undo::SelectorGroup(id, *group, self.profile_mut(id).groups.insert(*group, members)))
            }
            Update::DeleteGroup { profile, group } => {
                let (id, _) = self.profile_id(profile)?;
                self.needs_selector(id)?;
                self.known_group(id, *group)?;
                self.unused(id, &Outcome::Group(*group))?;
                Ok(Undo::SelectorGroup(id, *group, self.profile_mut(id).groups.remove(group)))
            }
            Update::SetCrc { algorithm, parameters } => self.set_crc(algorithm, *parameters),
            Update::WriteCounter { counter, index, value } => {
                self.write_counter_cell(counter, *index, *value)
            }
            Update::WriteDirectCounter { table, entry, value } => {
                self.write_direct_counter(table, entry, *value)
            }
            Update::ResetCounter { counter } => self.reset_cells("counter", counter),
            Update::ResetDirectCounter { table } => self.reset_direct_counter(table),
            Update::WriteRegister { register, index, value } => {
                self.write_register_cell(register, *index, value)
            }
            Update::ResetRegister { register } => self.reset_cells("register", register),
            Update::WriteMeter { meter, index, config } => self.write_meter_cell(meter, *index, *config),
            Update::WriteDirectMeter { table, entry, config } => {
                self.write_direct_meter(table, entry, *config)
            }
            Update::WriteMeterArray { meter, config } => self.write_meter_array(meter, *config),
            Update::WriteDirectMeterArray { table, config } => self.write_direct_meter_array(table, *config),
            Update::SetValueSet { set, members } => self.set_members(set, members),
            Update::SetMulticastGroup { group, replicas } => self.replace_group(*group, replicas.as_deref()),
            Update::SetQueueDepth { port, priority, depth } => {
                Ok(Undo::Queues(Box::new(self.set_queue_depth(*port, *priority, *depth)?)))
            }
            Update::SetQueueRate { port, priority, rate } => {
                Ok(Undo::Queues(Box::new(self.set_queue_rate(*port, *priority, *rate)?)))
            }
            Update::SetCloneSession { session, config } => self.replace_session(*session, *config),
            Update::Reset => {
                let blank = self.state.initial(self.program);
                Ok(Undo::State(Box::new(self.state.replace(blank))))
            }
        }
    }

    fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Remove(table, entries) => {
                for handle in entries.rev() {
                    self.table_mut(table).remove(handle);
                }
            }
            Undo::Restore(table, entries) => {
                for entry in entries {
                    let restored = self.table_mut(table).restore(entry);
                    debug_assert!(restored, "what was there a moment ago fits again");
                }
            }
            Undo::Row(table, handle, old) => {
                let restored = self.table_mut(table).restore_row(handle, old);
                debug_assert!(restored, "what was there a moment ago fits again");
            }
            Undo::Idle(table, handle, idle) => {
                let runtime = self.table_mut(table);
                let place = runtime.entries.slot(handle).and_then(|slot| runtime.entry_data.idle_mut(slot));
                if let Some(place) = place {
                    *place = idle;
                }
            }
            Undo::Member(id, member, Some(old)) => drop(self.profile_mut(id).members.insert(member, old)),
            Undo::Member(id, member, None) => drop(self.profile_mut(id).members.remove(&member)),
            Undo::SelectorGroup(id, group, Some(old)) => drop(self.profile_mut(id).groups.insert(group, old)),
            Undo::SelectorGroup(id, group, None) => drop(self.profile_mut(id).groups.remove(&group)),
            Undo::Crc(old) => drop(self.replace_crc(old)),
            Undo::Hits(table, old) => {
                for (handle, hits) in old {
                    let runtime = self.table_mut(table);
                    if let Some(slot) = runtime.entries.slot(handle) {
                        runtime.entry_data.set_count(slot, hits);
                    }
                }
            }
            Undo::DirectMeters(table, old) => {
                for (handle, meter) in old {
                    let runtime = self.table_mut(table);
                    if let Some(slot) = runtime.entries.slot(handle) {
                        runtime.entry_data.replace_meter(slot, meter);
                    }
                }
            }
            Undo::Cells(id, cells) => *self.state.extern_mut(id) = *cells,
            Undo::State(runtime) => drop(self.state.replace(*runtime)),
            Undo::Default(table, outcome) => drop(self.table_mut(table).set_default(outcome)),
            Undo::Counter(id, index, value) => {
                if let ExternState::Counter(cells) = self.state.extern_mut(id) {
                    cells.set(index, value);
                }
            }
            Undo::Register(id, index, value) => drop(self.state.replace_cell(id, index, &value)),
            Undo::Meter(id, index, old) => {
                if let ExternState::Meter(meter) = self.state.extern_mut(id) {
                    meter.replace(index, old);
                }
            }
            Undo::ValueSet(id, members) => self.state.settings.value_sets[id.index()] = members,
            Undo::Group(group, Some(old)) => {
                drop(Arc::make_mut(&mut self.state.settings.groups).insert(group, old))
            }
            Undo::Group(group, None) => drop(Arc::make_mut(&mut self.state.settings.groups).remove(&group)),
            Undo::Queues(settings) => self.queues.settings = *settings,
            Undo::Session(session, Some(old)) => {
                Arc::make_mut(&mut self.state.settings.sessions).insert(session, old);
            }
            Undo::Session(session, None) => {
                Arc::make_mut(&mut self.state.settings.sessions).remove(&session);
            }
        }
    }

    fn set_crc(&mut self, algorithm: &str, parameters: CrcParameters) -> Result<Undo, ControlError> {
        let width = match algorithm {
            "crc16_custom" => 16,
            "crc32_custom" => 32,
            _ => return Err(ControlError::NoCrc { algorithm: algorithm.to_owned() }),
        };
        let CrcParameters { polynomial, initial, final_xor, .. } = parameters;
        for (name, value) in
            [("polynomial", polynomial), ("initial value", initial), ("final xor value", final_xor)]
        {
            fit(|| format!("{name} of `{algorithm}`"), &Bits::new(32, u128::from(value)), width)?;
        }
        Ok(Undo::Crc(self.replace_crc(CustomCrc::new(width, parameters))))
    }

    /// Puts a custom CRC in the place of the one of its width.
    fn replace_crc(&mut self, crc: CustomCrc) -> CustomCrc {
        let hashes = Arc::make_mut(&mut self.state.settings.hashes);
        let place = if crc.width == 16 { &mut hashes.crc16_custom } else { &mut hashes.crc32_custom };
        std::mem::replace(place, crc)
    }
}
