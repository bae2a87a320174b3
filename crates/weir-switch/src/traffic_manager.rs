//! Queues between ingress and egress: per port and priority, first come first served in each, larger priorities first.

use std::collections::{BTreeMap, VecDeque};

use crate::config::{Rate, SwitchConfig};
use crate::device::{Nanos, Port};
use crate::pacer::Pacer;
use crate::path::Frame;
use crate::stats::DropReason;

/// The queues of all ports. A port's queues exist from its first packet on.
#[derive(Debug)]
pub(crate) struct TrafficManager {
    priorities: usize,
    depth: usize,
    rate: Option<Rate>,
    ports: BTreeMap<Port, PortQueues>,
}

#[derive(Debug)]
struct PortQueues {
    queues: Vec<VecDeque<Waiting>>,
    server: Option<Server>,
}

/// What lets packets out of a port's queues.
#[derive(Debug)]
struct Server {
    rate: Rate,
    pacer: Pacer,
}

#[derive(Debug)]
struct Waiting {
    frame: Frame,
    enqueued: Nanos,
    enq_depth: usize,
}

/// A packet that leaves its queue.
#[derive(Debug)]
pub(crate) struct Departure {
    /// The packet.
    pub frame: Frame,
    /// The queue's port.
    pub port: Port,
    /// When it came.
    pub enqueued: Nanos,
    /// How many packets it found in the queue.
    pub enq_depth: usize,
    /// When it leaves.
    pub dequeued: Nanos,
    /// How many packets it leaves behind.
    pub deq_depth: usize,
}

impl TrafficManager {
    pub(crate) fn new(config: &SwitchConfig) -> Self {
        Self {
            priorities: config.priorities.max(1),
            depth: config.queue_depth,
            rate: config.queue_rate,
            ports: BTreeMap::new(),
        }
    }

    /// Puts a packet in, or gives it back with the reason why not. A packet that need not wait at all fits a queue of any depth.
    pub(crate) fn enqueue(
        &mut self,
        now: Nanos,
        port: Port,
        priority: usize,
        frame: Frame,
    ) -> Result<(), (Frame, DropReason)> {
        if priority >= self.priorities {
            return Err((frame, DropReason::NoSuchQueue));
        }
        let queues = self.ports.entry(port).or_insert_with(|| PortQueues {
            queues: (0..self.priorities).map(|_| VecDeque::new()).collect(),
            server: self.rate.map(|rate| {
                let (Rate::PacketsPerSecond(units) | Rate::BitsPerSecond(units)) = rate;
                Server { rate, pacer: Pacer::new(units) }
            }),
        });
        let idle = queues.queues.iter().all(VecDeque::is_empty)
            && queues.server.as_ref().is_none_or(|server| server.pacer.ready() <= now);
        let queue = &mut queues.queues[priority];
        if queue.len() >= self.depth && !idle {
            return Err((frame, DropReason::QueueFull));
        }
        let enq_depth = queue.len();
        queue.push_back(Waiting { frame, enqueued: now, enq_depth });
        Ok(())
    }

    /// When the next packet may leave the port's queues, if one waits.
    pub(crate) fn ready(&self, port: Port) -> Option<Nanos> {
        let queues = self.ports.get(&port)?;
        let first =
            queues.queues.iter().filter_map(|queue| queue.front()).map(|waiting| waiting.enqueued).min()?;
        Some(queues.server.as_ref().map_or(first, |server| server.pacer.ready().max(first)))
    }

    /// Takes the next packet out, at a time not before [`TrafficManager::ready`].
    pub(crate) fn dequeue(&mut self, now: Nanos, port: Port) -> Option<Departure> {
        let queues = self.ports.get_mut(&port)?;
        let queue = queues.queues.iter_mut().rev().find(|queue| !queue.is_empty())?;
        let waiting = queue.pop_front()?;
        let deq_depth = queue.len();
        if let Some(server) = &mut queues.server {
            let units = match server.rate {
                Rate::PacketsPerSecond(_) => 1,
                Rate::BitsPerSecond(_) => waiting.frame.length as u64 * 8,
            };
            server.pacer.take(now, units);
        }
        Some(Departure {
            frame: waiting.frame,
            port,
            enqueued: waiting.enqueued,
            enq_depth: waiting.enq_depth,
            dequeued: now,
            deq_depth,
        })
    }
}
