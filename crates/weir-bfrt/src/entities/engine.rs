//! Changes and reads what all multicast groups share: link aggregation groups, pruned ports, the
//! settings of ports, and those of the device. All of these entries are there from the start.

use weir_grpc::Problem;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{MulticastLag, Replication, Update};

use super::writer::{Wanted, Writer};
use crate::info::{Object, Table, fixed_ids};
use crate::matches::index;
use crate::values::{write_flag, write_numbers, write_uint};

/// The settings without effect in the switch, if no client has set them.
const DEVICE: bfrt::PreDeviceConfig = bfrt::PreDeviceConfig {
    pre_global_rid: None,
    pre_port_protection: None,
    pre_fast_failover: Some(bfrt::PreFastFailover { enable: false }),
    pre_max_nodes_before_yield: Some(bfrt::PreMaxNodesBeforeYield { count: 16 }),
    pre_max_node_threshold: Some(bfrt::PreMaxNodeThreshold { node_count: 4096, port_lag_count: 133 }),
};

/// Writes the data of an entry.
pub(super) fn write(object: Object, replication: &Replication, key: u32) -> Vec<bfrt::DataField> {
    match object {
        Object::MulticastLags => {
            use fixed_ids::lag as f;
            let lag = replication.lags.get(&(key as u8)).cloned().unwrap_or_default();
            let (before, after) = lag.remote;
            vec![
                write_numbers(f::PORTS, lag.ports.into_iter().collect()),
                write_uint(f::MSB_COUNT, 32, after.into()),
                write_uint(f::LSB_COUNT, 32, before.into()),
            ]
        }
        Object::PrunedPorts => {
            let ports = replication.pruned.get(&(key as u16)).into_iter().flatten();
            vec![write_numbers(fixed_ids::ITEMS, ports.copied().collect())]
        }
        _ => {
            use fixed_ids::pre_port as f;
            let backup = replication.backups.get(&key).copied().unwrap_or(key);
            vec![
                write_uint(f::BACKUP, 32, backup.into()),
                write_flag(f::FORWARDS, !replication.inactive.contains(&key)),
                write_flag(f::CLEARS_FAILOVER, false),
                write_flag(f::IS_OF_CPU, replication.cpu_port == Some(key)),
            ]
        }
    }
}

impl Writer<'_, '_, '_> {
    /// Changes an entry, or resets all entries to their initial values.
    pub(super) fn engine_entry(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        let mut new = self.control().replication().clone();
        let is_reset = matches!(wanted.kind, Type::Delete | Type::Reset);
        if !is_reset && !matches!(wanted.kind, Type::Insert | Type::Modify) {
            return Err(wanted.unsupported(table));
        }
        let key = match wanted.is_for_all() && is_reset {
            true => None,
            false => Some(index(table, wanted.key()?)?),
        };
        let given = |id| wanted.data.numbers(id).map(|ports| ports.iter().copied().collect());
        match (table.object, key) {
            (Object::MulticastLags, None) => new.lags.clear(),
            (Object::MulticastLags, Some(key)) => {
                use fixed_ids::lag as f;
                check_key(table, key)?;
                let known = new.lags.remove(&(key as u8)).unwrap_or_default();
                if !is_reset {
                    let before = wanted.data.uint32(f::LSB_COUNT).unwrap_or(known.remote.0);
                    let after = wanted.data.uint32(f::MSB_COUNT).unwrap_or(known.remote.1);
                    let ports = given(f::PORTS).unwrap_or(known.ports);
                    new.lags.insert(key as u8, MulticastLag { ports, remote: (before, after) });
                }
            }
            (Object::PrunedPorts, None) => new.pruned.clear(),
            (Object::PrunedPorts, Some(key)) => {
                check_key(table, key)?;
                let known = new.pruned.remove(&(key as u16)).unwrap_or_default();
                let ports = if is_reset { None } else { Some(given(fixed_ids::ITEMS).unwrap_or(known)) };
                new.pruned.extend(ports.filter(|ports| !ports.is_empty()).map(|ports| (key as u16, ports)));
            }
            (_, None) => {
                new.backups.clear();
                new.inactive.clear();
                new.cpu_port = None;
            }
            (_, Some(port)) => {
                use fixed_ids::pre_port as f;
                let data = &wanted.data;
                let backup = data.uint32(f::BACKUP).or(is_reset.then_some(port));
                if let Some(backup) = backup {
                    new.backups.remove(&port);
                    new.backups.extend((backup != port).then_some((port, backup)));
                }
                let forwards = data.flag(f::FORWARDS).or(is_reset.then_some(true));
                match forwards {
                    Some(true) => new.inactive.remove(&port),
                    Some(false) => new.inactive.insert(port),
                    None => false,
                };
                match data.flag(f::IS_OF_CPU).or(is_reset.then_some(false)) {
                    Some(true) => new.cpu_port = Some(port),
                    Some(false) if new.cpu_port == Some(port) => new.cpu_port = None,
                    _ => {}
                }
            }
        }
        self.change(&Update::SetReplication { replication: Box::new(new) })?;
        if table.object != Object::MulticastLags {
            return Ok(());
        }
        let nodes: Vec<u32> =
            self.notes.nodes.iter().filter(|(_, of)| !of.lags.is_empty()).map(|(id, _)| *id).collect();
        self.set_groups_with(|node| nodes.binary_search(&node).is_ok())
    }

    /// Changes the settings of the device's multicast; those that are left out keep their value.
    pub(super) fn multicast_device(&mut self, given: bfrt::PreDeviceConfig) -> Result<(), Problem> {
        let mut new = self.control().replication().clone();
        if let Some(rid) = given.pre_global_rid {
            new.global_rid = u16::try_from(rid.global_rid).map_err(|_| {
                Problem::invalid(format!("{} is not a replication id of 16 bits", rid.global_rid))
            })?;
        }
        new.protects = given.pre_port_protection.map_or(new.protects, |protection| protection.enable);
        self.change(&Update::SetReplication { replication: Box::new(new) })?;
        let known = &mut self.notes.multicast_device;
        known.pre_fast_failover = given.pre_fast_failover.or(known.pre_fast_failover);
        known.pre_max_nodes_before_yield =
            given.pre_max_nodes_before_yield.or(known.pre_max_nodes_before_yield);
        known.pre_max_node_threshold = given.pre_max_node_threshold.or(known.pre_max_node_threshold);
        Ok(())
    }
}

/// Checks that a table has an entry with this number.
fn check_key(table: &Table, key: u32) -> Result<(), Problem> {
    match u64::from(key) < table.size {
        true => Ok(()),
        false => Err(Problem::invalid(format!(
            "`{}` is at most {}, not {key}",
            table.keys[0].name,
            table.size - 1
        ))),
    }
}

/// Returns the settings of the device's multicast.
pub(super) fn device(known: bfrt::PreDeviceConfig, replication: &Replication) -> bfrt::PreDeviceConfig {
    bfrt::PreDeviceConfig {
        pre_global_rid: Some(bfrt::PreGlobalRid { global_rid: replication.global_rid.into() }),
        pre_port_protection: Some(bfrt::PrePortProtection { enable: replication.protects }),
        pre_fast_failover: known.pre_fast_failover.or(DEVICE.pre_fast_failover),
        pre_max_nodes_before_yield: known.pre_max_nodes_before_yield.or(DEVICE.pre_max_nodes_before_yield),
        pre_max_node_threshold: known.pre_max_node_threshold.or(DEVICE.pre_max_node_threshold),
    }
}
