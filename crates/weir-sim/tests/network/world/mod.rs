//! Building blocks of the tests: networks, hosts, a relay.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::{BTreeMap, VecDeque};

use weir_device::{Drop, Transmission};
use weir_sim::{
    Audit, Device, HostConfig, LinkConfig, LinkEnd, LinkId, Nanos, Network, Packet, PacketAccount,
    PingConfig, PingOutcome, PingRow, Port, Route,
};

pub const MS: Nanos = 1_000_000;
pub const SECOND: Nanos = 1_000_000_000;
/// A time that is later than all events in the tests.
pub const FOREVER: Nanos = 1_000_000 * SECOND;

/// A relay that forwards each packet after a fixed time: by learned MAC addresses if it may learn,
/// otherwise to all ports except the ingress port.
pub struct Relay {
    latency: Nanos,
    ports: u32,
    learning: bool,
    table: BTreeMap<[u8; 6], Port>,
    inside: VecDeque<(Nanos, Port, Packet)>,
    drops: Vec<Drop>,
    /// If set, every n-th packet disappears without being counted, as in a faulty device.
    pub swallow_every: Option<u64>,
    /// If set, every n-th packet is dropped and counted.
    pub drop_every: Option<u64>,
    /// Whether each packet is sent twice.
    pub doubling: bool,
    /// Selects the egress port of packets from port 0, given the frame and the number of earlier
    /// ones.
    pub spread: Option<fn(&[u8], u64) -> Port>,
    seen: u64,
    made: u64,
    left: u64,
    dropped: u64,
    /// The number of packets that were dropped because there is no other port.
    nowhere: u64,
    pub wakes: u64,
    /// The port states that were reported to the relay.
    pub ports_up: Vec<(Nanos, Port, bool)>,
}

impl Relay {
    pub fn new(ports: u32, latency: Nanos) -> Self {
        Relay {
            latency,
            ports,
            learning: true,
            table: BTreeMap::new(),
            inside: VecDeque::new(),
            drops: Vec::new(),
            swallow_every: None,
            drop_every: None,
            doubling: false,
            spread: None,
            seen: 0,
            made: 0,
            left: 0,
            dropped: 0,
            nowhere: 0,
            wakes: 0,
            ports_up: Vec::new(),
        }
    }

    pub fn hub(ports: u32, latency: Nanos) -> Self {
        Relay { learning: false, ..Relay::new(ports, latency) }
    }
}

impl Device for Relay {
    fn receive(&mut self, now: Nanos, port: Port, packet: Packet) {
        self.seen += 1;
        if self.swallow_every.is_some_and(|n| self.seen.is_multiple_of(n)) {
            return;
        }
        if self.drop_every.is_some_and(|n| self.seen.is_multiple_of(n)) {
            let (place, reason) = ("ingress".to_owned(), "every so often".to_owned());
            self.dropped += 1;
            self.drops.push(Drop { time: now, place, reason, packet: packet.id });
            return;
        }
        if let (true, Some(source)) = (self.learning, packet.bytes.get(6..12)) {
            self.table.insert(source.try_into().unwrap(), port);
        }
        let learned_port = packet.bytes.first_chunk::<6>().and_then(|mac| self.table.get(mac)).copied();
        let learned_port = learned_port.filter(|_| self.learning);
        let chosen = self.spread.filter(|_| port == 0).map(|spread| spread(&packet.bytes, self.seen - 1));
        let mut output: Vec<Port> = match chosen.or(learned_port) {
            // The hosts at the ingress port have already received it.
            Some(output_port) => {
                if output_port == port {
                    Vec::new()
                } else {
                    vec![output_port]
                }
            }
            None => (0..self.ports).filter(|other| *other != port).collect(),
        };
        if output.is_empty() {
            let (place, reason) = ("ingress".to_owned(), "nowhere to go".to_owned());
            self.nowhere += 1;
            self.drops.push(Drop { time: now, place, reason, packet: packet.id });
            return;
        }
        if self.doubling {
            output = output.iter().flat_map(|port| [*port, *port]).collect();
        }
        self.made += output.len() as u64 - 1;
        let last = output.pop();
        for port in output {
            self.inside.push_back((now + self.latency, port, packet.clone()));
        }
        if let Some(port) = last {
            self.inside.push_back((now + self.latency, port, packet));
        }
    }

    fn set_port_up(&mut self, now: Nanos, port: Port, up: bool) {
        self.ports_up.push((now, port, up));
    }

    fn next_deadline(&self) -> Option<Nanos> {
        self.inside.front().map(|(time, _, _)| *time)
    }

    fn advance(&mut self, now: Nanos, out: &mut Vec<Transmission>) {
        self.wakes += 1;
        let due = self.inside.partition_point(|(time, _, _)| *time <= now);
        self.left += due as u64;
        out.extend(self.inside.drain(..due).map(|(time, port, packet)| Transmission { time, port, packet }));
    }

