//! A switch's control interface by names: its requests and answers carry names, while those of
//! `weir-switch` carry ids.

mod answer;
mod request;
mod table;
mod update;

use weir_control::{Cells, Error, Names};
use weir_device::{Nanos, Port};
use weir_ir::{Bits, TableId};
pub use weir_switch::control::{
    Backup, CloneSession, CounterValue, CrcParameters, Digest, GroupMember, LogLine, Match, MatchKind,
    MeterConfig, MeterCounts, MeterRate, QueueState, Replica, Schema, TableState,
};
use weir_switch::{Switch, control as ids};

pub use request::{
    ActionSet, BatchError, Call, Entry, EntryRef, EntryState, IdleNotice, MemberState, ProfileState, Target,
    Update, WeightedCall,
};

use table::Table;
use update::update;

/// A switch's control interface by names.
pub struct Control<'a>(ids::Control<'a>);

/// Switches that can be controlled by names.
pub trait ByName {
    /// Returns the control interface by names.
    fn by_name(&mut self) -> Control<'_>;

    /// Returns the control interface by names at this time, from which idle time-outs run.
    fn by_name_at(&mut self, now: Nanos) -> Control<'_>;
}

impl ByName for Switch {
    fn by_name(&mut self) -> Control<'_> {
        Control(self.control())
    }

    fn by_name_at(&mut self, now: Nanos) -> Control<'_> {
        Control(self.control_at(now))
    }
}

impl<'a> Control<'a> {
    /// Returns the names of the program.
    pub fn names(&self) -> Names<'a> {
        Names::new(self.0.schema())
    }

    /// Returns the schema of the program.
    pub fn schema(&self) -> &'a Schema {
        self.0.schema()
    }
}

/// Methods that change the state.
impl Control<'_> {
    /// Makes all updates in order, or none if one of them is wrong. Returns for each update the
    /// handle of the inserted entry, or the number of the inserted member or group, if any.
    pub fn write(&mut self, updates: &[Update]) -> Result<Vec<Option<u64>>, BatchError> {
        let names = self.names();
        self.0.transaction(|transaction| {
            let write = |(index, change)| {
                let written = update(names, change)
                    .and_then(|change| transaction.write(&change).map_err(|error| names.explain(error)));
                written.map_err(|error| BatchError { index, error })
            };
            updates.iter().enumerate().map(write).collect()
        })
    }

    /// Makes one update as a batch. Returns the handle or number of the inserted object.
    pub fn change(&mut self, change: &Update) -> Result<Option<u64>, Error> {
        let names = self.names();
        let change = update(names, change)?;
        self.0.change(&change).map_err(|error| names.explain(error))
    }

    /// Adds an entry and returns its handle.
    pub fn insert(&mut self, table: &str, entry: Entry) -> Result<u64, Error> {
        let handle = self.change(&Update::Insert { table: table.to_owned(), entry })?;
        Ok(handle.unwrap_or_default())
    }

    /// Replaces the action of an entry.
    pub fn modify(&mut self, table: &str, entry: EntryRef, action: impl Into<Target>) -> Result<(), Error> {
        let action = action.into();
        self.change(&Update::Modify { table: table.to_owned(), entry, action }).map(drop)
    }

    /// Removes an entry.
    pub fn delete(&mut self, table: &str, entry: EntryRef) -> Result<(), Error> {
        self.change(&Update::Delete { table: table.to_owned(), entry }).map(drop)
    }

    /// Removes all entries that are not constant.
    pub fn clear(&mut self, table: &str) -> Result<(), Error> {
        self.change(&Update::Clear { table: table.to_owned() }).map(drop)
    }

    /// Sets a table's default action.
    pub fn set_default(&mut self, table: &str, action: impl Into<Target>) -> Result<(), Error> {
        let action = action.into();
        self.change(&Update::SetDefault { table: table.to_owned(), action }).map(drop)
    }

    /// Restores the program's default action.
    pub fn reset_default(&mut self, table: &str) -> Result<(), Error> {
        self.change(&Update::ResetDefault { table: table.to_owned() }).map(drop)
    }

    /// Sets a counter's cell; for a direct counter, the cell of the entry with this handle.
    pub fn write_counter(&mut self, counter: &str, index: u64, value: CounterValue) -> Result<(), Error> {
        self.change(&Update::WriteCounter { counter: counter.to_owned(), index, value }).map(drop)
    }

    /// Sets a register's cell.
    pub fn write_register(&mut self, register: &str, index: u64, value: Bits) -> Result<(), Error> {
        self.change(&Update::WriteRegister { register: register.to_owned(), index, value }).map(drop)
    }

    /// Sets or removes the rates of a meter's cell; for a direct meter, the cell of the entry with
    /// this handle.
    pub fn write_meter(&mut self, meter: &str, index: u64, config: Option<MeterConfig>) -> Result<(), Error> {
        self.change(&Update::WriteMeter { meter: meter.to_owned(), index, config }).map(drop)
    }

    /// Sets or removes a multicast group.
    pub fn set_multicast_group(&mut self, group: u16, replicas: Option<Vec<Replica>>) -> Result<(), Error> {
        self.change(&Update::SetMulticastGroup { group, replicas }).map(drop)
    }

    /// Sets or removes a clone session.
    pub fn set_clone_session(&mut self, session: u32, config: Option<CloneSession>) -> Result<(), Error> {
        self.change(&Update::SetCloneSession { session, config }).map(drop)
    }
}

