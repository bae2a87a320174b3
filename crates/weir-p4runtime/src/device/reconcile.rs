//! What one program's switch holds, written into another's (`RECONCILE_AND_COMMIT`).
//!
//! All that controllers and packets have changed since the old program began is read and written
//! again: entries, default actions, members, groups, cells, value sets, replicas, digests. What the
//! programs themselves give stays as the new program gives it. State inside meters starts again.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;
use weir_device::Nanos;
use weir_switch::Switch;

use crate::entities;
use crate::pipeline::Pipeline;
use crate::proto::config::{P4Info, Preamble};
use crate::proto::google::rpc;
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::packet_replication_engine_entry::Type as Replication;
use crate::proto::v1::update::Type;
use crate::status::Code;

/// How many problems a message lists.
const SHOWN: usize = 10;

/// A switch with its program.
pub struct Side<'s> {
    /// The program.
    pub pipeline: &'s mut Pipeline,
    /// The switch.
    pub switch: &'s mut Switch,
}

/// Writes into `new` what `old` holds. `fresh` is a switch that has just begun to run the program
/// of `old`.
///
/// # Errors
/// What cannot be kept. `new` is of no use then.
pub fn reconcile(old: Side<'_>, fresh: &mut Switch, new: Side<'_>, now: Nanos) -> Result<(), String> {
    let mut problems = renumbered(old.pipeline.p4info(), new.pipeline.p4info());
    if problems.is_empty() {
        let given = read(old.pipeline, fresh, now)?;
        let held = read(old.pipeline, old.switch, now)?;
        let Side { pipeline, switch } = new;
        for step in steps(given, held) {
            write(pipeline, switch, now, step, &mut problems)?;
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let (count, more) = (problems.len(), problems.len().saturating_sub(SHOWN));
    problems.truncate(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let list = problems.join("; ");
    Err(format!("{count} parts of what the switch holds do not fit the new program: {list}{more}"))
}

/// Everything, without the entries that are part of the program.
fn read(pipeline: &Pipeline, switch: &mut Switch, now: Nanos) -> Result<Vec<Entity>, String> {
    let direct = v1::TableEntry {
        meter_config: Some(v1::MeterConfig::default()),
        counter_data: Some(v1::CounterData::default()),
        ..v1::TableEntry::default()
    };
    let replication =
        |kind| Entity::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type: Some(kind) });
    let all = [
        Entity::ActionProfileMember(v1::ActionProfileMember::default()),
        Entity::ActionProfileGroup(v1::ActionProfileGroup::default()),
        Entity::TableEntry(direct),
        Entity::ValueSetEntry(v1::ValueSetEntry::default()),
        Entity::CounterEntry(v1::CounterEntry::default()),
        Entity::MeterEntry(v1::MeterEntry::default()),
        Entity::RegisterEntry(v1::RegisterEntry::default()),
        Entity::DigestEntry(v1::DigestEntry::default()),
        replication(Replication::MulticastGroupEntry(v1::MulticastGroupEntry::default())),
        replication(Replication::CloneSessionEntry(v1::CloneSessionEntry::default())),
    ];
    let defaults = pipeline.p4info().tables.iter().filter_map(|table| {
        let table_id = table.preamble.as_ref()?.id;
        let entry = v1::TableEntry { table_id, is_default_action: true, ..v1::TableEntry::default() };
        Some(Entity::TableEntry(entry))
    });
    // Apart from the entry: a constant default has them too.
    let of_defaults = pipeline.layout.tables.iter().flat_map(|table| {
        let table_entry = || {
            let (table_id, is_default_action) = (table.id, true);
            Some(v1::TableEntry { table_id, is_default_action, ..v1::TableEntry::default() })
        };
        let count = || v1::DirectCounterEntry { table_entry: table_entry(), data: None };
        let rates = || v1::DirectMeterEntry { table_entry: table_entry(), ..Default::default() };
        let counts = table.has_counter.then(|| Entity::DirectCounterEntry(count()));
        counts.into_iter().chain(table.has_meter.then(|| Entity::DirectMeterEntry(rates())))
    });
    let requests: Vec<v1::Entity> = all
        .into_iter()
        .chain(defaults)
        .chain(of_defaults)
        .map(|entity| v1::Entity { entity: Some(entity) })
        .collect();
    let mut read = Vec::new();
    let mut sink = |part: v1::ReadResponse| {
        read.extend(part.entities.into_iter().filter_map(|entity| entity.entity));
        true
    };
    entities::read(pipeline, switch, now, &requests, &|_| true, &mut sink)
        .map_err(|status| format!("what the switch holds cannot be read: {}", status.message()))?;
    read.retain(|entity| !matches!(entity, Entity::TableEntry(entry) if entry.is_const));
    Ok(read)
}

/// The changes that lead from what the program gives to what the switch holds; each step needs
/// those before it.
fn steps(given: Vec<Entity>, held: Vec<Entity>) -> Vec<Vec<v1::Update>> {
    let update = |kind: Type, entity| v1::Update {
        r#type: kind as i32,
        entity: Some(v1::Entity { entity: Some(entity) }),
    };
    let kept: BTreeSet<Vec<u8>> = held.iter().filter_map(entry_key).collect();
    let deleted = given.iter().filter(|entity| entry_key(entity).is_some_and(|key| !kept.contains(&key)));
    let mut steps: BTreeMap<u8, Vec<v1::Update>> = BTreeMap::new();
    steps.insert(0, deleted.map(|entity| update(Type::Delete, entity.clone())).collect());
    let given: BTreeSet<Vec<u8>> = given.into_iter().map(bytes).collect();
    for entity in held {
        if given.contains(&bytes(entity.clone())) {
            continue;
        }
        let (step, kind) = match &entity {
            Entity::ActionProfileMember(_) => (1, Type::Insert),
            Entity::ActionProfileGroup(_) => (2, Type::Insert),
            Entity::TableEntry(entry) if entry.is_default_action => (3, Type::Modify),
            Entity::TableEntry(_) | Entity::PacketReplicationEngineEntry(_) | Entity::DigestEntry(_) => {
                (3, Type::Insert)
            }
            _ => (3, Type::Modify),
        };
        steps.entry(step).or_default().push(update(kind, entity));
    }
    steps.into_values().collect()
}

fn bytes(entity: Entity) -> Vec<u8> {
    v1::Entity { entity: Some(entity) }.encode_to_vec()
}

/// What tells an entry of a table from others; none for other entities and defaults.
fn entry_key(entity: &Entity) -> Option<Vec<u8>> {
    let Entity::TableEntry(entry) = entity else { return None };
    let key = v1::TableEntry {
        table_id: entry.table_id,
        r#match: entry.r#match.clone(),
        priority: entry.priority,
        ..v1::TableEntry::default()
    };
    (!entry.is_default_action).then(|| key.encode_to_vec())
}

/// Makes changes, and adds what fails to `problems`. Entries that the program gives too are
/// modified; those to be deleted may be absent.
fn write(
    pipeline: &mut Pipeline,
    switch: &mut Switch,
    now: Nanos,
    updates: Vec<v1::Update>,
    problems: &mut Vec<String>,
) -> Result<(), String> {
    let mut request = v1::WriteRequest { updates, ..v1::WriteRequest::default() };
    for is_last in [false, true] {
        let Err(status) = entities::write(pipeline, switch, now, &request, &|_| true) else { return Ok(()) };
        let details = rpc::Status::decode(status.details()).map_err(|error| error.to_string())?.details;
        if details.len() != request.updates.len() {
            return Err(status.message().to_owned());
        }
        let mut again = Vec::new();
        for (update, detail) in std::mem::take(&mut request.updates).into_iter().zip(details) {
            let error = v1::Error::decode(detail.value.as_slice()).map_err(|error| error.to_string())?;
            let (code, kind) = (Code::from(error.canonical_code), update.r#type());
            match (code, kind) {
                (Code::Ok, _) | (Code::NotFound, Type::Delete) => {}
                (Code::AlreadyExists, Type::Insert) if !is_last => {
                    again.push(v1::Update { r#type: Type::Modify as i32, ..update });
                }
                _ => problems.push(error.message),
            }
        }
        request.updates = again;
    }
    Ok(())
}

/// Ids that stand for other things in the new P4Info than in the old one.
fn renumbered(old: &P4Info, new: &P4Info) -> Vec<String> {
    let (old, new) = (names(old), names(new));
    let changed = old.iter().filter_map(|(id, name)| {
        let other = new.get(id).filter(|other| *other != name)?;
        Some(match id.1 {
            0 => format!("the id {} was `{name}` and is `{other}` now", id.0),
            part => format!("part {part} of the object {} was `{name}` and is `{other}` now", id.0),
        })
    });
    changed.collect()
}

/// The names of all objects by id, and those of match fields and parameters by the object's id and
/// their own.
fn names(info: &P4Info) -> BTreeMap<(u32, u32), &str> {
    let mut names = BTreeMap::new();
    for table in &info.tables {
        let fields = table.match_fields.iter().map(|field| (field.id, field.name.as_str()));
        insert(&mut names, table.preamble.as_ref(), fields);
    }
    for action in &info.actions {
        let params = action.params.iter().map(|param| (param.id, param.name.as_str()));
        insert(&mut names, action.preamble.as_ref(), params);
    }
    let others = [
        info.action_profiles.iter().map(|object| &object.preamble).collect::<Vec<_>>(),
        info.counters.iter().map(|object| &object.preamble).collect(),
        info.meters.iter().map(|object| &object.preamble).collect(),
        info.registers.iter().map(|object| &object.preamble).collect(),
        info.value_sets.iter().map(|object| &object.preamble).collect(),
        info.digests.iter().map(|object| &object.preamble).collect(),
    ];
    for preamble in others.into_iter().flatten() {
        insert(&mut names, preamble.as_ref(), std::iter::empty());
    }
    names
}

/// Adds the name of an object, and those of its parts.
fn insert<'i>(
    names: &mut BTreeMap<(u32, u32), &'i str>,
    preamble: Option<&'i Preamble>,
    parts: impl Iterator<Item = (u32, &'i str)>,
) {
    let Some(preamble) = preamble else { return };
    names.insert((preamble.id, 0), &preamble.name);
    names.extend(parts.map(|(part, name)| ((preamble.id, part), name)));
}
