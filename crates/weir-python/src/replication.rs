//! Multicast groups, clone sessions and queues of a switch.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use weir_control::Names;
use weir_switch::Rate;
use weir_switch::control::{self, Backup, Update};

use crate::errors;
use crate::network::Qdisc;
use crate::record::{Tuple, numbers, records};
use crate::switch::Switch;

records! {
    /// A queue of a port.
    Queue {
        /// The queue's priority; packets of larger priorities leave first.
        priority: usize,
        /// The packets in the queue now.
        waiting: usize,
        /// The maximum number of packets in the queue, if it has no discipline.
        depth: usize,
        /// The queue's own rate, such as `"1000pps"` or `"10Mbit"`; `None` for no limit.
        rate: Option<String>,
        /// The rate that all queues of the port share; `None` for no limit.
        port_rate: Option<String>,
        /// The queueing discipline, as `tc` writes it; `None` for first in, first out.
        discipline: Option<String> = None,
        /// The packets that the discipline has dropped.
        dropped: u64 = 0,
        /// The packets in which the discipline has marked congestion.
        marked: u64 = 0,
    }
}

numbers! {
    Port(u32), "a port", 0..=u32::MAX;
    Instance(u16), "an instance", 0..=0xFFFF;
    Group(u16), "a multicast group's number", 1..=0xFFFF;
    Length(usize), "a length in bytes", 1..=i32::MAX as u32;
    Session(u32), "a clone session's number", 0..=u32::MAX;
    Priority(usize), "a priority", 0..=u32::MAX;
    Depth(usize), "a depth in packets", 0..=i32::MAX as u32;
}

records! {
    /// One copy that a multicast group or a clone session makes.
    Replica {
        /// The port to which the copy goes.
        port: Port,
        /// The replication id, `egress_rid`.
        instance: Instance = Instance(0),
        /// The backups of the copy, which are used while the link of its port is down. The switch
        /// sends the copy to the first backup whose port is up, or to the port of the copy if no
        /// backup port is up. If a backup is only a port, its instance is 0. Backups cannot have
        /// backups.
        backup_replicas: Replicas = Replicas::default(),
    }

    /// The destinations of a session's clones. Clones go to all of the destinations that are set.
    CloneSession {
        /// A port that gets a clone.
        port: Option<Port> = None,
        /// A multicast group; each member of the group gets a clone.
        group: Option<Group> = None,
        /// The length in bytes to which a clone is truncated when it is sent; `None` if clones are
        /// not truncated.
        length: Option<Length> = None,
        /// The replicas, each of which gets a clone.
        replicas: Replicas = Replicas::default(),
        /// The priority queue in which a clone waits. If `None`, a clone waits in the queue of the
        /// priority in its metadata, or in queue 0.
        priority: Option<Priority> = None,
    }
}

/// A list of copies, which is a tuple in Python. Python code can write a copy with instance 0 as
/// its port number.
#[derive(Clone, Default, PartialEq, Eq, Hash, IntoPyObject)]
pub struct Replicas(Tuple<Replica>);

impl<'py> FromPyObject<'_, 'py> for Replicas {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let not_several = || {
            let value_text = errors::show_value(&given)?;
            Err(errors::control(format!("expected several replicas, such as a list, found {value_text}")))
        };
        if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() {
            return not_several();
        }
        let Ok(items) = given.try_iter() else { return not_several() };
        let read_replica = |item: PyResult<Bound<'py, PyAny>>| {
            let item = item?;
            match item.cast::<Replica>() {
                Ok(replica) => Ok(replica.get().clone()),
                Err(_) => Ok(Replica::new(item.extract()?, Instance(0), Self::default())),
            }
        };
        items.map(read_replica).collect::<PyResult<_>>().map(Self)
    }
}

impl Replicas {
    /// Converts the copies of a switch, each with its backups.
    fn from_copies(copies: &[control::Replica]) -> Self {
        let backup = |one: &Backup| Replica::new(Port(one.port), Instance(one.rid), Self::default());
        let copy = |one: &control::Replica| {
            let backups = Self(one.backups.iter().map(backup).collect());
            Replica::new(Port(one.port), Instance(one.rid), backups)
        };
        Self(copies.iter().map(copy).collect())
    }

    /// Converts the list to the copies that a switch makes.
    ///
    /// # Errors
    /// A backup has backups.
    fn copies(&self) -> PyResult<Vec<control::Replica>> {
        self.0.iter().map(Replica::copy).collect()
    }
}

impl Replica {
    /// Converts a replica with its backups; refuses backups of backups.
    fn copy(&self) -> PyResult<control::Replica> {
        let backup = |one: &Replica| match one.backup_replicas.0.iter().next() {
            None => Ok(Backup { port: one.port.0, rid: one.instance.0 }),
            Some(_) => Err(errors::control(format!(
                "port {}: a backup has no backups of its own; list them in order",
                self.port.0
            ))),
        };
        let backups = self.backup_replicas.0.iter().map(backup).collect::<PyResult<_>>()?;
        Ok(control::Replica { port: self.port.0, rid: self.instance.0, backups })
    }
}

