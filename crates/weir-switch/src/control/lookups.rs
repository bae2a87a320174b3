//! Reads single facts about entries and profiles.

use weir_device::Nanos;
use weir_ir::{ExternId, TableId};

use super::calls::to_call;
use super::{Call, Control, ControlError, EntryRef, EntryState, GroupMember, Target};

impl Control<'_> {
    /// Returns the handle of an entry.
    pub fn handle(&self, table: TableId, entry: &EntryRef) -> Result<u64, ControlError> {
        let slot = self.find_slot(table, entry, &mut Default::default())?;
        Ok(self.table_ref(table).entries.handle(slot))
    }

    /// Returns whether the entry with this handle is a constant entry of the program.
    pub fn is_const_entry(&self, table: TableId, handle: u64) -> Result<bool, ControlError> {
        self.known_table(table)?;
        Ok(self.table_ref(table).is_const(handle))
    }

    /// Returns the time of the last hit of the entry with this handle, or of its insertion if it
    /// was never hit; `None` if the table has no `support_timeout`.
    pub fn idle_since(&self, table: TableId, handle: u64) -> Result<Option<Nanos>, ControlError> {
        self.known_table(table)?;
        let slot = self.slot_of_handle(table, handle)?;
        Ok(self.table_ref(table).entry_data.idle_since(slot))
    }

    /// Returns the action of the entry with this handle.
    pub fn target(&self, table: TableId, handle: u64) -> Result<Target, ControlError> {
        self.known_table(table)?;
        let slot = self.slot_of_handle(table, handle)?;
        Ok(self.to_target(&self.table_ref(table).outcome_at(slot)))
    }

    /// Iterates over the entries of a table in the order of their insertion.
    pub fn each_entry(&self, table: TableId) -> Result<impl Iterator<Item = EntryState> + '_, ControlError> {
        self.known_table(table)?;
        Ok(self.table_ref(table).entries.slots().map(move |slot| self.entry_state(table, slot)))
    }

    /// Returns the number of members and the number of groups of an action profile.
    pub fn profile_len(&self, profile: ExternId) -> Result<(usize, usize), ControlError> {
        let profile = self.known_profile(profile)?;
        Ok((profile.members.len(), profile.groups.len()))
    }

    /// Returns the action of a member of an action profile, if there is such a member.
    pub fn member(&self, profile: ExternId, member: u32) -> Result<Option<Call>, ControlError> {
        Ok(self.known_profile(profile)?.members.get(&member).map(|call| to_call(call)))
    }

    /// Returns an action profile's members, by number.
    pub fn members(&self, profile: ExternId) -> Result<impl Iterator<Item = (u32, Call)> + '_, ControlError> {
        Ok(self.known_profile(profile)?.members.iter().map(|(member, call)| (*member, to_call(call))))
    }

    /// Returns a selector's groups with their members, by number.
    pub fn groups(
        &self,
        profile: ExternId,
    ) -> Result<impl Iterator<Item = (u32, Vec<GroupMember>)> + '_, ControlError> {
        let groups = self.known_profile(profile)?.groups.iter();
        Ok(groups.map(|(group, members)| (*group, members.clone())))
    }
}
