//! The traffic manager, which contains the queues between ingress and egress, per port and
//! priority. Each queue is first in, first out. A port serves its queue with the largest priority
//! first.

use std::collections::{BTreeMap, VecDeque};

use weir_device::{Nanos, Port};
use weir_qdisc::RateLimiter;

use crate::config::{Rate, SwitchConfig};
use crate::packet::{Dequeued, PipelinePacket};
use crate::stats::DropReason;

/// The queues of all ports. The queues of a port are created when its first packet arrives.
#[derive(Debug)]
pub(crate) struct TrafficManager {
    pub settings: QueueSettings,
    ports: BTreeMap<Port, PortQueues>,
}

/// The depths and rates of queues. The settings of a port or a queue override the settings of all
/// queues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueSettings {
    /// The number of queues of a port.
    pub priorities: usize,
    /// The depth of every queue, in packets.
    pub depth: usize,
    pub depths: BTreeMap<(Port, usize), usize>,
    /// The rate of every port.
    pub rate: Option<Rate>,
    pub port_rates: BTreeMap<Port, Option<Rate>>,
    /// The rates of single queues, which apply in addition to the port's rate.
    pub queue_rates: BTreeMap<(Port, usize), Rate>,
}

impl QueueSettings {
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

#[derive(Debug)]
struct PortQueues {
    queues: Vec<Queue>,
    server: Server,
}

#[derive(Debug)]
struct Queue {
    waiting: VecDeque<WaitingPacket>,
    server: Server,
}

#[derive(Debug)]
struct WaitingPacket {
    packet: PipelinePacket,
    enqueued: Nanos,
    enq_depth: usize,
}

/// Limits the rate at which packets leave a queue, or all queues of a port.
#[derive(Debug)]
struct Server(RateLimiter);

impl Server {
    fn new() -> Self {
        Self(RateLimiter::new(1))
    }

    fn next_departure(&self, rate: Option<Rate>) -> Nanos {
        rate.map_or(0, |_| self.0.ready())
    }

    /// Occupies the sender for the time that a packet takes at the rate.
    fn take(&mut self, now: Nanos, rate: Option<Rate>, bytes: usize) {
        let (units_per_second, units) = match rate {
            None => return,
            Some(Rate::PacketsPerSecond(rate)) => (rate, 1),
            Some(Rate::BitsPerSecond(rate)) => (rate, bytes as u64 * 8),
        };
        self.0.set_rate(units_per_second);
        self.0.occupy(now, units);
    }
}

impl TrafficManager {
    pub(crate) fn new(config: &SwitchConfig) -> Self {
        let settings = QueueSettings {
            priorities: config.priorities.max(1),
            depth: config.queue_depth,
            depths: BTreeMap::new(),
            rate: config.queue_rate,
            port_rates: BTreeMap::new(),
            queue_rates: BTreeMap::new(),
        };
        Self { settings, ports: BTreeMap::new() }
    }

    /// Returns whether no queue can delay a packet, because no packet waits and no rate is set.
    pub(crate) fn never_delays(&self) -> bool {
        let QueueSettings { rate, port_rates, queue_rates, .. } = &self.settings;
        rate.is_none()
            && queue_rates.is_empty()
            && port_rates.values().all(Option::is_none)
            && self.ports.values().all(|port| port.queues.iter().all(|queue| queue.waiting.is_empty()))
    }

    /// Returns the number of packets in a queue.
    pub(crate) fn waiting(&self, port: Port, priority: usize) -> usize {
        self.ports
            .get(&port)
            .and_then(|port| port.queues.get(priority))
            .map_or(0, |queue| queue.waiting.len())
    }

    /// Puts a packet into a queue, or returns the reason why this is impossible. A queue of any
    /// depth accepts a packet that need not wait.
    pub(crate) fn enqueue(
        &mut self,
        now: Nanos,
        port: Port,
        priority: usize,
        packet: PipelinePacket,
    ) -> Result<(), DropReason> {
        let settings = &self.settings;
        if priority >= settings.priorities {
            return Err(DropReason::NoSuchQueue);
        }
        let queues = self.ports.entry(port).or_insert_with(|| PortQueues {
            queues: (0..settings.priorities)
                .map(|_| Queue { waiting: VecDeque::new(), server: Server::new() })
                .collect(),
            server: Server::new(),
        });
        let idle = queues.queues.iter().all(|queue| queue.waiting.is_empty())
            && queues.server.next_departure(settings.port_rate(port)) <= now;
        let queue = &mut queues.queues[priority];
        let at_once = idle && queue.server.next_departure(settings.queue_rate(port, priority)) <= now;
        let enq_depth = queue.waiting.len();
        if enq_depth >= settings.depth(port, priority) && !at_once {
            return Err(DropReason::QueueFull);
        }
        queue.waiting.push_back(WaitingPacket { packet, enqueued: now, enq_depth });
        Ok(())
    }

