//! Reading and setting queues.

use std::sync::Arc;

use weir_device::Port;
use weir_qdisc::QdiscConfig;

use super::{Control, ControlError, DisciplineState, QueueState};
use crate::config::Rate;
use crate::traffic_manager::{QueueSettings, check_discipline};

impl Control<'_> {
    /// Returns a port's queues, by priority.
    pub fn queues(&self, port: Port) -> Result<Vec<QueueState>, ControlError> {
        self.known_port(port)?;
        let settings = &self.queues.settings;
        let state = |priority| QueueState {
            waiting: self.queues.waiting(port, priority),
            depth: settings.depth(port, priority),
            discipline: settings.disciplines.get(port, priority).map(|config| DisciplineState {
                config: Arc::clone(config),
                counts: self.queues.counts(port, priority),
            }),
            rate: settings.queue_rate(port, priority),
            port_rate: settings.port_rate(port),
        };
        Ok((0..settings.priorities).map(state).collect())
    }

    /// Sets the queue of deflected packets, and returns the previous settings.
    pub(super) fn set_deflection(
        &mut self,
        to: Option<(Port, usize)>,
    ) -> Result<QueueSettings, ControlError> {
        if let Some((port, priority)) = to {
            self.requested_queues(Some(port), Some(priority))?;
        }
        let settings = &mut self.queues.settings;
        let old = settings.clone();
        settings.deflection = to;
        Ok(old)
    }

    /// Sets depths and returns the previous settings.
    pub(super) fn set_queue_depth(
        &mut self,
        port: Option<Port>,
        priority: Option<usize>,
        depth: usize,
    ) -> Result<QueueSettings, ControlError> {
        let (ports, priorities) = self.requested_queues(port, priority)?;
        let settings = &mut self.queues.settings;
        let old = settings.clone();
        if port.is_none() && priority.is_none() {
            settings.depth = depth;
            settings.depths.clear();
        } else {
            let queues = ports.iter().flat_map(|port| priorities.clone().map(|priority| (*port, priority)));
            settings.depths.extend(queues.map(|queue| (queue, depth)));
        }
        Ok(old)
    }

    /// Sets rates and returns the previous settings.
    pub(super) fn set_queue_rate(
        &mut self,
        port: Option<Port>,
        priority: Option<usize>,
        rate: Option<Rate>,
    ) -> Result<QueueSettings, ControlError> {
        let (ports, _) = self.requested_queues(port, priority)?;
        let settings = &mut self.queues.settings;
        let old = settings.clone();
        match (port, priority, rate) {
            (None, None, _) => {
                settings.rate = rate;
                settings.port_rates.clear();
            }
            (Some(port), None, _) => drop(settings.port_rates.insert(port, rate)),
            (_, Some(priority), Some(rate)) => {
                settings.queue_rates.extend(ports.into_iter().map(|port| ((port, priority), rate)));
            }
            (_, Some(priority), None) => {
                settings.queue_rates.retain(|(port, of), _| *of != priority || !ports.contains(port));
            }
        }
        Ok(old)
    }

    /// Sets queueing disciplines and returns the previous settings. The queues adopt them with
    /// their next packet.
    pub(super) fn set_queue_discipline(
        &mut self,
        port: Option<Port>,
        priority: Option<usize>,
        discipline: Option<&Arc<QdiscConfig>>,
    ) -> Result<QueueSettings, ControlError> {
        let (ports, priorities) = self.requested_queues(port, priority)?;
        let queues = || ports.iter().flat_map(|port| priorities.clone().map(|priority| (*port, priority)));
        let settings = &mut self.queues.settings;
        if let Some(config) = discipline {
            let has_rate = |(port, priority)| {
                settings.port_rate(port).is_some() || settings.queue_rate(port, priority).is_some()
            };
            check_discipline(config, queues().any(has_rate)).map_err(ControlError::Discipline)?;
        }
        let old = settings.clone();
        if port.is_none() && priority.is_none() {
            settings.disciplines.set_all(discipline.cloned());
        } else {
            queues().for_each(|queue| settings.disciplines.set(queue, discipline.cloned()));
        }
        Ok(old)
    }

    /// Returns the ports and priorities to which a request refers.
    fn requested_queues(
        &self,
        port: Option<Port>,
        priority: Option<usize>,
    ) -> Result<(Vec<Port>, std::ops::Range<usize>), ControlError> {
        let ports = match port {
            Some(port) => {
                self.known_port(port)?;
                vec![port]
            }
            None => self.ports.iter().copied().collect(),
        };
        let priorities = self.queues.settings.priorities;
        match priority {
            None => Ok((ports, 0..priorities)),
            Some(priority) if priority < priorities => Ok((ports, priority..priority + 1)),
            Some(priority) => Err(ControlError::NoSuchQueue { priority, priorities }),
        }
    }

    pub(super) fn known_port(&self, port: Port) -> Result<(), ControlError> {
        if self.ports.contains(&port) {
            Ok(())
        } else {
            Err(ControlError::NoSuchPort { port, known: self.ports.iter().copied().collect() })
        }
    }
}
