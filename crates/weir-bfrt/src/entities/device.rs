//! Changes mirror sessions and ports.

use weir_grpc::{Code, Problem};
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{CloneSession, Replica, Update};

use super::writer::{Wanted, Writer};
use crate::info::{Table, fixed_ids};
use crate::matches::index;
use crate::notes::merge;
use crate::values::{Data, write_flag, write_text, write_uint};

/// The numbers and truth values of a mirror session that have no effect in the switch.
const WITHOUT_EFFECT: [u32; 9] = {
    use fixed_ids::mirror as f;
    [
        f::INGRESS_COS,
        f::LEVEL1_HASH,
        f::LEVEL2_HASH,
        f::GROUP_B,
        f::GROUP_B_VALID,
        f::L1_XID,
        f::L2_XID,
        f::COS_TO_CPU,
        f::TO_CPU,
    ]
};

/// Checks that the fields without effect are 0 or false.
fn check_effects(table: &Table, data: &Data<'_>) -> Result<(), Problem> {
    let is_set = |id: &u32| data.uint(*id).is_some_and(|value| value != 0) || data.flag(*id) == Some(true);
    match WITHOUT_EFFECT.iter().copied().find(|id| is_set(id)) {
        None => Ok(()),
        Some(id) => {
            let name = table.data.iter().find(|field| field.id == id).map_or("", |field| &field.name);
            Err(Problem::unsupported(format!("`{name}` has no effect in this switch: leave it out")))
        }
    }
}

/// Returns the session of the switch that has these data; `None` if it makes no copies.
fn session(data: &Data<'_>) -> Option<CloneSession> {
    use fixed_ids::mirror as f;
    let is_set = |id| data.flag(id) == Some(true);
    let nonzero = |value: u64| (value > 0).then_some(value as usize);
    let port = data.uint32(f::PORT).filter(|_| is_set(f::PORT_VALID));
    let group = data.uint(f::GROUP_A).filter(|_| is_set(f::GROUP_A_VALID));
    let rid = data.uint(f::RID).map_or(0, |rid| rid as u16);
    // A copy to the port alone has the replication id of the original.
    let replicas = port.filter(|_| rid != 0).map(|port| Replica::new(port, rid));
    let session = CloneSession {
        port: port.filter(|_| rid == 0),
        replicas: replicas.into_iter().collect(),
        group: group.map(|group| group as u16),
        priority: data.uint(f::QUEUE).and_then(nonzero),
        truncate: data.uint(f::MAX_LEN).and_then(nonzero),
    };
    is_set(f::ENABLE).then_some(session)
}

/// Returns the fields of a new mirror session.
fn new_session() -> Vec<bfrt::DataField> {
    use fixed_ids::mirror as f;
    vec![
        write_flag(f::ENABLE, false),
        write_text(f::DIRECTION, "BOTH"),
        write_uint(f::PORT, 32, 0),
        write_flag(f::PORT_VALID, false),
        write_uint(f::QUEUE, 32, 0),
        write_uint(f::INGRESS_COS, 32, 0),
        write_text(f::COLOUR, "GREEN"),
        write_uint(f::LEVEL1_HASH, 32, 0),
        write_uint(f::LEVEL2_HASH, 32, 0),
        write_uint(f::GROUP_A, 16, 0),
        write_flag(f::GROUP_A_VALID, false),
        write_uint(f::GROUP_B, 16, 0),
        write_flag(f::GROUP_B_VALID, false),
        write_uint(f::L1_XID, 16, 0),
        write_uint(f::L2_XID, 16, 0),
        write_uint(f::RID, 16, 0),
        write_uint(f::COS_TO_CPU, 32, 0),
        write_flag(f::TO_CPU, false),
        write_uint(f::MAX_LEN, 16, 0),
    ]
}

/// Returns the fields of a new port.
fn new_port() -> Vec<bfrt::DataField> {
    use fixed_ids::port as f;
    vec![
        write_text(f::SPEED, "BF_SPEED_NONE"),
        write_text(f::FEC, "BF_FEC_TYP_NONE"),
        write_uint(f::LANES, 32, 1),
        write_flag(f::ENABLE, false),
        write_text(f::NEGOTIATION, "PM_AN_DEFAULT"),
    ]
}

fn given_fields<'r>(wanted: &Wanted<'r>) -> &'r [bfrt::DataField] {
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
            (Type::Insert, None) => new_session(),
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
        let session = session(&data);
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

    /// Adds, changes or removes the settings of a port. The switch has its ports from its start,
    /// and they forward whatever the settings are.
    pub(super) fn port(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.is_for_all() && wanted.kind == Type::Delete {
            self.notes.ports.clear();
            return Ok(());
        }
        let port = index(table, wanted.key()?)?;
        if !self.control().ports().any(|known| known == port) {
            let known: Vec<_> = self.control().ports().take(16).map(|port| port.to_string()).collect();
            let known = known.join(", ");
            return Err(Problem::invalid(format!("the switch has no port {port}; it has {known}")));
        }
        let mut fields = match (wanted.kind, self.notes.ports.get(&port)) {
            (Type::Insert, Some(_)) => {
                return Err(Problem::new(Code::AlreadyExists, format!("the port {port} is added already")));
            }
            (Type::Insert, None) => new_port(),
            (Type::Modify, Some(known)) => known.clone(),
            (Type::Delete, Some(_)) => {
                self.notes.ports.remove(&port);
                return Ok(());
            }
            (Type::Modify | Type::Delete, None) => {
                return Err(Problem::not_found(format!("the port {port} is not added")));
            }
            _ => return Err(wanted.unsupported(table)),
        };
        merge(&mut fields, given_fields(wanted));
        self.notes.ports.insert(port, fields);
        Ok(())
    }
}