#[pymethods]
impl Switch {
    /// Returns the copies of all multicast groups, by number.
    fn multicast_groups(&self) -> PyResult<BTreeMap<u16, Vec<Replica>>> {
        self.with(|control, _| {
            let groups = control.multicast_groups()?.into_iter();
            Ok(groups
                .map(|(group, all)| (group, Replicas::from_copies(&all).0.into_iter().collect()))
                .collect())
        })
    }

    /// Sets the replicas of a multicast group; `None` removes the group.
    fn set_multicast_group(&self, group: Group, replicas: Option<Replicas>) -> PyResult<()> {
        let replicas = replicas.as_ref().map(Replicas::copies).transpose()?;
        let copies = replicas.clone().unwrap_or_default();
        self.change_copies(&copies, Update::SetMulticastGroup { group: group.0, replicas })
    }

    /// Returns all clone sessions, by number.
    fn clone_sessions(&self) -> PyResult<BTreeMap<u32, CloneSession>> {
        let session = |given: control::CloneSession| CloneSession {
            port: given.port.map(Port),
            group: given.group.map(Group),
            length: given.truncate.map(Length),
            replicas: Replicas::from_copies(&given.replicas),
            priority: given.priority.map(Priority),
        };
        self.with(|control, _| {
            let sessions = control.clone_sessions()?.into_iter();
            Ok(sessions.map(|(number, given)| (number, session(given))).collect())
        })
    }

    /// Sets the destinations of a session's clones; `None` removes the session.
    fn set_clone_session(&self, session: Session, config: Option<CloneSession>) -> PyResult<()> {
        let read = |given: CloneSession| {
            let replicas = given.replicas.copies()?;
            if given.port.is_none() && given.group.is_none() && replicas.is_empty() {
                return Err(errors::control("a clone session needs a port, replicas or a multicast group"));
            }
            Ok(control::CloneSession {
                port: given.port.map(|port| port.0),
                group: given.group.map(|group| group.0),
                truncate: given.length.map(|length| length.0),
                replicas,
                priority: given.priority.map(|priority| priority.0),
                ..control::CloneSession::default()
            })
        };
        let config = config.map(read).transpose()?;
        let to_port = |port| control::Replica::new(port, 0);
        let copies: Vec<_> = config
            .iter()
            .flat_map(|config| config.port.map(to_port).into_iter().chain(config.replicas.iter().cloned()))
            .collect();
        self.change_copies(&copies, Update::SetCloneSession { session: session.0, config })
    }

    /// Returns the queues of a port, in order of priority.
    fn queues(&self, port: Port) -> PyResult<Vec<Queue>> {
        let queues = self.with(|control, _| control.queues(port.0))?;
        let rate = |rate: Rate| match rate {
            Rate::PacketsPerSecond(rate) => format!("{rate}pps"),
            Rate::BitsPerSecond(rate) => weir_units::format_rate(rate),
        };
        let queue = |(priority, queue): (usize, control::QueueState)| {
            let (own, shared) = (queue.rate.map(rate), queue.port_rate.map(rate));
            let counts = queue.discipline.as_ref().map(|own| own.counts).unwrap_or_default();
            Queue {
                priority,
                waiting: queue.waiting,
                depth: queue.depth,
                rate: own,
                port_rate: shared,
                discipline: queue.discipline.map(|own| own.config.to_string()),
                dropped: counts.dropped,
                marked: counts.marked,
            }
        };
        Ok(queues.into_iter().enumerate().map(queue).collect())
    }

    fn set_queue_depth(&self, depth: Depth, port: Option<Port>, priority: Option<Priority>) -> PyResult<()> {
        let (port, priority) = (port.map(|port| port.0), priority.map(|priority| priority.0));
        self.change(|_| Ok(Update::SetQueueDepth { port, priority, depth: depth.0 })).map(drop)
    }

    /// Sets the queueing discipline of a queue. `None` means first in, first out, up to the depth.
    fn set_queue_discipline(
        &self,
        discipline: Option<PyRef<'_, Qdisc>>,
        port: Option<Port>,
        priority: Option<Priority>,
    ) -> PyResult<()> {
        let (port, priority) = (port.map(|port| port.0), priority.map(|priority| priority.0));
        let discipline = discipline.map(|qdisc| Arc::new(qdisc.0.clone()));
        self.change(|_| Ok(Update::SetQueueDiscipline { port, priority, discipline })).map(drop)
    }

    /// Sets the rate of a queue in packets or bits per second. `None` means no limit.
    fn set_queue_rate(
        &self,
        rate: Option<u64>,
        in_bits: bool,
        port: Option<Port>,
        priority: Option<Priority>,
    ) -> PyResult<()> {
        let (port, priority) = (port.map(|port| port.0), priority.map(|priority| priority.0));
        let unit = if in_bits { Rate::BitsPerSecond } else { Rate::PacketsPerSecond };
        self.change(|_| Ok(Update::SetQueueRate { port, priority, rate: rate.map(unit) })).map(drop)
    }
}

impl Switch {
    /// Applies an update with these copies, which must be distinct.
    fn change_copies(&self, copies: &[control::Replica], update: Update) -> PyResult<()> {
        let checked = |names: Names<'_>| {
            control::Replica::check_distinct(copies).map_err(|error| names.explain(error))?;
            Ok(update)
        };
        self.change(checked).map(drop)
    }
}
