//! Reads multicast groups and clone sessions.

use weir_grpc::Problem;
use weir_switch::control::{CloneSession, Replica};

use super::read::Reader;
use super::replication::{read_replicas, write_replica};
use super::writer::PACKET_REPLICATION;
use crate::proto::v1;
use crate::proto::v1::entity::Entity;
use crate::proto::v1::packet_replication_engine_entry::Type as ReplicationEntry;

impl Reader<'_, '_> {
    /// Reads a multicast group or clone session. The number 0 means all of them. Without a kind,
    /// reads both kinds.
    pub(super) fn replications(&mut self, entry: &v1::PacketReplicationEngineEntry) -> Result<(), Problem> {
        if !(self.may_read)(PACKET_REPLICATION) {
            return Ok(());
        }
        match &entry.r#type {
            Some(ReplicationEntry::MulticastGroupEntry(group)) => {
                self.multicast_groups(group.multicast_group_id);
            }
            Some(ReplicationEntry::CloneSessionEntry(session)) => self.clone_sessions(session.session_id),
            None => {
                self.multicast_groups(0);
                self.clone_sessions(0);
            }
        }
        Ok(())
    }

    fn multicast_groups(&mut self, wanted: u32) {
        let control = self.control;
        for (group, replicas) in control.multicast_groups() {
            self.looked_at += 1;
            let id = u32::from(group);
            if wanted != 0 && wanted != id {
                continue;
            }
            let note = self.notes.multicast.get(id);
            let written = note.filter(|note| self.are_as_written(&note.replicas, replicas));
            let entry = written.cloned().unwrap_or_else(|| v1::MulticastGroupEntry {
                multicast_group_id: id,
                replicas: self.replicas(replicas),
                metadata: note.map(|note| note.metadata.clone()).unwrap_or_default(),
            });
            let r#type = Some(ReplicationEntry::MulticastGroupEntry(entry));
            if !self.emit(Entity::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type })) {
                break;
            }
        }
    }

    fn clone_sessions(&mut self, wanted: u32) {
        let control = self.control;
        for (session_id, config) in control.clone_sessions() {
            self.looked_at += 1;
            // P4Runtime does not allow session 0, but the program may use it.
            if session_id == 0 || (wanted != 0 && wanted != session_id) {
                continue;
            }
            let note = self.notes.clones.get(session_id);
            let written = note.filter(|note| {
                config.port.is_none()
                    && config.group.is_none()
                    && self.are_as_written(&note.replicas, &config.replicas)
            });
            let replicas = match written {
                Some(note) => note.replicas.clone(),
                None => self.replicas(&self.copies(&config)),
            };
            let entry = v1::CloneSessionEntry {
                session_id,
                replicas,
                class_of_service: config.priority.and_then(|class| u32::try_from(class).ok()).unwrap_or(0),
                packet_length_bytes: config
                    .truncate
                    .map_or(0, |most| i32::try_from(most).unwrap_or(i32::MAX)),
            };
            let r#type = Some(ReplicationEntry::CloneSessionEntry(entry));
            if !self.emit(Entity::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry { r#type })) {
                break;
            }
        }
    }

    /// Returns all copies of a session that was configured by someone other than a controller.
    fn copies(&self, config: &CloneSession) -> Vec<Replica> {
        let port = config.port.map(|port| Replica::new(port, 0));
        let members = config.group.and_then(|group| self.control.multicast_group(group)).unwrap_or_default();
        port.into_iter().chain(config.replicas.iter().cloned()).chain(members.iter().cloned()).collect()
    }

    /// Returns whether the copies are still those that a controller wrote.
    fn are_as_written(&self, written: &[v1::Replica], replicas: &[Replica]) -> bool {
        read_replicas(self.translator, written).is_ok_and(|written| written == replicas)
    }

    fn replicas(&self, replicas: &[Replica]) -> Vec<v1::Replica> {
        replicas.iter().map(|replica| write_replica(self.translator, replica)).collect()
    }
}
