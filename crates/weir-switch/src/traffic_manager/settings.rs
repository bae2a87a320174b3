//! The settings of queues.

use std::collections::BTreeMap;
use std::sync::Arc;

use weir_device::Port;
use weir_qdisc::QdiscConfig;

use crate::config::{Rate, SwitchConfig};

/// The depths, disciplines and rates of queues. The settings of a port or a queue override the
/// settings of all queues.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueueSettings {
    /// The number of queues of a port.
    pub priorities: usize,
    /// The depth of every queue, in packets.
    pub depth: usize,
    pub depths: BTreeMap<(Port, usize), usize>,
    pub disciplines: Disciplines,
    /// The rate of every port.
    pub rate: Option<Rate>,
    pub port_rates: BTreeMap<Port, Option<Rate>>,
    /// The rates of single queues, which apply in addition to the port's rate.
    pub queue_rates: BTreeMap<(Port, usize), Rate>,
    /// The queue of packets that find their queue full, if they may be deflected.
    pub deflection: Option<(Port, usize)>,
}

impl QueueSettings {
    pub(super) fn new(config: &SwitchConfig) -> Self {
        Self {
            priorities: config.priorities.max(1),
            depth: config.queue_depth,
            depths: BTreeMap::new(),
            disciplines: Disciplines::default(),
            rate: config.queue_rate,
            port_rates: BTreeMap::new(),
            queue_rates: BTreeMap::new(),
            deflection: None,
        }
    }

    /// Returns how many packets a queue may hold.
    pub(crate) fn depth(&self, port: Port, priority: usize) -> usize {
        self.depths.get(&(port, priority)).copied().unwrap_or(self.depth)
    }

    pub(crate) fn port_rate(&self, port: Port) -> Option<Rate> {
        self.port_rates.get(&port).copied().unwrap_or(self.rate)
    }

    pub(crate) fn queue_rate(&self, port: Port, priority: usize) -> Option<Rate> {
        self.queue_rates.get(&(port, priority)).copied()
    }
}

/// The queueing disciplines. A queue without a discipline is first in, first out, up to its depth.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Disciplines {
    /// The discipline of all queues that are not listed.
    all: Option<Arc<QdiscConfig>>,
    listed: BTreeMap<(Port, usize), Option<Arc<QdiscConfig>>>,
}

impl Disciplines {
    /// Returns whether no queue has a discipline.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none() && self.listed.is_empty()
    }

    /// Returns the discipline of a queue.
    pub(crate) fn get(&self, port: Port, priority: usize) -> Option<&Arc<QdiscConfig>> {
        self.listed.get(&(port, priority)).unwrap_or(&self.all).as_ref()
    }

    /// Sets the discipline of all queues.
    pub(crate) fn set_all(&mut self, discipline: Option<Arc<QdiscConfig>>) {
        self.all = discipline;
        self.listed.clear();
    }

    /// Sets the discipline of a queue.
    pub(crate) fn set(&mut self, queue: (Port, usize), discipline: Option<Arc<QdiscConfig>>) {
        if discipline == self.all {
            self.listed.remove(&queue);
        } else {
            self.listed.insert(queue, discipline);
        }
    }
}
