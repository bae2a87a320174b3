//! Changes entries and defaults of tables (specification, "`TableEntry`").

use weir_device::Nanos;
use weir_grpc::Problem;
use weir_switch::control::{ActionUse, Entry, EntryRef, Target, Update};

use super::action_sets::is_one_shot;
use super::actions::{read_call, read_target};
use super::explain::explain;
use super::matches::read_matches;
use super::rates::{check_counts, read_count, read_rates};
use super::writer::Writer;
use crate::pipeline::{EntryNote, Table};
use crate::proto::v1;
use crate::proto::v1::table_action::Type as ActionType;
use crate::proto::v1::update::Type;

impl Writer<'_, '_, '_> {
    pub(super) fn table_entry(&mut self, kind: Type, entry: &v1::TableEntry) -> Result<(), Problem> {
        let layout = self.layout;
        let (_, table) = layout.table(entry.table_id)?;
        self.entry_of(table, kind, entry)
            .map_err(|problem| problem.within(&format!("table `{}`", table.name())))
    }

    fn entry_of(&mut self, table: &Table, kind: Type, entry: &v1::TableEntry) -> Result<(), Problem> {
        if entry.is_const {
            return Err(Problem::invalid("`is_const` cannot be set by controllers"));
        }
        if entry.is_default_action {
            return self.default_entry(table, kind, entry);
        }
        match kind {
            Type::Insert => self.insert_entry(table, entry),
            Type::Delete => self.delete_entry(table, entry),
            _ => self.modify_entry(table, entry),
        }
    }

    fn insert_entry(&mut self, table: &Table, message: &v1::TableEntry) -> Result<(), Problem> {
        if table.keys.is_empty() {
            return Err(Problem::invalid("it has no key, so it has only the default"));
        }
        if table.declared.const_entries {
            return Err(Problem::permission_denied("its entries are constant"));
        }
        let matches = read_matches(&table.keys, self.translator, &message.r#match)?;
        let priority = priority(table, message.priority)?;
        let action = message.action.as_ref().and_then(|action| action.r#type.as_ref());
        let action = action.ok_or_else(|| Problem::invalid("an entry needs an `action`"))?;
        let (action, action_set) = self.target(table, action)?;
        let one_shot = is_one_shot(&action);
        let idle_timeout = idle_timeout(table, message)?;
        self.direct_resources(table, message)?;
        let entry = Entry { matches, priority, action, idle_timeout };
        let update = Update::Insert { table: table.table, entry };
        let handle = self.change(&update).map_err(explain)?;
        let Some(handle) = handle else { return Ok(()) };
        if one_shot {
            self.count_one_shots(table, 1);
        }
        self.write_resources(table, EntryRef::Handle(handle), message, false)?;
        let note = note_of(message, action_set);
        if !note.is_empty() {
            self.notes.entries.set((table.table, Some(handle)), Some(note));
        }
        Ok(())
    }

    fn modify_entry(&mut self, table: &Table, message: &v1::TableEntry) -> Result<(), Problem> {
        let key = entry_key(self.translator, table, message)?;
        let handle = self.control().handle(table.table, &key).map_err(explain)?;
        let entry = EntryRef::Handle(handle);
        let action = message.action.as_ref().and_then(|action| action.r#type.as_ref());
        let idle = idle_timeout(table, message)?;
        self.direct_resources(table, message)?;
        let is_const = table.declared.const_entries
            || self.control().is_const_entry(table.table, handle).map_err(explain)?;
        if is_const {
            let only = "of a constant entry only the direct counter and meter can be changed";
            if action.is_some() || idle.is_some() || !note_of(message, None).is_empty() {
                return Err(Problem::permission_denied(only));
            }
            return self.write_resources(table, entry, message, true);
        }
        let old_note = self.notes.entries.get((table.table, Some(handle)));
        let mut action_set = old_note.and_then(|note| note.action_set.clone());
        if let Some(action) = action {
            let was_one_shot = self.is_one_shot(table, handle)?;
            if was_one_shot {
                // The check leaves out the entry itself, because the change may be from one kind of
                // action to the other.
                self.count_one_shots(table, -1);
            }
            let (target, set) = self.target(table, action)?;
            action_set = set;
            if is_one_shot(&target) {
                self.count_one_shots(table, 1);
            }
            let update = Update::Modify { table: table.table, entry: entry.clone(), action: target };
            self.change(&update).map_err(explain)?;
        }
        if table.idle_timeouts {
            let old = self.control().entry(table.table, &entry).map_err(explain)?;
            if old.entry.idle_timeout != idle {
                let update = Update::SetIdleTimeout { table: table.table, entry, timeout: idle };
                self.change(&update).map_err(explain)?;
            }
        }
        self.write_resources(table, EntryRef::Handle(handle), message, true)?;
        let note = note_of(message, action_set);
        let key = (table.table, Some(handle));
        if note.is_empty() {
            self.forget(key);
        } else {
            self.notes.entries.set(key, Some(note));
        }
        Ok(())
    }

    fn delete_entry(&mut self, table: &Table, message: &v1::TableEntry) -> Result<(), Problem> {
        if table.declared.const_entries {
            return Err(Problem::permission_denied("its entries are constant"));
        }
        let mut key = entry_key(self.translator, table, message)?;
        let selector = table.profile.is_some_and(|profile| self.layout.profiles[profile].is_selector);
        if selector || !self.notes.entries.is_empty() {
            let handle = self.control().handle(table.table, &key).map_err(explain)?;
            key = EntryRef::Handle(handle);
            let one_shot = selector && self.is_one_shot(table, handle)?;
            self.change(&Update::Delete { table: table.table, entry: key }).map_err(explain)?;
            if one_shot {
                self.count_one_shots(table, -1);
            }
            self.forget((table.table, Some(handle)));
            return Ok(());
        }
        self.change(&Update::Delete { table: table.table, entry: key }).map_err(explain)?;
        Ok(())
    }

    /// Changes the default action. It can only be modified, because it always exists. Without an
    /// action, restores the program's own default.
    fn default_entry(&mut self, table: &Table, kind: Type, entry: &v1::TableEntry) -> Result<(), Problem> {
        if kind != Type::Modify {
            return Err(Problem::invalid("the default is always there: it can be changed with MODIFY only"));
        }
        names_default(entry)?;
        if entry.idle_timeout_ns != 0 || entry.time_since_last_hit.is_some() {
            return Err(Problem::invalid("the default has no idle time-out"));
        }
        if table.declared.const_default {
            return Err(Problem::permission_denied("its default action is constant"));
        }
        if table.profile.is_some() {
            return Err(Problem::permission_denied(
                "the default of a table with an implementation is constant",
            ));
        }
        self.direct_resources(table, entry)?;
        let key = (table.table, None);
        let update = match entry.action.as_ref().and_then(|action| action.r#type.as_ref()) {
            None => {
                self.forget(key);
                Update::ResetDefault { table: table.table }
            }
            Some(ActionType::Action(action)) => {
                let call = read_call(self.layout, self.translator, table, action, ActionUse::Default)?;
                let note = note_of(entry, None);
                if note.is_empty() {
                    self.forget(key);
                } else {
                    self.notes.entries.set(key, Some(note));
                }
                Update::SetDefault { table: table.table, action: Target::Action(call) }
            }
            Some(_) => return Err(Problem::invalid("it has no implementation: its default is an action")),
        };
        self.change(&update).map_err(explain)?;
        self.write_resources(table, EntryRef::Default, entry, true)
    }

    /// Removes the note of an entry if it has one.
    fn forget(&mut self, key: crate::pipeline::EntryKey) {
        if self.notes.entries.get(key).is_some() {
            self.notes.entries.set(key, None);
        }
    }

    /// Reads the target of an entry. Also returns its one-shot actions as the controller wrote
    /// them.
    fn target(
        &mut self,
        table: &Table,
        action: &ActionType,
    ) -> Result<(Target, Option<Box<v1::ActionProfileActionSet>>), Problem> {
        match action {
            ActionType::ActionProfileActionSet(set) => {
                let target = self.action_set(table, set)?;
                Ok((target, Some(Box::new(set.clone()))))
            }
            action => {
                let target = read_target(self.layout, self.translator, table, action)?;
                if matches!(target, Target::Member(_) | Target::Group(_)) {
                    self.no_one_shots(table)?;
                }
                Ok((target, None))
            }
        }
    }

    /// Checks that the table has the direct resources that a request names, and their values.
    fn direct_resources(&self, table: &Table, entry: &v1::TableEntry) -> Result<(), Problem> {
        if entry.counter_data.is_some() && !table.has_counter() {
            return Err(Problem::invalid("it has no direct counter for `counter_data`"));
        }
        if entry.meter_config.is_some() && !table.has_meter() {
            return Err(Problem::invalid("it has no direct meter for `meter_config`"));
        }
        if entry.meter_counter_data.is_some() && !table.has_meter() {
            return Err(Problem::invalid("it has no direct meter for `meter_counter_data`"));
        }
        if entry.time_since_last_hit.is_some() {
            return Err(Problem::invalid("`time_since_last_hit` can be read only"));
        }
        Ok(())
    }

    /// Sets an entry's direct counter and meter as requested. A meter without rates marks all
    /// packets green.
    fn write_resources(
        &mut self,
        table: &Table,
        entry: EntryRef,
        message: &v1::TableEntry,
        was_there: bool,
    ) -> Result<(), Problem> {
        if let Some(count) = message.counter_data {
            let (table_id, value) = (table.table, read_count(count)?);
            let update = Update::WriteDirectCounter { table: table_id, entry: entry.clone(), value };
            self.change(&update).map_err(explain)?;
        }
        if table.has_meter() {
            let config =
                message.meter_config.map(|config| read_rates(config, table.meter_type)).transpose()?;
            let old = if was_there {
                self.control().direct_meter(table.table, &entry).map_err(explain)?
            } else {
                None
            };
            // A meter whose rates do not change keeps its tokens.
            if config != old {
                let entry = entry.clone();
                let update = Update::WriteDirectMeter { table: table.table, entry, config };
                self.change(&update).map_err(explain)?;
            }
        }
        if check_counts(message.meter_counter_data.as_ref())? && was_there {
            self.reset_direct_meter_counts(table, entry)?;
        }
        Ok(())
    }
}

/// Reads the priority of an entry. It must be nonzero if the table orders entries by priority, and
/// 0 otherwise.
pub(super) fn priority(table: &Table, number: i32) -> Result<Option<u32>, Problem> {
    match (table.declared.needs_priority(), u32::try_from(number)) {
        (_, Err(_)) => Err(Problem::invalid(format!("the priority {number} is negative"))),
        (true, Ok(0)) => Err(Problem::invalid(
            "a priority above 0 is needed: it has `ternary`, `range` or `optional` keys",
        )),
        (true, Ok(priority)) => Ok(Some(priority)),
        (false, Ok(0)) => Ok(None),
        (false, Ok(_)) => {
            Err(Problem::invalid("the priority must be 0: no key is `ternary`, `range` or `optional`"))
        }
    }
}

/// Checks that a request for the default entry does not contain a key.
pub(super) fn names_default(entry: &v1::TableEntry) -> Result<(), Problem> {
    if entry.r#match.is_empty() && entry.priority == 0 {
        Ok(())
    } else {
        Err(Problem::invalid("the default has no `match` and no `priority`"))
    }
}

/// Reads the key of the entry that a request names.
pub(super) fn entry_key(
    translator: &crate::pipeline::Translator,
    table: &Table,
    entry: &v1::TableEntry,
) -> Result<EntryRef, Problem> {
    if table.keys.is_empty() {
        return Err(Problem::invalid("it has no key, so it has only the default"));
    }
    let matches = read_matches(&table.keys, translator, &entry.r#match)?;
    Ok(EntryRef::Key { matches, priority: priority(table, entry.priority)? })
}

/// Reads an entry's idle timeout. Returns `None` if it is 0.
fn idle_timeout(table: &Table, entry: &v1::TableEntry) -> Result<Option<Nanos>, Problem> {
    match u64::try_from(entry.idle_timeout_ns) {
        Err(_) => Err(Problem::invalid(format!("`idle_timeout_ns` is negative: {}", entry.idle_timeout_ns))),
        Ok(0) => Ok(None),
        Ok(_) if !table.idle_timeouts => Err(Problem::invalid("it has no idle time-outs")),
        Ok(timeout) => Ok(Some(timeout)),
    }
}

fn note_of(entry: &v1::TableEntry, action_set: Option<Box<v1::ActionProfileActionSet>>) -> EntryNote {
    #[expect(deprecated, reason = "older controllers write it")]
    let controller_metadata = entry.controller_metadata;
    EntryNote { metadata: entry.metadata.clone(), controller_metadata, action_set }
}
