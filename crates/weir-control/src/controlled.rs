//! The control interface of a local or remote switch.

use weir_device::{Nanos, Port};
use weir_ir::{Bits, ExternId, TableId, ValueSetId};
use weir_switch::control::{
    BatchError, Calculation, CloneSession, Control, ControlError, CounterValue, CrcParameters, Digest,
    EntryRef, EntryState, IdleNotice, LogLine, Match, MeterConfig, MeterCounts, ProfileState, QueueState,
    Replica, TableState, Target, Update,
};

use crate::{Error, Names};

/// Requests and answers carry ids; errors are in words. A switch in this process answers
/// immediately. For a remote switch, a call returns when the answer arrives, and fails if the
/// protocol does not support the request.
#[expect(missing_docs, reason = "each method is that of `weir_switch::control::Control` of the same name")]
pub trait Controlled {
    /// Applies all updates in order, or none if one of them is wrong.
    fn write(&mut self, updates: &[Update]) -> Result<Vec<Option<u64>>, BatchError<Error>>;
    /// Makes one change; returns the handle or number of the added object.
    fn change(&mut self, update: &Update) -> Result<Option<u64>, Error>;
    /// Reads the entries of a table.
    fn entries(&mut self, table: TableId) -> Result<Vec<EntryState>, Error>;
    /// Reads one entry, or the default entry, of a table.
    fn entry(&mut self, table: TableId, entry: &EntryRef) -> Result<EntryState, Error>;
    fn table_state(&mut self, table: TableId) -> Result<TableState, Error>;
    fn default_action(&mut self, table: TableId) -> Result<Target, Error>;
    /// Reads one cell of a counter.
    fn counter(&mut self, counter: ExternId, index: u64) -> Result<CounterValue, Error>;
    /// Reads all cells of a counter.
    fn counters(&mut self, counter: ExternId) -> Result<Vec<CounterValue>, Error>;
    fn direct_counter(&mut self, table: TableId, entry: &EntryRef) -> Result<CounterValue, Error>;
    /// Reads one cell of a register.
    fn register(&mut self, register: ExternId, index: u64) -> Result<Bits, Error>;
    /// Reads all cells of a register.
    fn registers(&mut self, register: ExternId) -> Result<Vec<Bits>, Error>;
    /// Reads the rates of one cell of a meter; `None` if they are not set.
    fn meter(&mut self, meter: ExternId, index: u64) -> Result<Option<MeterConfig>, Error>;
    /// Reads the rates of all cells of a meter.
    fn meters(&mut self, meter: ExternId) -> Result<Vec<Option<MeterConfig>>, Error>;
    fn direct_meter(&mut self, table: TableId, entry: &EntryRef) -> Result<Option<MeterConfig>, Error>;
    fn meter_counts(&mut self, meter: ExternId, index: u64) -> Result<MeterCounts, Error>;
    fn direct_meter_counts(&mut self, table: TableId, entry: &EntryRef) -> Result<MeterCounts, Error>;
    /// Reads the parameters of a CRC.
    fn crc(&mut self, calculation: Calculation) -> Result<CrcParameters, Error>;
    /// Reads the members and groups of an action profile.
    fn profile(&mut self, profile: ExternId) -> Result<ProfileState, Error>;
    fn value_set(&mut self, set: ValueSetId) -> Result<Vec<Vec<Match>>, Error>;
    fn multicast_groups(&mut self) -> Result<Vec<(u16, Vec<Replica>)>, Error>;
    fn clone_sessions(&mut self) -> Result<Vec<(u32, CloneSession)>, Error>;
    /// Reads the state of a port's queues.
    fn queues(&mut self, port: Port) -> Result<Vec<QueueState>, Error>;
    /// Reads the ports of the switch.
    fn ports(&mut self) -> Result<Vec<Port>, Error>;
    /// Reads the switch's time in nanoseconds.
    fn now(&mut self) -> Result<Nanos, Error>;
    fn take_digests(&mut self) -> Result<Vec<Digest>, Error>;
    fn take_log(&mut self) -> Result<Vec<LogLine>, Error>;
    fn take_idle_notices(&mut self) -> Result<Vec<IdleNotice>, Error>;
}

