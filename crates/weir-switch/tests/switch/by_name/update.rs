//! Converts names to ids in changes.

use weir_control::{Cells, Error, Names};
use weir_ir::ExternId;
use weir_switch::control as ids;

use super::request::{Call, Update};
use super::table::Table;

/// Returns a change by ids.
pub(super) fn update(names: Names<'_>, update: &Update) -> Result<ids::Update, Error> {
    Ok(match update {
        Update::Insert { table, entry } => {
            let table = Table::new(names, table)?;
            ids::Update::Insert { table: table.id, entry: table.entry(entry)? }
        }
        Update::Modify { table, entry, action } => {
            let table = Table::new(names, table)?;
            let entry = table.entry_ref(entry)?;
            ids::Update::Modify { table: table.id, entry, action: table.target(action)? }
        }
        Update::Delete { table, entry } => {
            let table = Table::new(names, table)?;
            ids::Update::Delete { table: table.id, entry: table.entry_ref(entry)? }
        }
        Update::Clear { table } => ids::Update::Clear { table: names.table(table)? },
        Update::SetDefault { table, action } => {
            let table = Table::new(names, table)?;
            ids::Update::SetDefault { table: table.id, action: table.target(action)? }
        }
        Update::ResetDefault { table } => ids::Update::ResetDefault { table: names.table(table)? },
        Update::SetIdleTimeout { table, entry, timeout } => {
            let table = Table::new(names, table)?;
            ids::Update::SetIdleTimeout { table: table.id, entry: table.entry_ref(entry)?, timeout: *timeout }
        }
        Update::InsertMember { profile, member, action } => {
            let profile = names.profile(profile)?;
            let action = member_call(names, profile, action)?;
            ids::Update::InsertMember { profile, member: *member, action }
        }
        Update::ModifyMember { profile, member, action } => {
            let profile = names.profile(profile)?;
            let action = member_call(names, profile, action)?;
            ids::Update::ModifyMember { profile, member: *member, action }
        }
        Update::DeleteMember { profile, member } => {
            let profile = names.profile(profile)?;
            ids::Update::DeleteMember { profile, member: *member }
        }
        Update::InsertGroup { profile, group, members } => {
            let profile = names.profile(profile)?;
            ids::Update::InsertGroup { profile, group: *group, members: members.clone() }
        }
        Update::ModifyGroup { profile, group, members } => {
            let profile = names.profile(profile)?;
            ids::Update::ModifyGroup { profile, group: *group, members: members.clone() }
        }
        Update::DeleteGroup { profile, group } => {
            let profile = names.profile(profile)?;
            ids::Update::DeleteGroup { profile, group: *group }
        }
        Update::SetCrc { calculation, parameters } => {
            let calculation = names.calculation(calculation)?;
            ids::Update::SetCrc { calculation, parameters: *parameters }
        }
        Update::WriteCounter { counter, index, value } => match names.counter(counter)? {
            Cells::Indexed(counter) => ids::Update::WriteCounter { counter, index: *index, value: *value },
            Cells::Direct(table) => {
                let entry = ids::EntryRef::Handle(*index);
                ids::Update::WriteDirectCounter { table, entry, value: *value }
            }
        },
        Update::WriteDirectCounter { table, entry, value } => {
            let table = Table::new(names, table)?;
            ids::Update::WriteDirectCounter { table: table.id, entry: table.entry_ref(entry)?, value: *value }
        }
        Update::ResetCounter { counter } => match names.counter(counter)? {
            Cells::Indexed(counter) => ids::Update::ResetCounter { counter },
            Cells::Direct(table) => ids::Update::ResetDirectCounter { table },
        },
        Update::ResetDirectCounter { table } => {
            ids::Update::ResetDirectCounter { table: names.table(table)? }
        }
        Update::WriteRegister { register, index, value } => {
            let register = names.register(register)?;
            ids::Update::WriteRegister { register, index: *index, value: value.clone() }
        }
        Update::ResetRegister { register } => {
            let register = names.register(register)?;
            ids::Update::ResetRegister { register }
        }
        Update::WriteMeter { meter, index, config } => match names.meter(meter)? {
            Cells::Indexed(meter) => ids::Update::WriteMeter { meter, index: *index, config: *config },
            Cells::Direct(table) => {
                let entry = ids::EntryRef::Handle(*index);
                ids::Update::WriteDirectMeter { table, entry, config: *config }
            }
        },
        Update::WriteDirectMeter { table, entry, config } => {
            let table = Table::new(names, table)?;
            ids::Update::WriteDirectMeter { table: table.id, entry: table.entry_ref(entry)?, config: *config }
        }
        Update::WriteMeterCounts { meter, index, counts } => match names.meter(meter)? {
            Cells::Indexed(meter) => ids::Update::WriteMeterCounts { meter, index: *index, counts: *counts },
            Cells::Direct(table) => {
                let entry = ids::EntryRef::Handle(*index);
                ids::Update::WriteDirectMeterCounts { table, entry, counts: *counts }
            }
        },
        Update::WriteDirectMeterCounts { table, entry, counts } => {
            let table = Table::new(names, table)?;
            let entry = table.entry_ref(entry)?;
            ids::Update::WriteDirectMeterCounts { table: table.id, entry, counts: *counts }
        }
        Update::WriteMeterArray { meter, config } => match names.meter(meter)? {
            Cells::Indexed(meter) => ids::Update::WriteMeterArray { meter, config: *config },
            Cells::Direct(table) => ids::Update::WriteDirectMeterArray { table, config: *config },
        },
        Update::WriteDirectMeterArray { table, config } => {
            ids::Update::WriteDirectMeterArray { table: names.table(table)?, config: *config }
        }
        Update::SetValueSet { set, members } => {
            let set = names.value_set(set)?;
            ids::Update::SetValueSet { set, members: members.clone() }
        }
        Update::SetMulticastGroup { group, replicas } => {
            ids::Update::SetMulticastGroup { group: *group, replicas: replicas.clone() }
        }
        Update::SetQueueDepth { port, priority, depth } => {
            ids::Update::SetQueueDepth { port: *port, priority: *priority, depth: *depth }
        }
        Update::SetQueueDiscipline { port, priority, discipline } => ids::Update::SetQueueDiscipline {
            port: *port,
            priority: *priority,
            discipline: discipline.clone(),
        },
        Update::SetQueueRate { port, priority, rate } => {
            ids::Update::SetQueueRate { port: *port, priority: *priority, rate: *rate }
        }
        Update::SetCloneSession { session, config } => {
            ids::Update::SetCloneSession { session: *session, config: config.clone() }
        }
        Update::Reset => ids::Update::Reset,
    })
}

/// Returns the action of a member, which all tables of the profile have.
fn member_call(names: Names<'_>, profile: ExternId, call: &Call) -> Result<ids::Call, Error> {
    Table { names, id: names.profile_table(profile)? }.call(call)
}
