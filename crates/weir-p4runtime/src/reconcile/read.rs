//! Reads the whole state of a switch as P4Runtime's messages.

use weir_device::Nanos;
use weir_switch::Switch;

use crate::entities;
use crate::pipeline::Pipeline;
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::packet_replication_engine_entry::Type as Replication;

/// Reads all state that can be written. Of entries that the program declares, reads only the
/// counters and meters.
///
/// # Errors
/// A part of the state cannot be read.
pub fn read(pipeline: &Pipeline, switch: &mut Switch, now: Nanos) -> Result<Vec<Entity>, String> {
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
    // The resources are separate from the entry, because a constant default action also has them.
    let of_defaults = pipeline.layout.tables.iter().flat_map(|table| {
        let table_entry = || {
            let (table_id, is_default_action) = (table.id, true);
            Some(v1::TableEntry { table_id, is_default_action, ..v1::TableEntry::default() })
        };
        let count = || v1::DirectCounterEntry { table_entry: table_entry(), data: None };
        let rates = || v1::DirectMeterEntry { table_entry: table_entry(), ..Default::default() };
        let counts = table.has_counter().then(|| Entity::DirectCounterEntry(count()));
        counts.into_iter().chain(table.has_meter().then(|| Entity::DirectMeterEntry(rates())))
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
    entities::read(entities::ReadLimits::NONE, pipeline, switch, now, &requests, &|_| true, &mut sink)
        .map_err(|status| format!("what the switch holds cannot be read: {}", status.message()))?;
    Ok(read.into_iter().flat_map(changeable).collect())
}

/// Returns the parts of an entity that can be written. For an entry that the program declares,
/// these are only its counter and its meter.
fn changeable(entity: Entity) -> Vec<Entity> {
    match entity {
        Entity::TableEntry(entry) if entry.is_const => {
            let v1::TableEntry { table_id, r#match, priority, counter_data, meter_config, .. } = entry;
            let table_entry = v1::TableEntry { table_id, r#match, priority, ..v1::TableEntry::default() };
            let table_entry = Some(table_entry);
            let count = counter_data.map(|data| {
                let table_entry = table_entry.clone();
                Entity::DirectCounterEntry(v1::DirectCounterEntry { table_entry, data: Some(data) })
            });
            let rates = meter_config.map(|rates| {
                let (table_entry, config) = (table_entry.clone(), Some(rates));
                Entity::DirectMeterEntry(v1::DirectMeterEntry { table_entry, config, counter_data: None })
            });
            count.into_iter().chain(rates).collect()
        }
        entity => vec![entity],
    }
}