/// Methods that read the state.
impl Control<'_> {
    /// Returns a table's entries in the order in which they were inserted.
    pub fn entries(&self, table: &str) -> Result<Vec<EntryState>, Error> {
        let names = self.names();
        let id = names.table(table)?;
        let entries = self.0.entries(id).map_err(|error| names.explain(error))?;
        Ok(entries.into_iter().map(|entry| answer::state(names, id, entry)).collect())
    }

    /// Reads one entry.
    pub fn entry(&self, table: &str, entry: &EntryRef) -> Result<EntryState, Error> {
        let (names, (id, entry)) = (self.names(), self.entry_ref(table, entry)?);
        let state = self.0.entry(id, &entry);
        Ok(answer::state(names, id, state.map_err(|error| names.explain(error))?))
    }

    /// Returns the number of a table's entries, and how many lookups hit and missed.
    pub fn table_state(&self, table: &str) -> Result<TableState, Error> {
        self.explain_errors(self.0.table_state(self.names().table(table)?))
    }

    /// Returns a table's current default action.
    pub fn default_action(&self, table: &str) -> Result<Target, Error> {
        let names = self.names();
        Ok(answer::target(names, self.explain_errors(self.0.default_action(names.table(table)?))?))
    }

    /// Returns a counter's cell; for a direct counter, the cell of the entry with this handle.
    pub fn counter(&self, counter: &str, index: u64) -> Result<CounterValue, Error> {
        self.explain_errors(match self.names().counter(counter)? {
            Cells::Indexed(id) => self.0.counter(id, index),
            Cells::Direct(table) => self.0.direct_counter(table, &ids::EntryRef::Handle(index)),
        })
    }

    /// Returns all cells of a counter; for a direct counter, those of the entries, in their order.
    pub fn counters(&self, counter: &str) -> Result<Vec<CounterValue>, Error> {
        self.explain_errors(match self.names().counter(counter)? {
            Cells::Indexed(id) => self.0.counters(id),
            Cells::Direct(table) => self
                .0
                .entries(table)
                .map(|entries| entries.into_iter().map(|entry| entry.hits.unwrap_or_default()).collect()),
        })
    }

    /// Returns the value of a table's direct counter for an entry.
    pub fn direct_counter(&self, table: &str, entry: &EntryRef) -> Result<CounterValue, Error> {
        let (id, entry) = self.entry_ref(table, entry)?;
        self.explain_errors(self.0.direct_counter(id, &entry))
    }

    /// Returns a register's cell.
    pub fn register(&self, register: &str, index: u64) -> Result<Bits, Error> {
        self.explain_errors(self.0.register(self.names().register(register)?, index))
    }

    /// Returns all cells of a register.
    pub fn registers(&self, register: &str) -> Result<Vec<Bits>, Error> {
        self.explain_errors(self.0.registers(self.names().register(register)?))
    }

    /// Returns the rates of a meter's cell, if any are set; for a direct meter, those of the entry
    /// with this handle.
    pub fn meter(&self, meter: &str, index: u64) -> Result<Option<MeterConfig>, Error> {
        self.explain_errors(match self.names().meter(meter)? {
            Cells::Indexed(id) => self.0.meter(id, index),
            Cells::Direct(table) => self.0.direct_meter(table, &ids::EntryRef::Handle(index)),
        })
    }

    /// Returns the rates of all cells of a meter; for a direct meter, those of the entries, in
    /// their order.
    pub fn meters(&self, meter: &str) -> Result<Vec<Option<MeterConfig>>, Error> {
        let cell = |table| {
            move |entry: ids::EntryState| self.0.direct_meter(table, &ids::EntryRef::Handle(entry.handle))
        };
        self.explain_errors(match self.names().meter(meter)? {
            Cells::Indexed(id) => self.0.meters(id),
            Cells::Direct(table) => {
                self.0.entries(table).and_then(|entries| entries.into_iter().map(cell(table)).collect())
            }
        })
    }

    /// Returns the counts of a meter's cell; for a direct meter, the cell of the entry with this
    /// handle.
    pub fn meter_counts(&self, meter: &str, index: u64) -> Result<MeterCounts, Error> {
        self.explain_errors(match self.names().meter(meter)? {
            Cells::Indexed(id) => self.0.meter_counts(id, index),
            Cells::Direct(table) => self.0.direct_meter_counts(table, &ids::EntryRef::Handle(index)),
        })
    }

    /// Returns the rates of an entry in its table's direct meter, if they are set.
    pub fn direct_meter(&self, table: &str, entry: &EntryRef) -> Result<Option<MeterConfig>, Error> {
        let (id, entry) = self.entry_ref(table, entry)?;
        self.explain_errors(self.0.direct_meter(id, &entry))
    }

    /// Returns an action profile's or selector's members and groups, by number.
    pub fn profile(&self, profile: &str) -> Result<ProfileState, Error> {
        let names = self.names();
        let state = self.explain_errors(self.0.profile(names.profile(profile)?))?;
        let member = |(number, member): (u32, ids::MemberState)| {
            (number, MemberState { action: answer::call(names, member.action), users: member.users })
        };
        Ok(ProfileState { members: state.members.into_iter().map(member).collect(), groups: state.groups })
    }

    /// Returns a parser value set's members, each with one match per field.
    pub fn value_set(&self, set: &str) -> Result<Vec<Vec<Match>>, Error> {
        self.explain_errors(self.0.value_set(self.names().value_set(set)?))
    }

    /// Returns the parameters of a CRC calculation, or of `crc16_custom` or `crc32_custom` for
    /// calls and selectors without a separate calculation.
    pub fn crc(&self, calculation: &str) -> Result<CrcParameters, Error> {
        self.explain_errors(self.0.crc(self.names().calculation(calculation)?))
    }

    /// Takes the notices of idle entries that came since the last call.
    pub fn take_idle_notices(&mut self) -> Vec<IdleNotice> {
        let names = self.names();
        let named = |notice: ids::IdleNotice| IdleNotice {
            time: notice.time,
            table: names.table_schema(notice.table).name.clone(),
            handle: notice.handle,
            entry: answer::entry(names, notice.table, notice.entry),
        };
        self.0.take_idle_notices().into_iter().map(named).collect()
    }

    /// Takes the digests that came since the last call.
    pub fn take_digests(&mut self) -> Vec<Digest> {
        self.0.take_digests()
    }

    /// Takes the lines that `log_msg` wrote since the last call.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        self.0.take_log()
    }

    /// Returns a multicast group's members, if it is configured.
    pub fn multicast_group(&self, group: u16) -> Option<&[Replica]> {
        self.0.multicast_group(group)
    }

    /// Returns all multicast groups with their members, by number.
    pub fn multicast_groups(&self) -> impl Iterator<Item = (u16, &[Replica])> {
        self.0.multicast_groups()
    }

    /// Returns a clone session, if it is configured.
    pub fn clone_session(&self, session: u32) -> Option<CloneSession> {
        self.0.clone_session(session)
    }

    /// Returns all clone sessions, by number.
    pub fn clone_sessions(&self) -> impl Iterator<Item = (u32, CloneSession)> {
        self.0.clone_sessions()
    }

    /// Returns the switch's ports, smallest first.
    pub fn ports(&self) -> impl Iterator<Item = Port> {
        self.0.ports()
    }

    /// Returns a port's queues, by priority.
    pub fn queues(&self, port: Port) -> Result<Vec<QueueState>, Error> {
        self.explain_errors(self.0.queues(port))
    }

    /// Returns a table, and a reference to one of its entries.
    fn entry_ref(&self, table: &str, entry: &EntryRef) -> Result<(TableId, ids::EntryRef), Error> {
        let table = Table::new(self.names(), table)?;
        Ok((table.id, table.entry_ref(entry)?))
    }

    fn explain_errors<T>(&self, result: Result<T, ids::ControlError>) -> Result<T, Error> {
        result.map_err(|error| self.names().explain(error))
    }
}
