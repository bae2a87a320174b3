//! Finds the changes that turn one switch's state into another's, in an order that respects
//! references between entities.

use std::collections::{BTreeMap, BTreeSet};

use prost::Message;

use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::packet_replication_engine_entry::Type as Replication;
use crate::proto::v1::update::Type;

/// A change of an entity.
pub struct Change {
    /// Whether to insert, modify or delete the entity.
    pub kind: Type,
    /// The entity to write.
    pub entity: Entity,
}

/// Returns the changes that turn a switch with the entities `initial` into a switch with the
/// entities `held`, in steps. Each step depends on the previous ones.
pub fn steps(initial: Vec<Entity>, held: Vec<Entity>) -> Vec<Vec<Change>> {
    let held_keys: BTreeSet<Vec<u8>> = held.iter().filter_map(key).collect();
    let mut steps: BTreeMap<u8, Vec<Change>> = BTreeMap::new();
    for entity in initial.iter().filter(|entity| key(entity).is_some_and(|key| !held_keys.contains(&key))) {
        // Entries are deleted before the members and groups that they refer to.
        let step = match entity {
            Entity::ActionProfileGroup(_) => 4,
            Entity::ActionProfileMember(_) => 5,
            _ => 0,
        };
        steps.entry(step).or_default().push(Change { kind: Type::Delete, entity: entity.clone() });
    }
    let initial: BTreeSet<Vec<u8>> = initial.into_iter().map(bytes).collect();
    for entity in held {
        if initial.contains(&bytes(entity.clone())) {
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
        steps.entry(step).or_default().push(Change { kind, entity });
    }
    steps.into_values().collect()
}

fn bytes(entity: Entity) -> Vec<u8> {
    v1::Entity { entity: Some(entity) }.encode_to_vec()
}

/// Returns the key of an entity that can be deleted; `None` for an entity that always exists.
fn key(entity: &Entity) -> Option<Vec<u8>> {
    let key = match entity {
        Entity::TableEntry(entry) if !entry.is_default_action => Entity::TableEntry(v1::TableEntry {
            table_id: entry.table_id,
            r#match: entry.r#match.clone(),
            priority: entry.priority,
            ..v1::TableEntry::default()
        }),
        Entity::ActionProfileMember(member) => Entity::ActionProfileMember(v1::ActionProfileMember {
            action_profile_id: member.action_profile_id,
            member_id: member.member_id,
            action: None,
        }),
        Entity::ActionProfileGroup(group) => Entity::ActionProfileGroup(v1::ActionProfileGroup {
            action_profile_id: group.action_profile_id,
            group_id: group.group_id,
            ..v1::ActionProfileGroup::default()
        }),
        Entity::PacketReplicationEngineEntry(entry) => {
            let kind = match entry.r#type.as_ref()? {
                Replication::MulticastGroupEntry(group) => {
                    let multicast_group_id = group.multicast_group_id;
                    let group = v1::MulticastGroupEntry { multicast_group_id, ..Default::default() };
                    Replication::MulticastGroupEntry(group)
                }
                Replication::CloneSessionEntry(session) => {
                    let session_id = session.session_id;
                    Replication::CloneSessionEntry(v1::CloneSessionEntry { session_id, ..Default::default() })
                }
            };
            Entity::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type: Some(kind) })
        }
        _ => return None,
    };
    Some(bytes(key))
}
