//! Multicast groups and clone sessions.

use std::collections::BTreeSet;
use std::sync::Arc;

use weir_device::{Nanos, Port};

use super::undo::Undo;
use super::{CloneSession, Control, ControlError, MulticastTree, Replica, Replication};
use crate::state::Group;

impl Control<'_> {
    /// Returns the switch's ports, smallest first.
    pub fn ports(&self) -> impl Iterator<Item = Port> {
        self.ports.iter().copied()
    }

    /// Returns whether a port of the switch is up. All ports are up until
    /// [`Device::set_port_up`](weir_device::Device::set_port_up) changes that.
    pub fn is_port_up(&self, port: Port) -> bool {
        self.ports.contains(&port) && !self.state.settings.down_ports.contains(&port)
    }

    /// Returns the time, in nanoseconds since the switch's start.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// Returns the members of a multicast group, if the group is configured: for a tree, all copies
    /// that it can make.
    pub fn multicast_group(&self, group: u16) -> Option<&[Replica]> {
        self.state.settings.groups.get(&group).map(|group| group.replicas.as_slice())
    }

    /// Returns all multicast groups with their members, by number.
    pub fn multicast_groups(&self) -> impl Iterator<Item = (u16, &[Replica])> {
        self.state.settings.groups.iter().map(|(number, group)| (*number, group.replicas.as_slice()))
    }

    /// Returns the tree of a multicast group, if it has one.
    pub fn multicast_tree(&self, group: u16) -> Option<&MulticastTree> {
        self.state.settings.groups.get(&group)?.tree.as_ref()
    }

    /// Returns the settings that all multicast groups share.
    pub fn replication(&self) -> &Replication {
        &self.state.settings.replication
    }

    /// Returns a clone session, if it is configured.
    pub fn clone_session(&self, session: u32) -> Option<CloneSession> {
        self.state.settings.sessions.get(&session).cloned()
    }

    /// Returns all clone sessions, by number.
    pub fn clone_sessions(&self) -> impl Iterator<Item = (u32, CloneSession)> {
        self.state.settings.sessions.iter().map(|(session, config)| (*session, config.clone()))
    }

    /// Sets a group. Copies for ports that the switch does not have are dropped and counted when
    /// they leave. Port numbers that have more bits than the program's ports are refused.
    pub(super) fn replace_group(
        &mut self,
        group: u16,
        replicas: Option<&[Replica]>,
    ) -> Result<Undo, ControlError> {
        if group == 0 {
            return Err(ControlError::GroupZero);
        }
        replicas.map_or(Ok(()), |replicas| self.check_replicas(replicas))?;
        if replicas.is_none() && !self.state.settings.groups.contains_key(&group) {
            return Err(ControlError::NoSuchGroup(group));
        }
        let groups = Arc::make_mut(&mut self.state.settings.groups);
        let old = match replicas {
            Some(replicas) => groups.insert(group, Group { replicas: replicas.to_vec(), tree: None }),
            None => groups.remove(&group),
        };
        Ok(Undo::Group(group, old))
    }

    /// Sets a group to a tree, whose ports are checked like those of a list.
    pub(super) fn set_tree(&mut self, group: u16, tree: &MulticastTree) -> Result<Undo, ControlError> {
        let replicas = tree.all_copies(&self.state.settings.replication);
        let undo = self.replace_group(group, Some(&replicas))?;
        if let Some(group) = Arc::make_mut(&mut self.state.settings.groups).get_mut(&group) {
            group.tree = Some(tree.clone());
        }
        Ok(undo)
    }

    pub(super) fn set_replication(&mut self, replication: &Replication) -> Result<Undo, ControlError> {
        let Replication { lags, pruned, backups, inactive, cpu_port, .. } = replication;
        let of_lags = lags.values().flat_map(|lag| &lag.ports);
        let ports = of_lags.chain(pruned.values().flatten()).chain(inactive).chain(cpu_port);
        let ports = ports.chain(backups.iter().flat_map(|(port, backup)| [port, backup]));
        ports.into_iter().try_for_each(|port| self.check_port(*port))?;
        let new = Arc::new(replication.clone());
        Ok(Undo::Replication(std::mem::replace(&mut self.state.settings.replication, new)))
    }

    /// Sets a session; clones for ports that the switch does not have are treated like copies of
    /// groups. Sessions that the program cannot name, and classes of service that clones
    /// cannot have, are refused.
    pub(super) fn replace_session(
        &mut self,
        session: u32,
        config: Option<CloneSession>,
    ) -> Result<Undo, ControlError> {
        if let Some(last) = self.schema.last_session.filter(|last| session > *last) {
            return Err(ControlError::SessionTooLarge { session, last });
        }
        if let Some(CloneSession { group: Some(0), .. }) = config {
            return Err(ControlError::GroupZero);
        }
        if let Some(config) = &config {
            config.port.map_or(Ok(()), |port| self.check_port(port))?;
            self.check_replicas(&config.replicas)?;
            // All classes share a single queue, and keep their numbers.
            let last = match self.queues.settings.priorities {
                0 | 1 => self.schema.last_class.unwrap_or(0),
                priorities => priorities - 1,
            };
            if let Some(class) = config.priority.filter(|class| *class > last) {
                return Err(ControlError::NoSuchClass { class, last });
            }
        }
        if config.is_none() && !self.state.settings.sessions.contains_key(&session) {
            return Err(ControlError::NoSuchSession(session));
        }
        let sessions = Arc::make_mut(&mut self.state.settings.sessions);
        let old = match config {
            Some(config) => sessions.insert(session, config),
            None => sessions.remove(&session),
        };
        Ok(Undo::Session(session, old))
    }

    /// Checks that the port numbers of copies fit in the program's ports.
    fn check_replicas(&self, replicas: &[Replica]) -> Result<(), ControlError> {
        for replica in replicas {
            self.check_port(replica.port)?;
            replica.backups.iter().try_for_each(|backup| self.check_port(backup.port))?;
        }
        check_backups(replicas)
    }

    fn check_port(&self, port: Port) -> Result<(), ControlError> {
        match self.schema.last_port {
            Some(last) if port > last => Err(ControlError::PortTooLarge { port, last }),
            _ => Ok(()),
        }
    }
}

impl Replica {
    /// Checks that the copies of one group or session, backups included, differ in port or
    /// instance, as P4Runtime demands (specification, "`MulticastGroupEntry`"). BMv2's runtime
    /// commands can make equal copies, so [`Update`](super::Update) accepts them.
    ///
    /// # Errors
    ///
    /// A copy has its own port as a backup, or two copies are equal.
    pub fn check_distinct(replicas: &[Self]) -> Result<(), ControlError> {
        check_backups(replicas)?;
        let mut seen = BTreeSet::new();
        for replica in replicas {
            let backups = replica.backups.iter().map(|backup| (backup.port, backup.rid));
            for (port, rid) in std::iter::once((replica.port, replica.rid)).chain(backups) {
                if !seen.insert((port, rid)) {
                    return Err(ControlError::SameReplica { port, rid });
                }
            }
        }
        Ok(())
    }
}

/// Checks that no copy has its own port as a backup.
fn check_backups(replicas: &[Replica]) -> Result<(), ControlError> {
    let own_backup = replicas.iter().find(|one| one.backups.iter().any(|backup| backup.port == one.port));
    own_backup.map_or(Ok(()), |own_backup| Err(ControlError::OwnBackup { port: own_backup.port }))
}
