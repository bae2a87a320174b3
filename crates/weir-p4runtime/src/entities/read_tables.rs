//! Reads entries and defaults of tables (specification, "`TableEntry`", "Wildcard Reads").

use weir_grpc::{Code, Problem};
use weir_switch::control::{EntryRef, EntryState, Target};

use super::action_sets::as_written;
use super::actions::action_message;
use super::explain::explain;
use super::matches::{read_matches, write_matches};
use super::rates::{write_count, write_counts, write_rates};
use super::read::Reader;
use super::table_entries::{names_default, priority};
use crate::pipeline::{EntryNote, Table};
use crate::proto::v1;
use crate::proto::v1::action_profile_action::WatchKind;
use crate::proto::v1::action_profile_action_set::ActionSelectionMode;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::table_action::Type as Action;
use crate::proto::v1::table_entry::IdleTimeout;

/// The entries that a request selects.
struct Filter<'f> {
    given: &'f v1::TableEntry,
    matches: Option<Vec<v1::FieldMatch>>,
    /// The id of an action.
    action: Option<u32>,
    controller_metadata: u64,
}

impl Reader<'_, '_> {
    pub(super) fn table_entries(&mut self, entry: &v1::TableEntry) -> Result<(), Problem> {
        let layout = self.layout;
        if entry.table_id == 0 {
            let filter = Filter::new(entry)?;
            if !entry.r#match.is_empty()
                || filter.action.is_some()
                || entry.priority != 0
                || !entry.metadata.is_empty()
                || filter.controller_metadata != 0
                || entry.is_default_action
            {
                return Err(Problem::invalid("entries of all tables cannot be filtered: give a `table_id`"));
            }
            for table in layout.tables.iter().filter(|table| (self.may_read)(table.id)) {
                self.entries_of(table, &filter)?;
            }
            return Ok(());
        }
        let (_, table) = layout.table(entry.table_id)?;
        if !(self.may_read)(table.id) {
            return Ok(());
        }
        self.entries_of_one(table, entry)
            .map_err(|problem| problem.within(&format!("table `{}`", table.name())))
    }

    fn entries_of_one(&mut self, table: &Table, message: &v1::TableEntry) -> Result<(), Problem> {
        if message.counter_data.is_some() && !table.has_counter() {
            return Err(Problem::invalid("it has no direct counter for `counter_data`"));
        }
        if (message.meter_config.is_some() || message.meter_counter_data.is_some()) && !table.has_meter() {
            return Err(Problem::invalid("it has no direct meter for its configuration or counts"));
        }
        if (message.time_since_last_hit.is_some() || message.idle_timeout_ns != 0) && !table.idle_timeouts {
            return Err(Problem::invalid("it has no idle time-outs"));
        }
        let mut filter = Filter::new(message)?;
        if message.is_default_action {
            names_default(message)?;
            if message.idle_timeout_ns != 0 || message.time_since_last_hit.is_some() {
                return Err(Problem::invalid("the default has no idle time-out"));
            }
        }
        if let Some(action) = filter.action {
            if table.profile.is_some() {
                return Err(Problem::invalid("it has an implementation: entries are not filtered by action"));
            }
            self.layout.table_action(table, action)?;
        }
        if message.is_default_action {
            return self.default_of(table, &filter);
        }
        if message.priority < 0 {
            return Err(Problem::invalid(format!("the priority {} is negative", message.priority)));
        }
        if message.r#match.is_empty() {
            return self.entries_of(table, &filter);
        }
        let matches = read_matches(&table.keys, self.translator, &message.r#match)?;
        if table.declared.needs_priority() && message.priority == 0 {
            filter.matches = Some(write_matches(&table.keys, self.translator, &matches));
            return self.entries_of(table, &filter);
        }
        let key = EntryRef::Key { matches, priority: priority(table, message.priority)? };
        match self.control.entry(table.table, &key).map_err(explain) {
            Ok(entry) => {
                self.entry(table, &entry, &filter)?;
                Ok(())
            }
            Err(problem) if problem.code == Code::NotFound => Ok(()),
            Err(problem) => Err(problem),
        }
    }

    /// Reads all entries that pass the filter.
    fn entries_of(&mut self, table: &Table, filter: &Filter<'_>) -> Result<(), Problem> {
        let control = self.control;
        self.looked_at += 1;
        for entry in control.each_entry(table.table).map_err(explain)? {
            self.looked_at += 1;
            if !self.entry(table, &entry, filter)? {
                break;
            }
        }
        Ok(())
    }

    /// Reads an entry if it passes the filter. Returns false if the reader is gone.
    fn entry(&mut self, table: &Table, entry: &EntryState, filter: &Filter<'_>) -> Result<bool, Problem> {
        let note = self.notes.entries.get((table.table, Some(entry.handle)));
        if !filter.passes(note) {
            return Ok(true);
        }
        let pattern = filter.given;
        let priority = entry.entry.priority.map_or(0, |priority| i32::try_from(priority).unwrap_or(i32::MAX));
        if pattern.priority != 0 && pattern.priority != priority {
            return Ok(true);
        }
        let action = self.table_action(table, &entry.entry.action, note);
        if let Some(wanted) = filter.action
            && !matches!(&action, Some(Action::Action(action)) if action.action_id == wanted)
        {
            return Ok(true);
        }
        let matches = write_matches(&table.keys, self.translator, &entry.entry.matches);
        if filter.matches.as_ref().is_some_and(|wanted| *wanted != matches) {
            return Ok(true);
        }
        let mut message = blank(table, action, note);
        message.r#match = matches;
        message.priority = priority;
        message.is_const = entry.is_const;
        let timeout = entry.entry.idle_timeout.unwrap_or(0);
        message.idle_timeout_ns = i64::try_from(timeout).unwrap_or(i64::MAX);
        self.resources(table, &EntryRef::Handle(entry.handle), pattern, &mut message)?;
        if pattern.time_since_last_hit.is_some() && table.idle_timeouts {
            let since = self.control.idle_since(table.table, entry.handle).map_err(explain)?;
            let elapsed = self.control.now().saturating_sub(since.unwrap_or(0));
            let elapsed_ns = i64::try_from(elapsed).unwrap_or(i64::MAX);
            message.time_since_last_hit = Some(IdleTimeout { elapsed_ns });
        }
        Ok(self.emit(Entity::TableEntry(message)))
    }

