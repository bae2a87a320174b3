//! Applies one update, or a batch of updates that is applied either completely or not at all.

use std::sync::Arc;

use weir_ir::TableId;

use super::scratch::Scratch;
use super::undo::Undo;
use super::{ActionUse, BatchError, Control, ControlError, EntryRef, Target, Update};
use crate::externs::profile::Outcome;

impl Control<'_> {
    /// Applies all updates in order, or none of them if one is wrong. Returns for each update the
    /// handle of the inserted entry, or the number of the inserted member or group, if there is
    /// one.
    pub fn write(&mut self, updates: &[Update]) -> Result<Vec<Option<u64>>, BatchError> {
        self.transaction(|transaction| {
            let write =
                |(index, update)| transaction.write(update).map_err(|error| BatchError { index, error });
            updates.iter().enumerate().map(write).collect()
        })
    }

    /// Applies one update as a batch of one; see [`Control::write`].
    pub fn change(&mut self, update: &Update) -> Result<Option<u64>, ControlError> {
        let mut scratch = std::mem::take(self.scratch);
        let changed = self.apply(update, &mut scratch);
        *self.scratch = scratch;
        let inserted = changed?.inserted();
        self.publish();
        Ok(inserted)
    }

    pub(super) fn apply(&mut self, update: &Update, scratch: &mut Scratch) -> Result<Undo, ControlError> {
        match update {
            Update::Insert { table, entry } => {
                let handle = self.insert_entry(*table, entry, scratch)?;
                Ok(Undo::Remove(*table, handle..handle + 1))
            }
            Update::Modify { table, entry, action } => self.modify(*table, entry, action, scratch),
            Update::Delete { table, entry } => {
                let slot = self.changeable_slot(*table, entry, &mut scratch.pattern)?;
                Ok(Undo::Restore(*table, vec![self.table_mut(*table).remove_at(slot)]))
            }
            Update::Clear { table } => self.clear(*table),
            Update::SetDefault { table, action } => {
                self.check_default_can_change(*table)?;
                let outcome = self.to_outcome(*table, action, ActionUse::Default)?;
                Ok(Undo::Default(*table, self.table_mut(*table).set_default(outcome)))
            }
            Update::ResetDefault { table } => {
                self.known_table(*table)?;
                let own_default_outcome =
                    Outcome::Call(Arc::clone(&self.table_ref(*table).shape.own_default));
                Ok(Undo::Default(*table, self.table_mut(*table).set_default(own_default_outcome)))
            }
            Update::SetIdleTimeout { table, entry, timeout } => {
                let slot = self.find_slot(*table, entry, &mut scratch.pattern)?;
                let mut idle = self.new_timeout(*table, *timeout)?;
                let runtime = self.table_mut(*table);
                let handle = runtime.entries.handle(slot);
                let place = runtime.entry_data.idle_mut(slot);
                if let (Some(idle), Some(Some(old))) = (&mut idle, &place) {
                    idle.take_over(old);
                }
                let old = place.and_then(|place| std::mem::replace(place, idle));
                self.start_idle_timer(*table, handle);
                Ok(Undo::Idle(*table, handle, old))
            }
            Update::InsertMember { profile, member, action } => self.insert_member(*profile, *member, action),
            Update::ModifyMember { profile, member, action } => self.modify_member(*profile, *member, action),
            Update::DeleteMember { profile, member } => self.delete_member(*profile, *member),
            Update::InsertGroup { profile, group, members } => self.insert_group(*profile, *group, members),
            Update::ModifyGroup { profile, group, members } => self.modify_group(*profile, *group, members),
            Update::DeleteGroup { profile, group } => self.delete_group(*profile, *group),
            Update::SetCrc { calculation, parameters } => self.set_crc(*calculation, *parameters),
            Update::SetHash { hash, settings } => self.set_hash(*hash, settings),
            Update::WriteCounter { counter, index, value } => self.write_counter(*counter, *index, *value),
            Update::WriteDirectCounter { table, entry, value } => {
                self.write_direct_counter(*table, entry, *value)
            }
            Update::ResetCounter { counter } => self.reset_counter(*counter),
            Update::ResetDirectCounter { table } => self.reset_direct_counter(*table),
            Update::WriteRegister { register, index, value } => self.write_register(*register, *index, value),
            Update::WriteDirectRegister { table, entry, value } => {
                self.write_direct_register(*table, entry, value)
            }
            Update::ResetRegister { register } => self.reset_register(*register),
            Update::WriteMeter { meter, index, config } => self.write_meter(*meter, *index, *config),
            Update::WriteDirectMeter { table, entry, config } => {
                self.write_direct_meter(*table, entry, *config)
            }
            Update::WriteMeterCounts { meter, index, counts } => {
                self.write_meter_counts(*meter, *index, *counts)
            }
            Update::WriteDirectMeterCounts { table, entry, counts } => {
                self.write_direct_meter_counts(*table, entry, *counts)
            }
            Update::WriteMeterArray { meter, config } => self.write_meter_array(*meter, *config),
            Update::WriteDirectMeterArray { table, config } => self.write_direct_meter_array(*table, *config),
            Update::SetMeterAdjustment { meter, bytes } => self.set_meter_adjustment(*meter, *bytes),
            Update::SetValueSet { set, members } => self.set_members(*set, members),
            Update::SetMulticastGroup { group, replicas } => self.replace_group(*group, replicas.as_deref()),
            Update::SetMulticastTree { group, tree } => self.set_tree(*group, tree),
            Update::SetReplication { replication } => self.set_replication(replication),
            Update::SetGenerator { .. }
            | Update::SetGeneratorCounts { .. }
            | Update::WriteGeneratorBuffer { .. }
            | Update::SetGeneratorPort { .. }
            | Update::RearmGenerator { .. } => self.change_generators(update),
            Update::SetDeflection { to } => Ok(Undo::Queues(Box::new(self.set_deflection(*to)?))),
            Update::SetQueueDepth { port, priority, depth } => {
                Ok(Undo::Queues(Box::new(self.set_queue_depth(*port, *priority, *depth)?)))
            }
            Update::SetQueueDiscipline { port, priority, discipline } => {
                let old = self.set_queue_discipline(*port, *priority, discipline.as_ref())?;
                Ok(Undo::Queues(Box::new(old)))
            }
            Update::SetQueueRate { port, priority, rate } => {
                Ok(Undo::Queues(Box::new(self.set_queue_rate(*port, *priority, *rate)?)))
            }
            Update::SetCloneSession { session, config } => self.replace_session(*session, config.clone()),
            Update::Reset => {
                let blank = self.state.initial(self.program, self.now);
                Ok(Undo::State(Box::new(self.state.replace(blank))))
            }
        }
    }

    fn modify(
        &mut self,
        table: TableId,
        entry: &EntryRef,
        action: &Target,
        scratch: &mut Scratch,
    ) -> Result<Undo, ControlError> {
        let slot = self.changeable_slot(table, entry, &mut scratch.pattern)?;
        let row = &mut scratch.row;
        match action {
            Target::Action(call) if self.table_ref(table).shape.profile.is_none() => {
                self.read_call(table, call, ActionUse::Entry, row)?;
            }
            target => {
                let outcome = self.to_outcome(table, target, ActionUse::Entry)?;
                self.table_mut(table).write_outcome(&outcome, row);
            }
        }
        let runtime = self.table_mut(table);
        let (handle, size) = (runtime.entries.handle(slot), runtime.entries.len() as u64);
        let old = runtime.set_row(slot, row).map_err(|_| ControlError::TableFull { table, size })?;
        Ok(Undo::Row(table, handle, old))
    }

    fn clear(&mut self, table: TableId) -> Result<Undo, ControlError> {
        self.check_entries_can_change(table)?;
        let runtime = self.table_mut(table);
        let handles: Vec<_> = runtime.entries.handles().filter(|handle| !runtime.is_const(*handle)).collect();
        Ok(Undo::Restore(table, handles.into_iter().filter_map(|handle| runtime.remove(handle)).collect()))
    }
}
