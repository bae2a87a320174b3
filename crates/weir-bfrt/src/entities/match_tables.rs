//! Changes entries and defaults of the program's tables.

use weir_grpc::{Code, Problem};
use weir_ir::{Bits, ExternId, TableId};
use weir_p4runtime_proto::bfrt::table_entry::Value as Named;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{
    Call, Control, ControlError, CounterValue, Entry, EntryRef, Match, MatchKind, Target, Update,
};

use super::cells::{read_count, read_rates};
use super::masks;
use super::writer::{Wanted, Writer};
use crate::explain::explain;
use crate::info::{Action, Table, field};
use crate::matches;
use crate::notes::count_key;
use crate::values::Data;

/// The number of nanoseconds in a millisecond.
pub(super) const MILLISECOND: u64 = 1_000_000;

/// Returns the match kinds of a table's keys.
pub(super) fn kinds(control: &Control<'_>, id: TableId) -> Vec<MatchKind> {
    control.schema().tables[id.index()].keys.iter().map(|key| key.kind).collect()
}

/// The handle of the default entry of each table.
const DEFAULT_HANDLE: u32 = 1;
/// The handle of the entry with the handle 0 in the switch.
pub(super) const FIRST_HANDLE: u64 = 2;

/// Finds the entry that a request names by its key or its handle.
///
/// # Errors
/// The key does not fit the table, or the request names no entry.
pub(super) fn entry_ref(
    control: &Control<'_>,
    table: &Table,
    id: TableId,
    named: Option<&Named>,
) -> Result<EntryRef, Problem> {
    match named {
        None => Err(Problem::invalid("the entry has no key")),
        Some(Named::HandleId(DEFAULT_HANDLE)) => Ok(EntryRef::Default),
        Some(Named::HandleId(handle)) => match u64::from(*handle).checked_sub(FIRST_HANDLE) {
            Some(handle) => Ok(EntryRef::Handle(handle)),
            None => Err(Problem::not_found(format!("no entry has the handle {handle}"))),
        },
        Some(Named::Key(key)) => {
            let mut key = matches::read(table, &kinds(control, id), key)?;
            masks::apply(control, table, id, &mut key.matches);
            if let Some(handle) = const_entry(control, id, &key) {
                return Ok(EntryRef::Handle(handle));
            }
            Ok(EntryRef::Key { priority: key.priority()?, matches: key.matches })
        }
    }
}

/// Finds a constant entry of the program. Its place is its number among the constant entries.
fn const_entry(control: &Control<'_>, id: TableId, key: &matches::Key) -> Option<u64> {
    let place = key.place?;
    let mut entries = control.each_entry(id).ok()?.filter(|entry| entry.is_const);
    let entry = entries.nth(usize::try_from(place).ok()?)?;
    same_key(&entry.entry.matches, &key.matches).then_some(entry.handle)
}

/// Returns whether two keys are the same.
fn same_key(one: &[Match], other: &[Match]) -> bool {
    let is_any = |one: &Match| match one {
        Match::Any => true,
        Match::Ternary(_, mask) => mask.is_zero(),
        Match::Lpm(_, len) => *len == 0,
        _ => false,
    };
    one.iter().zip(other).all(|(one, other)| one == other || is_any(one) && is_any(other))
}

/// Returns the call of an action with the arguments in the data. Arguments that are left out keep
/// their value from `old`, a call of the same action; without `old`, they are 0.
pub(super) fn call(action: &Action, data: &Data<'_>, old: Option<&Call>) -> Result<Call, Problem> {
    let old = old.filter(|old| Some(old.action) == action.action);
    let args = action.data.iter().enumerate().map(|(place, param)| {
        let kept = || old.and_then(|old| old.args.get(place));
        let given = data.number(param.id).or_else(kept).cloned();
        given.unwrap_or_else(|| Bits::zero(param.ty.bits().unwrap_or(0)))
    });
    let id = action.action.ok_or_else(|| Problem::invalid("the program has no such action"))?;
    Ok(Call { action: id, args: args.collect() })
}

