//! Changes multicast groups and clone sessions (specification, "`PacketReplicationEngineEntry`").

use weir_device::Port;
use weir_grpc::{Code, Problem};
use weir_switch::control::{Backup, CloneSession, Copier, Replica, Update};

use super::explain::explain;
use super::writer::Writer;
use crate::pipeline::Translator;
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::packet_replication_engine_entry::Type as ReplicationEntry;
use crate::proto::v1::replica::PortKind;
use crate::proto::v1::update::Type;

impl Writer<'_, '_, '_> {
    pub(super) fn replication(
        &mut self,
        kind: Type,
        entry: &v1::PacketReplicationEngineEntry,
    ) -> Result<(), Problem> {
        match &entry.r#type {
            None => Err(Problem::invalid("no multicast group or clone session is given")),
            Some(ReplicationEntry::MulticastGroupEntry(group)) => self
                .multicast_group(kind, group)
                .map_err(|problem| problem.within(&format!("multicast group {}", group.multicast_group_id))),
            Some(ReplicationEntry::CloneSessionEntry(session)) => self
                .clone_session(kind, session)
                .map_err(|problem| problem.within(&format!("clone session {}", session.session_id))),
        }
    }

    fn multicast_group(&mut self, kind: Type, entry: &v1::MulticastGroupEntry) -> Result<(), Problem> {
        let id = entry.multicast_group_id;
        let Some(group) = u16::try_from(id).ok().filter(|group| *group != 0) else {
            return Err(Problem::invalid(format!("a group has a number from 1 to {}, not {id}", u16::MAX)));
        };
        check_existence(kind, self.control().multicast_group(group).is_some())?;
        let (replicas, note) = match kind {
            Type::Delete => (None, None),
            _ => {
                let replicas = read_replicas(self.translator, &entry.replicas)?;
                let written = entry.replicas.iter().map(|replica| canonical(self.translator, replica));
                let note = v1::MulticastGroupEntry {
                    multicast_group_id: id,
                    replicas: written.collect(),
                    metadata: entry.metadata.clone(),
                };
                (Some(replicas), Some(note))
            }
        };
        self.change(&Update::SetMulticastGroup { group, replicas }).map_err(explain)?;
        self.notes.multicast.set(id, note);
        Ok(())
    }

    fn clone_session(&mut self, kind: Type, entry: &v1::CloneSessionEntry) -> Result<(), Problem> {
        let session = entry.session_id;
        if session == 0 {
            return Err(Problem::invalid("a session has a number from 1"));
        }
        check_existence(kind, self.control().clone_session(session).is_some())?;
        let (config, note) = match kind {
            Type::Delete => (None, None),
            _ => {
                let replicas = read_replicas(self.translator, &entry.replicas)?;
                let length = entry.packet_length_bytes;
                let Ok(length) = usize::try_from(length) else {
                    return Err(Problem::invalid(format!("`packet_length_bytes` is negative: {length}")));
                };
                let priority = Some(usize::try_from(entry.class_of_service).unwrap_or(usize::MAX));
                let truncate = Some(length).filter(|length| *length > 0);
                let config = CloneSession { replicas, priority, truncate, ..CloneSession::default() };
                let written = entry.replicas.iter().map(|replica| canonical(self.translator, replica));
                let note = v1::CloneSessionEntry { replicas: written.collect(), ..entry.clone() };
                (Some(config), Some(note))
            }
        };
        self.change(&Update::SetCloneSession { session, config }).map_err(explain)?;
        self.notes.clones.set(session, note);
        Ok(())
    }
}

/// Returns the multicast groups and clone sessions that a request changes.
pub fn copiers(request: &v1::WriteRequest) -> impl Iterator<Item = Copier> {
    request.updates.iter().filter_map(|update| {
        let Some(Entity::PacketReplicationEngineEntry(entry)) = &update.entity.as_ref()?.entity else {
            return None;
        };
        match entry.r#type.as_ref()? {
            ReplicationEntry::MulticastGroupEntry(group) => {
                u16::try_from(group.multicast_group_id).ok().map(Copier::MulticastGroup)
            }
            ReplicationEntry::CloneSessionEntry(session) => Some(Copier::CloneSession(session.session_id)),
        }
    })
}

fn check_existence(kind: Type, exists: bool) -> Result<(), Problem> {
    match (kind, exists) {
        (Type::Insert, true) => Err(Problem::new(Code::AlreadyExists, "it is there already")),
        (Type::Modify | Type::Delete, false) => Err(Problem::not_found("it is not there")),
        _ => Ok(()),
    }
}

/// Reads the copies that the switch will make.
pub(super) fn read_replicas(
    translator: &Translator,
    message: &[v1::Replica],
) -> Result<Vec<Replica>, Problem> {
    let mut replicas = Vec::with_capacity(message.len());
    for replica in message {
        let mut backups = Vec::with_capacity(replica.backup_replicas.len());
        for backup in &replica.backup_replicas {
            backups.push(Backup { port: translator.port(&backup.port)?, rid: instance(backup.instance)? });
        }
        replicas.push(Replica {
            port: port_of(translator, replica)?,
            rid: instance(replica.instance)?,
            backups,
        });
    }
    Replica::check_distinct(&replicas).map_err(explain)?;
    Ok(replicas)
}

fn port_of(translator: &Translator, replica: &v1::Replica) -> Result<Port, Problem> {
    match &replica.port_kind {
        #[expect(deprecated, reason = "older controllers write it")]
        Some(PortKind::EgressPort(port)) => translator.switch_port(*port),
        Some(PortKind::Port(port)) => translator.port(port),
        None => Err(Problem::invalid("a replica has no port")),
    }
}

/// Reads the instance of a replica, which has 16 bits.
fn instance(number: u32) -> Result<u16, Problem> {
    u16::try_from(number)
        .map_err(|_| Problem::invalid(format!("an instance is at most {}, not {number}", u16::MAX)))
}

/// Returns a replica in the form in which it is read back, with ports in their shortest form.
fn canonical(translator: &Translator, replica: &v1::Replica) -> v1::Replica {
    let bytes = |port: &[u8]| match translator.port(port) {
        Ok(port) => translator.port_bytes(port),
        Err(_) => port.to_vec(),
    };
    let port_kind = match &replica.port_kind {
        Some(PortKind::Port(port)) => Some(PortKind::Port(bytes(port))),
        other => other.clone(),
    };
    let backup =
        |backup: &v1::BackupReplica| v1::BackupReplica { port: bytes(&backup.port), ..backup.clone() };
    v1::Replica {
        port_kind,
        instance: replica.instance,
        backup_replicas: replica.backup_replicas.iter().map(backup).collect(),
    }
}

/// Converts a copy that someone other than a controller has configured.
pub(super) fn write_replica(translator: &Translator, replica: &Replica) -> v1::Replica {
    v1::Replica {
        port_kind: Some(PortKind::Port(translator.port_bytes(replica.port))),
        instance: u32::from(replica.rid),
        backup_replicas: replica
            .backups
            .iter()
            .map(|backup| v1::BackupReplica {
                port: translator.port_bytes(backup.port),
                instance: u32::from(backup.rid),
            })
            .collect(),
    }
}
