//! Copies for ports that the switch does not have, which run through egress and are then dropped.

use std::fmt;

use weir_device::Port;

use super::{CloneSession, Control, Replica};

/// A group or session that makes copies of packets, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copier {
    /// A multicast group.
    MulticastGroup(u16),
    /// A clone session.
    CloneSession(u32),
}

/// Copies for a port that the switch does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostCopies {
    /// The group or session that makes the copies.
    pub copier: Copier,
    /// Whether the port is the backup of another port.
    pub is_backup: bool,
    /// The port.
    pub port: Port,
}

impl fmt::Display for LostCopies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.copier {
            Copier::MulticastGroup(group) => write!(f, "multicast group {group}")?,
            Copier::CloneSession(session) => write!(f, "clone session {session}")?,
        }
        let copies = if self.is_backup { "copies of a backup" } else { "copies" };
        write!(f, ": {copies} go to port {}, but the switch has no such port", self.port)
    }
}

impl Control<'_> {
    /// Returns the copies that one group or session makes for ports that the switch does not have;
    /// empty if the program recirculates packets, because copies for any port can then return to
    /// ingress.
    pub fn lost_copies(&self, copier: Copier) -> Vec<LostCopies> {
        if self.schema.recirculates {
            return Vec::new();
        }
        let session;
        let (port, replicas): (Option<Port>, &[Replica]) = match copier {
            Copier::MulticastGroup(group) => (None, self.multicast_group(group).unwrap_or_default()),
            Copier::CloneSession(number) => {
                session = self.clone_session(number).unwrap_or_default();
                let CloneSession { port, replicas, .. } = &session;
                (*port, replicas)
            }
        };
        let of_replicas = replicas.iter().flat_map(|replica| {
            let backups = replica.backups.iter().map(|backup| (backup.port, true));
            std::iter::once((replica.port, false)).chain(backups)
        });
        let ports = port.map(|port| (port, false)).into_iter().chain(of_replicas);
        let lost = ports.filter(|(port, _)| !self.ports.contains(port));
        lost.map(|(port, is_backup)| LostCopies { copier, is_backup, port }).collect()
    }

    /// Returns the lost copies of all groups and sessions, without the sessions that are still as
    /// the architecture made them.
    pub fn all_lost_copies(&self) -> Vec<LostCopies> {
        let groups = self.multicast_groups().map(|(group, _)| Copier::MulticastGroup(group));
        let first = &self.state.settings.first_sessions;
        let is_own = |(number, session): &(u32, CloneSession)| first.get(number) != Some(session);
        let sessions = self.clone_sessions().filter(is_own).map(|(session, _)| Copier::CloneSession(session));
        groups.chain(sessions).flat_map(|copier| self.lost_copies(copier)).collect()
    }
}