/// Returns the action, member or group in the data; `None` if they have none.
fn target(table: &Table, data: &Data<'_>, old: Option<&Target>) -> Result<Option<Target>, Problem> {
    let old = match old {
        Some(Target::Action(call)) => Some(call),
        _ => None,
    };
    if let Some(action) = &table.fixed_action {
        return call(action, data, old).map(|call| Some(Target::Action(call)));
    }
    let number = |id| data.uint32(id);
    match (data.action, number(field::ACTION_MEMBER_ID), number(field::SELECTOR_GROUP_ID)) {
        (Some(action), None, None) => call(action, data, old).map(|call| Some(Target::Action(call))),
        (None, Some(member), None) => Ok(Some(Target::Member(member))),
        (None, None, Some(group)) => Ok(Some(Target::Group(group))),
        (None, None, None) => Ok(None),
        _ => Err(Problem::invalid("an entry has only one of an action, a member and a group")),
    }
}

fn needs_target(table: &Table) -> Problem {
    Problem::invalid(match table.actions.is_empty() {
        true => format!("an entry of `{}` needs a member or a group", table.name),
        false => format!("an entry of `{}` needs an action", table.name),
    })
}

impl Writer<'_, '_, '_> {
    pub(super) fn has_match_entry(
        &self,
        table: &Table,
        id: TableId,
        wanted: &Wanted<'_>,
    ) -> Result<bool, Problem> {
        let entry = entry_ref(self.control(), table, id, wanted.entry.value.as_ref())?;
        match self.control().handle(id, &entry) {
            Ok(_) => Ok(true),
            Err(ControlError::NoSuchEntry { .. }) => Ok(false),
            Err(error) => Err(explain(self.schema(), error)),
        }
    }

    pub(super) fn match_entry(
        &mut self,
        table: &Table,
        id: TableId,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        if wanted.entry.is_default_entry {
            return self.default_entry(table, id, wanted);
        }
        match wanted.kind {
            Type::Insert => self.insert(table, id, wanted),
            Type::Delete if wanted.is_for_all() => {
                self.notes.forget_entries(table.id);
                self.change(&Update::Clear { table: id }).map(drop)
            }
            Type::Delete => {
                let entry = entry_ref(self.control(), table, id, wanted.entry.value.as_ref())?;
                if let Ok(handle) = self.control().handle(id, &entry) {
                    self.notes.forget_entry(table.id, handle);
                }
                self.change(&Update::Delete { table: id, entry }).map(drop)
            }
            Type::Modify => {
                let entry = entry_ref(self.control(), table, id, wanted.entry.value.as_ref())?;
                self.modify(table, id, &entry, wanted)
            }
            _ => Err(wanted.unsupported(table)),
        }
    }

    fn default_entry(&mut self, table: &Table, id: TableId, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.entry.value.is_some() {
            return Err(Problem::invalid("a default entry has no key"));
        }
        match wanted.kind {
            Type::Modify | Type::InsertOrModify => {
                let old = self.control().default_action(id).map_err(|error| explain(self.schema(), error))?;
                if let Some(action) = target(table, &wanted.data, Some(&old))? {
                    self.change(&Update::SetDefault { table: id, action })?;
                }
                self.resources(table, id, &EntryRef::Default, wanted)
            }
            // The default of such a table is always that of the program.
            Type::Delete | Type::Reset if table.const_default == Some(true) => Ok(()),
            Type::Delete | Type::Reset => self.change(&Update::ResetDefault { table: id }).map(drop),
            _ => Err(Problem::unsupported(format!(
                "the default entry of `{}` is there already: use MODIFY",
                table.name
            ))),
        }
    }

    fn insert(&mut self, table: &Table, id: TableId, wanted: &Wanted<'_>) -> Result<(), Problem> {
        let mut key = matches::read(table, &kinds(self.control(), id), wanted.key()?)?;
        masks::apply(self.control(), table, id, &mut key.matches);
        if const_entry(self.control(), id, &key).is_some() {
            return Err(Problem::new(Code::AlreadyExists, "the program has this entry"));
        }
        let action = target(table, &wanted.data, None)?.ok_or_else(|| needs_target(table))?;
        self.check_group(id, &action)?;
        let entry = Entry { priority: key.priority()?, matches: key.matches, action, idle_timeout: None };
        let handle = self.change(&Update::Insert { table: id, entry })?;
        self.resources(table, id, &EntryRef::Handle(handle.unwrap_or_default()), wanted)
    }

    /// Checks that a group has a member that packets can get.
    fn check_group(&self, id: TableId, action: &Target) -> Result<(), Problem> {
        let (Target::Group(group), Some(profile)) = (action, self.schema().tables[id.index()].profile) else {
            return Ok(());
        };
        let mut groups = self.control().groups(profile).map_err(|error| explain(self.schema(), error))?;
        match groups.find(|(number, members)| number == group && members.is_empty()) {
            Some(_) => Err(Problem::invalid(format!("no member of the group {group} can be chosen"))),
            None => Ok(()),
        }
    }

    /// Returns whether an entry uses a group.
    pub(super) fn uses_group(&self, profile: ExternId, group: u32) -> bool {
        let tables = self.schema().tables.iter().enumerate();
        let tables = tables.filter(|(_, table)| table.profile == Some(profile));
        let mut entries = tables
            .flat_map(|(place, _)| self.control().each_entry(TableId::new(place)).into_iter().flatten());
        entries.any(|state| state.entry.action == Target::Group(group))
    }

    fn modify(
        &mut self,
        table: &Table,
        id: TableId,
        entry: &EntryRef,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        let handle = self.control().handle(id, entry).map_err(|error| explain(self.schema(), error))?;
        let entry = EntryRef::Handle(handle);
        let old = self.control().target(id, handle).map_err(|error| explain(self.schema(), error))?;
        // An entry that the client must not change is refused even if nothing would change.
        let action = target(table, &wanted.data, Some(&old))?.unwrap_or(old);
        self.check_group(id, &action)?;
        self.change(&Update::Modify { table: id, entry: entry.clone(), action })?;
        let flags = wanted.entry.table_flags.unwrap_or_default();
        if flags.reset_stats && self.schema().tables[id.index()].direct_counter.is_some() {
            let value = CounterValue::default();
            self.change(&Update::WriteDirectCounter { table: id, entry: entry.clone(), value })?;
            self.notes.counts.remove(&(table.id, handle));
        }
        if flags.reset_ttl && wanted.data.uint(field::ENTRY_TTL).is_none() {
            let state = self.control().entry(id, &entry).map_err(|error| explain(self.schema(), error))?;
            if let timeout @ Some(_) = state.entry.idle_timeout {
                self.notes.timed.insert((table.id, handle), self.now);
                self.notes.told_idle.remove(&(table.id, handle));
                self.change(&Update::SetIdleTimeout { table: id, entry: entry.clone(), timeout })?;
            }
        }
        self.resources(table, id, &entry, wanted)
    }

    /// Sets the counts, rates and time-out of an entry that are in the data.
    fn resources(
        &mut self,
        table: &Table,
        id: TableId,
        entry: &EntryRef,
        wanted: &Wanted<'_>,
    ) -> Result<(), Problem> {
        let data = &wanted.data;
        let own = |error| explain(self.schema(), error);
        if data.number(field::COUNTER_BYTES).or(data.number(field::COUNTER_PACKETS)).is_some() {
            let old = self.control().direct_counter(id, entry).map_err(own)?;
            let value = read_count(data, old);
            self.change(&Update::WriteDirectCounter { table: id, entry: entry.clone(), value })?;
            self.notes.counts.insert((table.id, count_key(entry)), value);
        }
        let own = |error| explain(self.schema(), error);
        if self.schema().tables[id.index()].direct_meter.is_some() {
            let bytes = self.schema().tables[id.index()].direct_meter_bytes;
            let old = self.control().direct_meter(id, entry).map_err(own)?;
            if let Some(config) = read_rates(data, (bytes, self.info.chip), old) {
                self.change(&Update::WriteDirectMeter { table: id, entry: entry.clone(), config })?;
            }
        }
        self.entry_cell(table, id, entry, data)?;
        if let Some(ttl) = data.uint(field::ENTRY_TTL) {
            if *entry == EntryRef::Default {
                return Err(Problem::invalid("a default entry has no `$ENTRY_TTL`"));
            }
            if let EntryRef::Handle(handle) = entry {
                self.notes.timed.insert((table.id, *handle), self.now);
                self.notes.told_idle.remove(&(table.id, *handle));
            }
            let timeout = (ttl > 0).then(|| ttl * MILLISECOND);
            self.change(&Update::SetIdleTimeout { table: id, entry: entry.clone(), timeout })?;
        }
        if let (Some(state), EntryRef::Handle(handle)) = (data.text(field::ENTRY_HIT_STATE), entry) {
            let state = (state == "ENTRY_ACTIVE", self.now);
            self.notes.set_states.insert((table.id, *handle), state);
        }
        Ok(())
    }
}
