//! Names entities for messages, and finds ids that mean something else in another P4Info.

use std::collections::BTreeMap;

use crate::entities::object_of;
use crate::proto::config::{P4Info, Preamble};
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::packet_replication_engine_entry::Type as Replication;
use crate::proto::v1::table_action::Type as TableAction;

/// The names of objects and their parts, by the id of the object and the id of the part. The id 0
/// stands for the object itself.
type Names<'i> = BTreeMap<(u32, u32), &'i str>;

/// Finds the ids that the old and the new P4Info use for different objects or parts. Returns
/// descriptions of the differences by the object's id.
pub fn renumbered_ids(old: &P4Info, new: &P4Info) -> BTreeMap<u32, String> {
    let (old, new) = (names(old), names(new));
    let changed = old.iter().filter_map(|(id, name)| {
        let other = new.get(id).filter(|other| *other != name)?;
        let why = match id.1 {
            0 => format!("the id {} was `{name}` and is `{other}` now", id.0),
            part => format!("part {part} of the object {} was `{name}` and is `{other}` now", id.0),
        };
        Some((id.0, why))
    });
    changed.collect()
}

/// Returns the ids of the objects in an entity.
pub fn ids(entity: &Entity) -> Vec<u32> {
    let of_entry = |entry: &v1::TableEntry| {
        let kind = entry.action.as_ref().and_then(|action| action.r#type.as_ref());
        let actions: Vec<u32> = match kind {
            Some(TableAction::Action(action)) => vec![action.action_id],
            Some(TableAction::ActionProfileActionSet(set)) => {
                let chosen = set.action_profile_actions.iter();
                chosen.filter_map(|chosen| Some(chosen.action.as_ref()?.action_id)).collect()
            }
            _ => Vec::new(),
        };
        std::iter::once(entry.table_id).chain(actions).collect()
    };
    match entity {
        Entity::TableEntry(entry) => of_entry(entry),
        Entity::ActionProfileMember(member) => {
            let action = member.action.as_ref().map(|action| action.action_id);
            std::iter::once(member.action_profile_id).chain(action).collect()
        }
        entity => vec![object_of(entity)],
    }
}

/// Describes an entity for messages. All entities of an object have the same description.
pub fn describe(entity: &Entity, names: &Names<'_>) -> String {
    let id = object_of(entity);
    let name = names.get(&(id, 0)).map_or_else(|| id.to_string(), |name| (*name).to_owned());
    match entity {
        Entity::PacketReplicationEngineEntry(entry) => match &entry.r#type {
            Some(Replication::MulticastGroupEntry(group)) => {
                format!("multicast group {}", group.multicast_group_id)
            }
            Some(Replication::CloneSessionEntry(session)) => format!("clone session {}", session.session_id),
            None => "a replication".to_owned(),
        },
        Entity::TableEntry(entry) if entry.is_default_action => format!("the default action of {name}"),
        entity => format!("{} of {name}", kind(entity)),
    }
}

/// Returns the plural name of an entity's kind.
pub fn kind(entity: &Entity) -> &'static str {
    match entity {
        Entity::TableEntry(entry) if entry.is_default_action => "default actions",
        Entity::TableEntry(_) => "table entries",
        Entity::ActionProfileMember(_) => "members",
        Entity::ActionProfileGroup(_) => "groups",
        Entity::MeterEntry(_) | Entity::DirectMeterEntry(_) => "meters",
        Entity::CounterEntry(_) | Entity::DirectCounterEntry(_) => "counters",
        Entity::PacketReplicationEngineEntry(_) => "multicast groups and clone sessions",
        Entity::ValueSetEntry(_) => "value sets",
        Entity::RegisterEntry(_) => "registers",
        Entity::DigestEntry(_) => "digests",
        Entity::ExternEntry(_) => "externs",
    }
}

/// Returns the names of all objects by id, and the names of match fields and parameters by the
/// object's id and their own id.
pub fn names(info: &P4Info) -> Names<'_> {
    let mut names = BTreeMap::new();
    for table in &info.tables {
        let fields = table.match_fields.iter().map(|field| (field.id, field.name.as_str()));
        insert(&mut names, table.preamble.as_ref(), fields);
    }
    for action in &info.actions {
        let params = action.params.iter().map(|param| (param.id, param.name.as_str()));
        insert(&mut names, action.preamble.as_ref(), params);
    }
    let preambles = [
        info.action_profiles.iter().map(|object| &object.preamble).collect::<Vec<_>>(),
        info.counters.iter().map(|object| &object.preamble).collect(),
        info.meters.iter().map(|object| &object.preamble).collect(),
        info.registers.iter().map(|object| &object.preamble).collect(),
        info.value_sets.iter().map(|object| &object.preamble).collect(),
        info.digests.iter().map(|object| &object.preamble).collect(),
    ];
    for preamble in preambles.into_iter().flatten() {
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