    fn take_drops(&mut self) -> Vec<Drop> {
        std::mem::take(&mut self.drops)
    }

    fn record_drops(&mut self, _: bool) {}

    fn is_self_contained(&self) -> bool {
        true
    }

    fn queue_lengths(&self, port: Port) -> Vec<usize> {
        vec![self.inside.iter().filter(|(_, out, _)| *out == port).count(), 0]
    }

    fn in_flight(&self) -> usize {
        self.inside.len()
    }

    fn account(&self) -> PacketAccount {
        let inside = self.inside.len() as u64;
        let dropped = self.dropped + self.nowhere;
        PacketAccount {
            received: self.seen,
            created: self.made,
            transmitted: self.left,
            dropped,
            in_flight: inside,
            repeated: 0,
        }
    }

    fn drop_counts(&self) -> Vec<(String, String, u64)> {
        vec![
            ("ingress".to_owned(), "every so often".to_owned(), self.dropped),
            ("ingress".to_owned(), "nowhere to go".to_owned(), self.nowhere),
        ]
    }
}

/// Creates the host `h<n>` with the addresses 10.0.0.<n>/24 and 08:00:00:00:00:<n>.
pub fn host(n: u8) -> HostConfig {
    let mac = weir_sim::MacAddress([8, 0, 0, 0, 0, n]);
    HostConfig::new(format!("h{n}"), mac, format!("10.0.0.{n}/24").parse().unwrap())
}

pub fn address(n: u8) -> std::net::IpAddr {
    std::net::Ipv4Addr::new(10, 0, 0, n).into()
}

/// Returns a host with static neighbour entries for the hosts 1 to `all`.
pub fn host_with_neighbours(n: u8, all: u8) -> HostConfig {
    let neighbours =
        (1..=all).filter(|m| *m != n).map(|m| (0, address(m), weir_sim::MacAddress([8, 0, 0, 0, 0, m])));
    HostConfig { neighbours: neighbours.collect(), ..host(n) }
}

/// Returns a network of hosts 1 to `hosts` around one relay `s1`. Host n is at port n - 1; all
/// links are equal, and all hosts have static neighbour entries.
pub fn star_network(seed: u64, hosts: u8, relay: Relay, link: &LinkConfig) -> (Network, Vec<LinkId>) {
    let mut network = Network::new(seed);
    network.track_packet_ids(true);
    network.add_device("s1", Box::new(relay)).unwrap();
    let links = (1..=hosts).map(|n| {
        network.add_host(host_with_neighbours(n, hosts)).unwrap();
        network
            .connect(LinkEnd::new(format!("h{n}"), 0), LinkEnd::new("s1", u32::from(n) - 1), link.clone())
            .unwrap()
    });
    let links = links.collect();
    (network, links)
}

pub fn run_ping(network: &mut Network, from: &str, config: PingConfig) -> Vec<PingRow> {
    let app = network.start_ping(from, config).unwrap();
    let stop = network.run_until_finished(FOREVER).stop;
    assert_eq!(stop, weir_sim::StopReason::Reached);
    network.app::<weir_sim::Ping>(app).unwrap().rows().to_vec()
}

pub fn rtt(row: &PingRow) -> Nanos {
    match row.outcome {
        PingOutcome::Reply { rtt, .. } => rtt,
        other => panic!("ping {}: {other:?}", row.sequence),
    }
}

/// Checks that every packet is accounted for, now and when the network is idle.
pub fn check(network: &mut Network) -> Audit {
    let audit = network.audit();
    assert_eq!(audit.violations, Vec::<String>::new());
    network.run_until_idle(FOREVER);
    let audit = network.audit();
    assert_eq!(audit.violations, Vec::<String>::new());
    assert_eq!(audit.in_flight.total(), 0, "{audit:?}");
    audit
}

/// Checks that h1 drops a frame from h2 for this reason and sends nothing.
pub fn check_dropped(mut network: Network, frame: Vec<u8>, reason: &str) {
    network.send_frame("h2", 0, frame).unwrap();
    let audit = check(&mut network);
    let drops: Vec<_> = audit.drops.iter().map(|drop| (&*drop.place, &*drop.reason, drop.packets)).collect();
    assert_eq!(drops, [("h1-eth0", reason, 1)]);
    assert_eq!(network.host("h1").unwrap().counters().sent_packets, 0);
}

pub fn default_route(gateway: &str) -> Route {
    Route { destination: weir_sim::IpPrefix::DEFAULT, gateway: Some(gateway.parse().unwrap()), interface: 0 }
}

/// Runs each task in a thread.
#[expect(clippy::disallowed_methods, reason = "the caller owns the threads")]
pub fn run_in_threads(tasks: Vec<weir_sim::Task<'_>>) {
    std::thread::scope(|scope| {
        tasks.into_iter().for_each(|task| drop(scope.spawn(task)));
    });
}
