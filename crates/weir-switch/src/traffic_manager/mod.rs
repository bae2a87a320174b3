//! The traffic manager, which contains the queues between ingress and egress, per port and
//! priority. Each queue is first in, first out, or has a queueing discipline. A port serves its
//! queue with the largest priority first.

mod discipline;
mod managed;
mod queue;
mod settings;
mod waiting;

use std::collections::BTreeMap;

use weir_device::{Nanos, Port};
use weir_qdisc::{Counts, RateLimiter};

pub use self::discipline::DisciplineError;
pub(crate) use self::discipline::check_discipline;
use self::queue::Queue;
pub(crate) use self::settings::QueueSettings;
use self::waiting::WaitingPacket;
use crate::config::{Rate, SwitchConfig};
use crate::packet::{Dequeued, PacketId, PipelinePacket};
use crate::stats::DropReason;

/// The queues of all ports. The queues of a port are created when its first packet arrives.
#[derive(Debug)]
pub(crate) struct TrafficManager {
    pub settings: QueueSettings,
    ports: BTreeMap<Port, PortQueues>,
    /// Whether a queue has, or had, a discipline.
    is_managed: bool,
    /// The seed of the random numbers of disciplines.
    seed: u64,
    /// The packets that disciplines have dropped since the last [`TrafficManager::take_lost`].
    lost: Vec<LostPacket>,
}

/// A packet that a queueing discipline has dropped, or that was in a queue whose discipline was
/// replaced.
#[derive(Debug)]
pub(crate) struct LostPacket {
    /// The port of the queue.
    pub port: Port,
    /// The packet's identity.
    pub id: PacketId,
    /// Why the packet was dropped.
    pub reason: DropReason,
}

#[derive(Debug)]
struct PortQueues {
    queues: Vec<Queue>,
    /// The limit of each queue's own rate.
    servers: Vec<Server>,
    server: Server,
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

impl PortQueues {
    fn new(priorities: usize) -> Self {
        Self {
            queues: (0..priorities).map(|_| Queue::default()).collect(),
            servers: (0..priorities).map(|_| Server::new()).collect(),
            server: Server::new(),
        }
    }

    /// Returns whether a queue without a discipline has no room for a packet. A queue of any depth
    /// has room for a packet that need not wait.
    fn is_full(&self, now: Nanos, port: Port, priority: usize, settings: &QueueSettings) -> bool {
        let queue = &self.queues[priority];
        !queue.is_managed()
            && queue.len() >= settings.depth(port, priority)
            && !self.may_leave_at_once(now, port, priority, settings)
    }

    /// Returns whether a packet in a queue need not wait.
    fn may_leave_at_once(&self, now: Nanos, port: Port, priority: usize, settings: &QueueSettings) -> bool {
        let is_free = |server: &Server, rate| server.next_departure(rate) <= now;
        self.queues.iter().all(|queue| queue.len() == 0)
            && is_free(&self.server, settings.port_rate(port))
            && is_free(&self.servers[priority], settings.queue_rate(port, priority))
    }

    /// Gives the queues the disciplines of the settings, if they have changed.
    fn adopt_disciplines(
        &mut self,
        (now, port): (Nanos, Port),
        settings: &QueueSettings,
        seed: u64,
        lost: &mut Vec<LostPacket>,
    ) {
        for (priority, queue) in self.queues.iter_mut().enumerate() {
            let random = (seed, || format!("queue {port} {priority}"));
            queue.adopt(now, settings.disciplines.get(port, priority), random, &mut |id, reason| {
                lost.push(LostPacket { port, id, reason });
            });
        }
    }
}

impl TrafficManager {
    pub(crate) fn new(config: &SwitchConfig) -> Self {
        let (settings, seed) = (QueueSettings::new(config), config.seed);
        Self { settings, ports: BTreeMap::new(), is_managed: false, seed, lost: Vec::new() }
    }

    /// Returns whether no queue can delay a packet, because no packet waits and neither a rate nor
    /// a discipline is set.
    pub(crate) fn never_delays(&self) -> bool {
        let QueueSettings { rate, port_rates, queue_rates, disciplines, .. } = &self.settings;
        rate.is_none()
            && disciplines.is_empty()
            && queue_rates.is_empty()
            && port_rates.values().all(Option::is_none)
            && self.ports.values().all(|port| port.queues.iter().all(|queue| queue.len() == 0))
    }

    /// Returns the number of packets in a queue.
    pub(crate) fn waiting(&self, port: Port, priority: usize) -> usize {
        self.queue(port, priority).map_or(0, Queue::len)
    }

    /// Returns the counts of a queue's discipline since it was set.
    pub(crate) fn counts(&self, port: Port, priority: usize) -> Counts {
        self.queue(port, priority).map(Queue::counts).unwrap_or_default()
    }