    /// Returns the time at which the next packet may leave the queues of the port, and its queue.
    /// If several queues are ready, the queue with the largest priority is returned.
    fn next(&self, port: Port) -> Option<(Nanos, usize)> {
        let queues = self.ports.get(&port)?;
        let port_ready = queues.server.next_departure(self.settings.port_rate(port));
        let ready = queues.queues.iter().enumerate().filter_map(|(priority, queue)| {
            let arrived = queue.waiting.front()?.enqueued;
            let own = queue.server.next_departure(self.settings.queue_rate(port, priority));
            Some((own.max(port_ready).max(arrived), std::cmp::Reverse(priority)))
        });
        ready.min().map(|(time, std::cmp::Reverse(priority))| (time, priority))
    }

    /// Returns the time at which the next packet may leave the queues of the port, if a packet
    /// waits.
    pub(crate) fn next_departure(&self, port: Port) -> Option<Nanos> {
        self.next(port).map(|(time, _)| time)
    }

    /// Removes a packet that may leave at `now`, from the queue with the largest priority whose
    /// first packet may leave. [`TrafficManager::set_busy`] must follow.
    pub(crate) fn dequeue(&mut self, now: Nanos, port: Port) -> Option<Dequeued> {
        let queues = self.ports.get_mut(&port)?;
        let port_rate = self.settings.port_rate(port);
        if queues.server.next_departure(port_rate) > now {
            return None;
        }
        let settings = &self.settings;
        let (priority, queue) = queues.queues.iter_mut().enumerate().rev().find(|(priority, queue)| {
            !queue.waiting.is_empty()
                && queue.server.next_departure(settings.queue_rate(port, *priority)) <= now
        })?;
        let WaitingPacket { packet, enqueued, enq_depth } = queue.waiting.pop_front()?;
        let deq_depth = queue.waiting.len();
        Some(Dequeued { packet, port, priority, enqueued, enq_depth, dequeued: now, deq_depth })
    }

    /// Keeps a queue and its port busy for a packet that was removed at `now` and that has this
    /// number of bytes after egress.
    pub(crate) fn set_busy(&mut self, now: Nanos, port: Port, priority: usize, bytes: usize) {
        let Some(queues) = self.ports.get_mut(&port) else { return };
        queues.queues[priority].server.take(now, self.settings.queue_rate(port, priority), bytes);
        queues.server.take(now, self.settings.port_rate(port), bytes);
    }

    /// Removes all packets, and returns each with its port.
    pub(crate) fn take_all(&mut self) -> Vec<(Port, PipelinePacket)> {
        let mut all = Vec::new();
        for (port, queues) in std::mem::take(&mut self.ports) {
            let waiting = queues.queues.into_iter().flat_map(|queue| queue.waiting);
            all.extend(waiting.map(|waiting| (port, waiting.packet)));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use weir_ir::{Layout, Program};

    use super::*;

    /// Measures the mean waiting time in nanoseconds of `count` packets that arrive at random.
    /// `load` is the ratio of the arrival rate to the service rate.
    fn mean_wait(load: f64, count: u64) -> f64 {
        const RATE: u64 = 100_000;
        let config = SwitchConfig {
            queue_rate: Some(Rate::PacketsPerSecond(RATE)),
            queue_depth: usize::MAX,
            ..SwitchConfig::default()
        };
        let mut queues = TrafficManager::new(&config);
        let state = Layout::new(&Program::default()).state();
        let mut random = 0x1234_5678_9abc_def0u64;
        let (mut arrival, mut waited) = (0.0, 0);
        let mut leave = |queues: &mut TrafficManager, until: Nanos| {
            while let Some(ready) = queues.next_departure(1).filter(|ready| *ready <= until) {
                let departure = queues.dequeue(ready, 1).expect("a packet is ready");
                queues.set_busy(ready, 1, departure.priority, 0);
                waited += departure.dequeued - departure.enqueued;
            }
        };
        for id in 0..count {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let uniform = ((random >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            arrival -= uniform.ln() * 1e9 / (RATE as f64 * load);
            let now = arrival as Nanos;
            leave(&mut queues, now);
            let id = crate::packet::PacketId { packet: id, copy: 0 };
            let packet = PipelinePacket::new(id, None, Vec::new(), state.clone());
            queues.enqueue(now, 1, 0, packet).expect("the queue has no limit");
        }
        leave(&mut queues, Nanos::MAX);
        waited as f64 / count as f64
    }

    #[test]
    fn poisson_arrivals_wait_as_in_an_m_d_1_queue() {
        for (load, count) in [(0.3, 150_000), (0.5, 150_000), (0.7, 250_000)] {
            // The formula of Pollaczek and Khinchine, for a constant service time of 10 us.
            let theory = load / (2.0 * (1.0 - load)) * 10_000.0;
            let mean = mean_wait(load, count);
            assert!((mean / theory - 1.0).abs() < 0.02, "load {load}: {mean} ns, theory {theory} ns");
        }
    }
}
