//! Changes mirror sessions and ports.

use weir_grpc::{Code, Problem};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::arch::Chip;
use weir_switch::control::{CloneSession, CopyChoice, Replica, Update};

use super::writer::{Wanted, Writer};
use crate::info::{DataField, FieldType, Table};
use crate::matches::index;
use crate::notes::merge;
use crate::values::{Data, write_flag, write_float, write_parts, write_text, write_uint};

/// The numbers and truth values of a mirror session that have no effect in the switch.
const WITHOUT_EFFECT: [&str; 5] =
    ["$ingress_cos", "$mcast_grp_b", "$mcast_grp_b_valid", "$icos_for_copy_to_cpu", "$copy_to_cpu"];

/// Checks that the fields without effect are 0 or false.
fn check_effects(table: &Table, data: &Data<'_>) -> Result<(), Problem> {
    let is_set = |name: &&str| {
        let id = table.data_id(name);
        data.uint(id).is_some_and(|value| value != 0) || data.flag(id) == Some(true)
    };
    match WITHOUT_EFFECT.iter().find(|name| is_set(name)) {
        None => Ok(()),
        Some(name) => {
            Err(Problem::unsupported(format!("`{name}` has no effect in this switch: leave it out")))
        }
    }
}

/// Returns the session of the switch that has these data; `None` if it makes no copies.
fn session(table: &Table, data: &Data<'_>, chip: Chip) -> Option<CloneSession> {
    let is_set = |name| data.flag(table.data_id(name)) == Some(true);
    let uint = |name| data.uint(table.data_id(name));
    let nonzero = |value: u64| (value > 0).then_some(value as usize);
    let port = uint("$ucast_egress_port").filter(|_| is_set("$ucast_egress_port_valid"));
    let port = port.map(|port| port as u32);
    let group = uint("$mcast_grp_a").filter(|_| is_set("$mcast_grp_a_valid"));
    let short = |name| uint(name).map_or(0, |value| value as u16);
    let rid = short("$mcast_rid");
    // A copy to the port alone has the replication id of the original.
    let replicas = port.filter(|_| rid != 0).map(|port| Replica::new(port, rid));
    let session = CloneSession {
        port: port.filter(|_| rid == 0),
        replicas: replicas.into_iter().collect(),
        group: group.map(|group| group as u16),
        choice: CopyChoice {
            rid,
            level1_exclusion_id: short("$mcast_l1_xid"),
            level2_exclusion_id: short("$mcast_l2_xid"),
            level1_hash: short("$level1_mcast_hash"),
            level2_hash: short("$level2_mcast_hash"),
            mixes_rid: chip == Chip::Tofino2,
        },
        priority: uint("$egress_port_queue").and_then(nonzero),
        truncate: uint("$max_pkt_len").and_then(nonzero),
    };
    is_set("$session_enable").then_some(session)
}

/// Returns the defaults of the fields that clients can write.
pub(super) fn defaults(table: &Table) -> Vec<bfrt::DataField> {
    let written = table.data.iter().filter(|field| !field.read_only);
    let default = |field: &DataField| match field.ty {
        FieldType::Uint(bits, default) => write_uint(field.id, bits, default.unwrap_or(0)),
        FieldType::Bytes(bits) => write_uint(field.id, bits, 0),
        FieldType::Bool(default) => write_flag(field.id, default.unwrap_or(false)),
        FieldType::Float => write_float(field.id, 0.0),
        FieldType::Parts(_) => write_parts(field.id, &[]),
        FieldType::Text(choices) => write_text(field.id, choices.first().copied().unwrap_or_default()),
    };
    written.map(default).collect()
}

pub(super) fn given_fields<'r>(wanted: &Wanted<'r>) -> &'r [bfrt::DataField] {
    wanted.entry.data.as_ref().map_or(&[], |data| data.fields.as_slice())
}

impl Writer<'_, '_, '_> {
    pub(super) fn mirror_session(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            let all: Vec<u16> = self.notes.mirrors.keys().copied().collect();
            for number in all {
                self.set_session(number, None)?;
            }
            self.notes.mirrors.clear();
            return Ok(());
        }
        let number = index(table, wanted.key()?)? as u16;
        let mut fields = match (wanted.kind, self.notes.mirrors.get(&number)) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, format!("there is a mirror session {number}")));
            }
            (Type::Insert, None) => defaults(table),
            (Type::Modify, Some(known)) => known.clone(),
            (Type::Delete, Some(_)) => {
                self.set_session(number, None)?;
                self.notes.mirrors.remove(&number);
                return Ok(());
            }
            (Type::Modify | Type::Delete, None) => {
                return Err(Problem::not_found(format!("there is no mirror session {number}")));
            }
            _ => return Err(wanted.unsupported(table)),
        };
        merge(&mut fields, given_fields(wanted));
        let all = bfrt::TableData { action_id: 0, fields };
        let data = Data::read(table, Some(&all))?;
        check_effects(table, &data)?;
        let session = session(table, &data, self.info.chip);
        self.set_session(number, session)?;
        self.notes.mirrors.insert(number, all.fields);
        Ok(())
    }

    /// Sets a session of the switch, or removes it if there is one.
    fn set_session(&mut self, number: u16, config: Option<CloneSession>) -> Result<(), Problem> {
        let session = u32::from(number);
        if config.is_none() && self.control().clone_session(session).is_none() {
            return Ok(());
        }
        self.change(&Update::SetCloneSession { session, config }).map(drop)
    }

    /// Changes the settings of the device, or sets them to their defaults.
    pub(super) fn device(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        match wanted.kind {
            Type::Modify | Type::InsertOrModify => merge(&mut self.notes.device, given_fields(wanted)),
            // Clients that clear all tables delete these settings, too.
            Type::Delete | Type::Reset => self.notes.device.clear(),
            _ => return Err(wanted.unsupported(table)),
        }
        Ok(())
    }

    /// Adds, changes or removes the settings of a port. The switch has its ports from the start,
    /// and they forward packets whatever their settings are. Ports of the chip without an interface
    /// are down.
    pub(super) fn port(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            self.notes.ports.clear();
            return Ok(());
        }
        let port = index(table, wanted.key()?)?;
        if !self.control().ports().any(|known| known == port) && !self.info.has_port(port) {
            let known: Vec<_> = self.control().ports().take(16).map(|port| port.to_string()).collect();
            let known = known.join(", ");
            return Err(Problem::invalid(format!("the switch has no port {port}; it has {known}")));
        }
        let mut fields = match (wanted.kind, self.notes.ports.get(&port)) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, format!("the port {port} is added already")));
            }
            (Type::Insert, None) => defaults(table),
            (Type::Modify, Some(known)) => known.clone(),
            (Type::Delete, Some(_)) => {
                self.notes.ports.remove(&port);
                return Ok(());
            }
            // As on Tofino, deleting a port that was never added succeeds.
            (Type::Delete, None) => return Ok(()),
            (Type::Modify, None) => {
                return Err(Problem::not_found(format!("the port {port} is not added")));
            }
            _ => return Err(wanted.unsupported(table)),
        };
        merge(&mut fields, given_fields(wanted));
        self.notes.ports.insert(port, fields);
        Ok(())
    }
}