    fn queue(&self, port: Port, priority: usize) -> Option<&Queue> {
        self.ports.get(&port)?.queues.get(priority)
    }

    /// Returns whether [`TrafficManager::enqueue`] would find the queue full.
    pub(crate) fn is_full(&self, now: Nanos, port: Port, priority: usize) -> bool {
        let Some(queues) = self.ports.get(&port) else { return false };
        priority < queues.queues.len() && queues.is_full(now, port, priority, &self.settings)
    }

    /// Puts a packet into a queue, or returns the reason why this is impossible.
    /// [`TrafficManager::take_lost`] must follow.
    pub(crate) fn enqueue(
        &mut self,
        now: Nanos,
        port: Port,
        priority: usize,
        packet: PipelinePacket,
    ) -> Result<(), DropReason> {
        if priority >= self.settings.priorities {
            return Err(DropReason::NoSuchQueue);
        }
        let Self { settings, ports, is_managed, seed, lost } = self;
        let queues = ports.entry(port).or_insert_with(|| PortQueues::new(settings.priorities));
        *is_managed |= !settings.disciplines.is_empty();
        if *is_managed {
            queues.adopt_disciplines((now, port), settings, *seed, lost);
        }
        if queues.is_full(now, port, priority, settings) {
            return Err(DropReason::QueueFull);
        }
        let enq_depth = queues.queues[priority].len();
        let waiting = WaitingPacket { packet, enqueued: now, enq_depth, marked: false };
        queues.queues[priority]
            .push(now, waiting, &mut |id, reason| lost.push(LostPacket { port, id, reason }))
    }

    /// Returns the packets that disciplines have dropped since the last call, in the order of their
    /// drops.
    #[inline]
    pub(crate) fn take_lost(&mut self) -> Vec<LostPacket> {
        std::mem::take(&mut self.lost)
    }

    /// Returns the time at which a packet may leave the queues of the port, if a packet waits.
    pub(crate) fn next_departure(&self, port: Port) -> Option<Nanos> {
        let queues = self.ports.get(&port)?;
        let port_ready = queues.server.next_departure(self.settings.port_rate(port));
        let ready = queues.queues.iter().zip(&queues.servers).enumerate().filter_map(|(priority, own)| {
            let (queue, server) = own;
            let ready = queue.ready()?;
            let own = server.next_departure(self.settings.queue_rate(port, priority));
            Some(own.max(port_ready).max(ready))
        });
        ready.min()
    }

    /// Removes a packet that may leave at `now`, from the queue with the largest priority that lets
    /// a packet leave. [`TrafficManager::take_lost`] must follow, and if there is a packet,
    /// [`TrafficManager::set_busy`]. If there is none, [`TrafficManager::next_departure`] is later
    /// than `now`.
    pub(crate) fn dequeue(&mut self, now: Nanos, port: Port) -> Option<Dequeued> {
        let Self { settings, ports, is_managed, seed, lost } = self;
        let queues = ports.get_mut(&port)?;
        if *is_managed {
            queues.adopt_disciplines((now, port), settings, *seed, lost);
        }
        let PortQueues { queues, servers, server } = queues;
        if server.next_departure(settings.port_rate(port)) > now {
            return None;
        }
        for (priority, queue) in queues.iter_mut().enumerate().rev() {
            if !queue.may_leave(now)
                || servers[priority].next_departure(settings.queue_rate(port, priority)) > now
            {
                continue;
            }
            let left = queue.pop(now, &mut |id, reason| lost.push(LostPacket { port, id, reason }));
            if let Some(WaitingPacket { packet, enqueued, enq_depth, marked }) = left {
                let deq_depth = queue.len();
                return Some(Dequeued {
                    packet,
                    port,
                    priority,
                    enqueued,
                    enq_depth,
                    dequeued: now,
                    deq_depth,
                    marked,
                });
            }
        }
        None
    }

    /// Keeps a queue and its port busy for a packet that was removed at `now` and that has this
    /// number of bytes after egress.
    pub(crate) fn set_busy(&mut self, now: Nanos, port: Port, priority: usize, bytes: usize) {
        let Some(queues) = self.ports.get_mut(&port) else { return };
        queues.servers[priority].take(now, self.settings.queue_rate(port, priority), bytes);
        queues.server.take(now, self.settings.port_rate(port), bytes);
    }

    /// Removes all packets, and returns each with its port.
    pub(crate) fn take_all(&mut self) -> Vec<(Port, PipelinePacket)> {
        let mut all = Vec::new();
        for (port, queues) in std::mem::take(&mut self.ports) {
            for mut queue in queues.queues {
                all.extend(queue.drain().into_iter().map(|packet| (port, packet)));
            }
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