/// A switch in this process.
impl Controlled for Control<'_> {
    fn write(&mut self, updates: &[Update]) -> Result<Vec<Option<u64>>, BatchError<Error>> {
        let names = Names::new(self.schema());
        Control::write(self, updates)
            .map_err(|failed| BatchError { index: failed.index, error: names.explain(failed.error) })
    }

    fn change(&mut self, update: &Update) -> Result<Option<u64>, Error> {
        let names = Names::new(self.schema());
        Control::change(self, update).map_err(|error| names.explain(error))
    }

    fn entries(&mut self, table: TableId) -> Result<Vec<EntryState>, Error> {
        explain_error(self, |control| control.entries(table))
    }

    fn entry(&mut self, table: TableId, entry: &EntryRef) -> Result<EntryState, Error> {
        explain_error(self, |control| control.entry(table, entry))
    }

    fn table_state(&mut self, table: TableId) -> Result<TableState, Error> {
        explain_error(self, |control| control.table_state(table))
    }

    fn default_action(&mut self, table: TableId) -> Result<Target, Error> {
        explain_error(self, |control| control.default_action(table))
    }

    fn counter(&mut self, counter: ExternId, index: u64) -> Result<CounterValue, Error> {
        explain_error(self, |control| control.counter(counter, index))
    }

    fn counters(&mut self, counter: ExternId) -> Result<Vec<CounterValue>, Error> {
        explain_error(self, |control| control.counters(counter))
    }

    fn direct_counter(&mut self, table: TableId, entry: &EntryRef) -> Result<CounterValue, Error> {
        explain_error(self, |control| control.direct_counter(table, entry))
    }

    fn register(&mut self, register: ExternId, index: u64) -> Result<Bits, Error> {
        explain_error(self, |control| control.register(register, index))
    }

    fn registers(&mut self, register: ExternId) -> Result<Vec<Bits>, Error> {
        explain_error(self, |control| control.registers(register))
    }

    fn meter(&mut self, meter: ExternId, index: u64) -> Result<Option<MeterConfig>, Error> {
        explain_error(self, |control| control.meter(meter, index))
    }

    fn meters(&mut self, meter: ExternId) -> Result<Vec<Option<MeterConfig>>, Error> {
        explain_error(self, |control| control.meters(meter))
    }

    fn direct_meter(&mut self, table: TableId, entry: &EntryRef) -> Result<Option<MeterConfig>, Error> {
        explain_error(self, |control| control.direct_meter(table, entry))
    }

    fn meter_counts(&mut self, meter: ExternId, index: u64) -> Result<MeterCounts, Error> {
        explain_error(self, |control| control.meter_counts(meter, index))
    }

    fn direct_meter_counts(&mut self, table: TableId, entry: &EntryRef) -> Result<MeterCounts, Error> {
        explain_error(self, |control| control.direct_meter_counts(table, entry))
    }

    fn crc(&mut self, calculation: Calculation) -> Result<CrcParameters, Error> {
        explain_error(self, |control| control.crc(calculation))
    }

    fn profile(&mut self, profile: ExternId) -> Result<ProfileState, Error> {
        explain_error(self, |control| control.profile(profile))
    }

    fn value_set(&mut self, set: ValueSetId) -> Result<Vec<Vec<Match>>, Error> {
        explain_error(self, |control| control.value_set(set))
    }

    fn multicast_groups(&mut self) -> Result<Vec<(u16, Vec<Replica>)>, Error> {
        Ok(Control::multicast_groups(self).map(|(group, replicas)| (group, replicas.to_vec())).collect())
    }

    fn clone_sessions(&mut self) -> Result<Vec<(u32, CloneSession)>, Error> {
        Ok(Control::clone_sessions(self).collect())
    }

    fn queues(&mut self, port: Port) -> Result<Vec<QueueState>, Error> {
        explain_error(self, |control| control.queues(port))
    }

    fn ports(&mut self) -> Result<Vec<Port>, Error> {
        Ok(Control::ports(self).collect())
    }

    fn now(&mut self) -> Result<Nanos, Error> {
        Ok(Control::now(self))
    }

    fn take_digests(&mut self) -> Result<Vec<Digest>, Error> {
        Ok(Control::take_digests(self))
    }

    fn take_log(&mut self) -> Result<Vec<LogLine>, Error> {
        Ok(Control::take_log(self))
    }

    fn take_idle_notices(&mut self) -> Result<Vec<IdleNotice>, Error> {
        Ok(Control::take_idle_notices(self))
    }
}

/// Returns the result of `read`, with errors in the names of the switch's program.
fn explain_error<'c, T>(
    control: &Control<'c>,
    read: impl FnOnce(&Control<'c>) -> Result<T, ControlError>,
) -> Result<T, Error> {
    read(control).map_err(|error| Names::new(control.schema()).explain(error))
}