    /// Adds the requested direct resources of an entry or default entry.
    fn resources(
        &self,
        table: &Table,
        entry: &EntryRef,
        message: &v1::TableEntry,
        out: &mut v1::TableEntry,
    ) -> Result<(), Problem> {
        if message.counter_data.is_some() && table.has_counter() {
            let count = self.control.direct_counter(table.table, entry).map_err(explain)?;
            out.counter_data = Some(write_count(count));
        }
        if message.meter_config.is_some() && table.has_meter() {
            let config = self.control.direct_meter(table.table, entry).map_err(explain)?;
            out.meter_config = config.map(write_rates);
        }
        if message.meter_counter_data.is_some() && table.has_meter() {
            let counts = self.control.direct_meter_counts(table.table, entry).map_err(explain)?;
            out.meter_counter_data = Some(write_counts(counts));
        }
        Ok(())
    }

    fn default_of(&mut self, table: &Table, filter: &Filter<'_>) -> Result<(), Problem> {
        let note = self.notes.entries.get((table.table, None));
        let target = self.control.default_action(table.table).map_err(explain)?;
        let action = self.table_action(table, &target, note);
        let wanted = filter.action.is_none_or(
            |wanted| matches!(&action, Some(Action::Action(action)) if action.action_id == wanted),
        );
        if filter.passes(note) && wanted {
            let mut message = blank(table, action, note);
            message.is_default_action = true;
            self.resources(table, &EntryRef::Default, filter.given, &mut message)?;
            self.emit(Entity::TableEntry(message));
        }
        Ok(())
    }

    /// Converts the target of an entry to the controllers' form.
    fn table_action(&self, table: &Table, target: &Target, note: Option<&EntryNote>) -> Option<Action> {
        match target {
            Target::Action(call) => {
                action_message(self.layout, self.translator, table, call).map(Action::Action)
            }
            Target::Member(member) => Some(Action::ActionProfileMemberId(*member)),
            Target::Group(group) => Some(Action::ActionProfileGroupId(*group)),
            Target::OneOf(given) => {
                let to_message = |weighted: &weir_switch::control::WeightedCall| v1::ActionProfileAction {
                    action: action_message(self.layout, self.translator, table, &weighted.action),
                    weight: i32::try_from(weighted.weight).unwrap_or(i32::MAX),
                    watch_kind: weighted
                        .watch
                        .map(|port| WatchKind::WatchPort(self.translator.port_bytes(port))),
                };
                let mode = match given.at_random {
                    true => ActionSelectionMode::Random,
                    false => ActionSelectionMode::DefaultModeDeterminedByActionSelector,
                };
                let first = given.group_action.as_ref();
                let set = v1::ActionProfileActionSet {
                    group_action: first
                        .and_then(|call| action_message(self.layout, self.translator, table, call)),
                    action_profile_actions: given.actions.iter().map(to_message).collect(),
                    action_selection_mode: mode.into(),
                    ..v1::ActionProfileActionSet::default()
                };
                Some(Action::ActionProfileActionSet(match note.and_then(|note| note.action_set.as_deref()) {
                    Some(written) => as_written(set, written, self.translator),
                    None => set,
                }))
            }
        }
    }
}

impl<'f> Filter<'f> {
    fn new(entry: &'f v1::TableEntry) -> Result<Self, Problem> {
        let action = match entry.action.as_ref().and_then(|action| action.r#type.as_ref()) {
            None => None,
            Some(Action::Action(action)) => Some(action.action_id).filter(|id| *id != 0),
            Some(_) => {
                return Err(Problem::invalid("entries are not filtered by members, groups or action sets"));
            }
        };
        #[expect(deprecated, reason = "older controllers write it")]
        let controller_metadata = entry.controller_metadata;
        Ok(Self { given: entry, matches: None, action, controller_metadata })
    }

    /// Returns whether the entry's metadata match the request.
    fn passes(&self, note: Option<&EntryNote>) -> bool {
        let metadata = note.map_or(&[][..], |note| &note.metadata);
        let controller_metadata = note.map_or(0, |note| note.controller_metadata);
        (self.given.metadata.is_empty() || self.given.metadata == metadata)
            && (self.controller_metadata == 0 || self.controller_metadata == controller_metadata)
    }
}

/// Creates the message for an entry, with only the fields that all entries have.
fn blank(table: &Table, action: Option<Action>, note: Option<&EntryNote>) -> v1::TableEntry {
    let action = action.map(|action| v1::TableAction { r#type: Some(action) });
    #[expect(deprecated, reason = "older controllers write it")]
    v1::TableEntry {
        table_id: table.id,
        action,
        metadata: note.map(|note| note.metadata.clone()).unwrap_or_default(),
        controller_metadata: note.map_or(0, |note| note.controller_metadata),
        ..v1::TableEntry::default()
    }
}
