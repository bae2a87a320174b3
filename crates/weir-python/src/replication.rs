//! Multicast groups, clone sessions and queues of a switch.

use pyo3::prelude::*;
use weir_control::Names;
use weir_switch::Rate;
use weir_switch::control::{self, Backup, CloneSession, Replica, Update};

use crate::record::records;
use crate::switch::Switch;

records! {
    /// A port's queue.
    Queue {
        /// Larger priorities leave first.
        priority: usize,
        /// Packets in the queue now.
        waiting: usize,
        /// The maximum number of packets in the queue.
        depth: usize,
        /// Its own rate, such as `"1000pps"` or `"10Mbit"`; None for no limit.
        rate: Option<String>,
        /// The rate that all queues of the port share; None for no limit.
        port_rate: Option<String>,
    }
}

/// A copy: its port, its replication id, its backups.
type ReplicaRow = (u32, u16, Vec<(u32, u16)>);

/// A clone session: port, multicast group, maximum length in bytes, copies, priority.
type SessionRow = (Option<u32>, Option<u16>, Option<usize>, Vec<ReplicaRow>, Option<usize>);

#[pymethods]
impl Switch {
    /// All multicast groups, each with its number and its copies.
    fn multicast_groups(&self) -> PyResult<Vec<(u16, Vec<ReplicaRow>)>> {
        self.with(|control, _| {
            let groups = control.multicast_groups()?.into_iter();
            Ok(groups.map(|(group, all)| (group, replicas_out(&all))).collect())
        })
    }

    /// Sets the copies of a multicast group. None removes the group.
    fn set_multicast_group(&self, group: u16, replicas: Option<Vec<ReplicaRow>>) -> PyResult<()> {
        let replicas = replicas.map(replicas_in);
        let copies = replicas.clone().unwrap_or_default();
        self.change_copies(&copies, Update::SetMulticastGroup { group, replicas })
    }

    fn clone_sessions(&self) -> PyResult<Vec<(u32, SessionRow)>> {
        let row = |s: CloneSession| (s.port, s.group, s.truncate, replicas_out(&s.replicas), s.priority);
        self.with(|control, _| {
            let sessions = control.clone_sessions()?.into_iter();
            Ok(sessions.map(|(session, config)| (session, row(config))).collect())
        })
    }

    /// Sets the destinations of a session's clones. None removes the session.
    fn set_clone_session(&self, session: u32, config: Option<SessionRow>) -> PyResult<()> {
        let config = config.map(|(port, group, truncate, replicas, priority)| CloneSession {
            port,
            group,
            truncate,
            replicas: replicas_in(replicas),
            priority,
        });
        let to_port = |port| Replica { port, rid: 0, backups: Vec::new() };
        let copies: Vec<_> = config
            .iter()
            .flat_map(|config| config.port.map(to_port).into_iter().chain(config.replicas.iter().cloned()))
            .collect();
        self.change_copies(&copies, Update::SetCloneSession { session, config })
    }

    /// The queues of a port, in order of priority.
    fn queues(&self, port: u32) -> PyResult<Vec<Queue>> {
        let queues = self.with(|control, _| control.queues(port))?;
        let rate = |rate: Rate| match rate {
            Rate::PacketsPerSecond(rate) => format!("{rate}pps"),
            Rate::BitsPerSecond(rate) => weir_units::format_rate(rate),
        };
        let queue = |(priority, queue): (usize, control::QueueState)| {
            let (own, shared) = (queue.rate.map(rate), queue.port_rate.map(rate));
            Queue { priority, waiting: queue.waiting, depth: queue.depth, rate: own, port_rate: shared }
        };
        Ok(queues.into_iter().enumerate().map(queue).collect())
    }

    fn set_queue_depth(&self, depth: usize, port: Option<u32>, priority: Option<usize>) -> PyResult<()> {
        self.change(|_| Ok(Update::SetQueueDepth { port, priority, depth })).map(drop)
    }

    /// Sets a rate in packets or bits per second. None means no limit.
    fn set_queue_rate(
        &self,
        rate: Option<u64>,
        in_bits: bool,
        port: Option<u32>,
        priority: Option<usize>,
    ) -> PyResult<()> {
        let unit = if in_bits { Rate::BitsPerSecond } else { Rate::PacketsPerSecond };
        self.change(|_| Ok(Update::SetQueueRate { port, priority, rate: rate.map(unit) })).map(drop)
    }
}

impl Switch {
    /// Applies an update with these copies, which must be distinct.
    fn change_copies(&self, copies: &[Replica], update: Update) -> PyResult<()> {
        let checked = |names: Names<'_>| {
            Replica::check_distinct(copies).map_err(|error| names.explain(error))?;
            Ok(update)
        };
        self.change(checked).map(drop)
    }
}

fn replicas_in(replicas: Vec<ReplicaRow>) -> Vec<Replica> {
    let backups = |all: Vec<(u32, u16)>| all.into_iter().map(|(port, rid)| Backup { port, rid }).collect();
    replicas.into_iter().map(|(port, rid, all)| Replica { port, rid, backups: backups(all) }).collect()
}

fn replicas_out(replicas: &[Replica]) -> Vec<ReplicaRow> {
    let backups = |one: &Replica| one.backups.iter().map(|backup| (backup.port, backup.rid)).collect();
    replicas.iter().map(|one| (one.port, one.rid, backups(one))).collect()
}
