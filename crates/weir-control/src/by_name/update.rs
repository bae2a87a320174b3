//! Changes by names, translated to ids.

use weir_switch::control as ids;

use super::request::{Call, Update};
use crate::{Cells, Error, Names};

impl Names<'_> {
    /// A change in ids.
    pub fn update(self, update: &Update) -> Result<ids::Update, Error> {
        Ok(match update {
            Update::Insert { table, entry } => {
                let table = self.table(table)?;
                ids::Update::Insert { table, entry: self.entry(table, entry)? }
            }
            Update::Modify { table, entry, action } => {
                let table = self.table(table)?;
                ids::Update::Modify {
                    table,
                    entry: self.entry_ref(table, entry)?,
                    action: self.target(table, action)?,
                }
            }
            Update::Delete { table, entry } => {
                let table = self.table(table)?;
                ids::Update::Delete { table, entry: self.entry_ref(table, entry)? }
            }
            Update::Clear { table } => {
                let table = self.table(table)?;
                ids::Update::Clear { table }
            }
            Update::SetDefault { table, action } => {
                let table = self.table(table)?;
                ids::Update::SetDefault { table, action: self.target(table, action)? }
            }
            Update::ResetDefault { table } => {
                let table = self.table(table)?;
                ids::Update::ResetDefault { table }
            }
            Update::SetIdleTimeout { table, entry, timeout } => {
                let table = self.table(table)?;
                ids::Update::SetIdleTimeout { table, entry: self.entry_ref(table, entry)?, timeout: *timeout }
            }
            Update::InsertMember { profile, member, action } => {
                let profile = self.profile(profile)?;
                let action = self.member_call(profile, action)?;
                ids::Update::InsertMember { profile, member: *member, action }
            }
            Update::ModifyMember { profile, member, action } => {
                let profile = self.profile(profile)?;
                let action = self.member_call(profile, action)?;
                ids::Update::ModifyMember { profile, member: *member, action }
            }
            Update::DeleteMember { profile, member } => {
                let profile = self.profile(profile)?;
                ids::Update::DeleteMember { profile, member: *member }
            }
            Update::InsertGroup { profile, group, members } => {
                let profile = self.profile(profile)?;
                ids::Update::InsertGroup { profile, group: *group, members: members.clone() }
            }
            Update::ModifyGroup { profile, group, members } => {
                let profile = self.profile(profile)?;
                ids::Update::ModifyGroup { profile, group: *group, members: members.clone() }
            }
            Update::DeleteGroup { profile, group } => {
                let profile = self.profile(profile)?;
                ids::Update::DeleteGroup { profile, group: *group }
            }
            Update::SetCrc { calculation, parameters } => {
                let calculation = self.calculation(calculation)?;
                ids::Update::SetCrc { calculation, parameters: *parameters }
            }
            Update::WriteCounter { counter, index, value } => match self.counter(counter)? {
                Cells::Indexed(counter) => {
                    ids::Update::WriteCounter { counter, index: *index, value: *value }
                }
                Cells::Direct(table) => {
                    let entry = ids::EntryRef::Handle(*index);
                    ids::Update::WriteDirectCounter { table, entry, value: *value }
                }
            },
            Update::WriteDirectCounter { table, entry, value } => {
                let table = self.table(table)?;
                ids::Update::WriteDirectCounter { table, entry: self.entry_ref(table, entry)?, value: *value }
            }
            Update::ResetCounter { counter } => match self.counter(counter)? {
                Cells::Indexed(counter) => ids::Update::ResetCounter { counter },
                Cells::Direct(table) => ids::Update::ResetDirectCounter { table },
            },
            Update::ResetDirectCounter { table } => {
                let table = self.table(table)?;
                ids::Update::ResetDirectCounter { table }
            }
            Update::WriteRegister { register, index, value } => {
                let register = self.register(register)?;
                ids::Update::WriteRegister { register, index: *index, value: value.clone() }
            }
            Update::ResetRegister { register } => {
                let register = self.register(register)?;
                ids::Update::ResetRegister { register }
            }
            Update::WriteMeter { meter, index, config } => match self.meter(meter)? {
                Cells::Indexed(meter) => ids::Update::WriteMeter { meter, index: *index, config: *config },
                Cells::Direct(table) => {
                    let entry = ids::EntryRef::Handle(*index);
                    ids::Update::WriteDirectMeter { table, entry, config: *config }
                }
            },
            Update::WriteDirectMeter { table, entry, config } => {
                let table = self.table(table)?;
                ids::Update::WriteDirectMeter { table, entry: self.entry_ref(table, entry)?, config: *config }
            }
            Update::WriteMeterArray { meter, config } => match self.meter(meter)? {
                Cells::Indexed(meter) => ids::Update::WriteMeterArray { meter, config: *config },
                Cells::Direct(table) => ids::Update::WriteDirectMeterArray { table, config: *config },
            },
            Update::WriteDirectMeterArray { table, config } => {
                let table = self.table(table)?;
                ids::Update::WriteDirectMeterArray { table, config: *config }
            }
            Update::SetValueSet { set, members } => {
                let set = self.value_set(set)?;
                ids::Update::SetValueSet { set, members: members.clone() }
            }
            Update::SetMulticastGroup { group, replicas } => {
                ids::Update::SetMulticastGroup { group: *group, replicas: replicas.clone() }
            }
            Update::SetQueueDepth { port, priority, depth } => {
                ids::Update::SetQueueDepth { port: *port, priority: *priority, depth: *depth }
            }
            Update::SetQueueRate { port, priority, rate } => {
                ids::Update::SetQueueRate { port: *port, priority: *priority, rate: *rate }
            }
            Update::SetCloneSession { session, config } => {
                ids::Update::SetCloneSession { session: *session, config: *config }
            }
            Update::Reset => ids::Update::Reset,
        })
    }

    /// The action of a member, which all tables of the profile have.
    fn member_call(self, profile: weir_ir::ExternId, call: &Call) -> Result<ids::Call, Error> {
        self.call(self.profile_table(profile)?, call)
    }
}
