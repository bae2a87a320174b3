//! The measured networks: P4 routers with hosts, and the traffic between pairs of hosts.

use std::net::Ipv4Addr;
use std::sync::Arc;

use weir_bench::programs::{NamedCall, insert};
use weir_control::Names;
use weir_device::Port;
use weir_exec::Executor;
use weir_ir::Bits;
use weir_sim::{
    Direction, HostConfig, LinkConfig, LinkEnd, LinkId, MacAddress, Nanos, Network, Random, Route, Task,
    UdpReceiver, UdpSender, UdpSenderConfig,
};
use weir_switch::config::Rate;
use weir_switch::control::Match;
use weir_switch::{Switch, SwitchConfig};

use crate::stream;

const MS: Nanos = 1_000_000;
const GIGABIT: u64 = 1_000_000_000;
/// The bytes of UDP payload in the long datagrams, whose frames have 1514 bytes, and in the short
/// ones that are sent back.
const LONG_PAYLOAD: usize = 1472;
const SHORT_PAYLOAD: usize = 16;
const PORT: u16 = 9;
/// The routers' own hardware address.
const ROUTER: [u8; 6] = [2, 0, 0, 0, 0, 1];
/// The number of the first next hop that is a router; such numbers count ports, and smaller ones
/// count hosts.
const ROUTERS: u64 = 50_000;

/// The traffic between pairs of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Long datagrams one way, at a steady rate, and half as many short ones back.
    Udp,
    /// TCP streams that send as fast as the network allows.
    Tcp,
}

/// A network that is measured.
pub struct World {
    pub network: Network,
    links: Vec<LinkId>,
    pub hosts: usize,
    pub switches: usize,
}

impl World {
    /// Returns the number of frames that all directions of all links have delivered.
    pub fn hops(&self) -> u64 {
        let ends = self.links.iter().flat_map(|link| Direction::BOTH.map(|direction| (*link, direction)));
        ends.map(|(link, direction)| {
            self.network.link_counters(link, direction).expect("a link of this network").delivered_packets
        })
        .sum()
    }
}

/// A table entry: the table, the match of its key, and the action.
type NamedEntry = (&'static str, (&'static str, Match), NamedCall);

struct Building<'a> {
    world: World,
    executor: &'a Arc<dyn Executor>,
    /// The routes and next hops of each switch.
    entries: Vec<Vec<NamedEntry>>,
    ports: Vec<Port>,
}

fn address(host: usize) -> u32 {
    0x0a00_0002 + 4 * host as u32
}

fn mac(host: usize) -> MacAddress {
    let [high, low] = (host as u16).to_be_bytes();
    MacAddress([8, 0, 0, 0, high, low])
}

impl<'a> Building<'a> {
    fn new(executor: &'a Arc<dyn Executor>, switches: usize) -> Self {
        let world = World { network: Network::new(1), links: Vec::new(), hosts: 0, switches };
        Building { world, executor, entries: vec![Vec::new(); switches], ports: vec![0; switches] }
    }

    fn port(&mut self, switch: usize) -> Port {
        self.ports[switch] += 1;
        self.ports[switch] - 1
    }

    fn hop(&mut self, switch: usize, number: u64, mac: [u8; 6], port: Port) {
        let key = ("meta.next_hop", Match::Exact(Bits::new(16, number.into())));
        let [mac, router] =
            [mac, ROUTER].map(|mac| mac.iter().fold(0, |mac, byte| mac << 8 | u64::from(*byte)));
        let args = [("dst", 48, mac), ("src", 48, router), ("port", 9, port.into())];
        self.entries[switch].push(("next_hops", key, NamedCall::new("forward", &args)));
    }

    fn route(&mut self, switch: usize, host: usize, hop: u64) {
        let prefix = Match::Lpm(Bits::new(32, (address(host) & !3).into()), 30);
        let call = NamedCall::new("via", &[("next_hop", 16, hop)]);
        self.entries[switch].push(("routes", ("hdr.ipv4.dst", prefix), call));
    }

    fn route_to(&mut self, switch: usize, host: usize, port: Port) {
        self.route(switch, host, ROUTERS + u64::from(port));
    }

    fn host(&mut self, switch: usize, link: LinkConfig) -> usize {
        let host = self.world.hosts;
        self.world.hosts += 1;
        let (own, gateway) = (Ipv4Addr::from(address(host)), Ipv4Addr::from(address(host) - 1));
        let mut config =
            HostConfig::new(format!("h{host}"), mac(host), format!("{own}/30").parse().expect("a prefix"));
        config.routes.push(Route {
            destination: "0.0.0.0/0".parse().expect("a prefix"),
            gateway: Some(gateway.to_string().parse().expect("an address")),
            interface: 0,
        });
        let gateway = gateway.to_string().parse().expect("an address");
        config.neighbours.push((0, gateway, MacAddress(ROUTER)));
        self.world.network.add_host(config).expect("a host");
        let port = self.port(switch);
        self.connect(LinkEnd::new(format!("h{host}"), 0), switch, port, link);
        self.hop(switch, host as u64, mac(host).0, port);
        self.route(switch, host, host as u64);
        host
    }

    fn connect(&mut self, end: LinkEnd, switch: usize, port: Port, link: LinkConfig) {
        let far = LinkEnd::new(format!("s{switch}"), port);
        self.world.links.push(self.world.network.connect(end, far, link).expect("free ports"));
    }

    /// Adds a link between two switches, and returns its ports.
    fn trunk(&mut self, a: usize, b: usize, link: LinkConfig) -> (Port, Port) {
        let (from, to) = (self.port(a), self.port(b));
        self.connect(LinkEnd::new(format!("s{a}"), from), b, to, link);
        for (switch, port) in [(a, from), (b, to)] {
            self.hop(switch, ROUTERS + u64::from(port), ROUTER, port);
        }
        (from, to)
    }

    fn switches(&mut self, ports: Port, queue_rate: Option<Rate>) {
        for switch in 0..self.world.switches {
            let config = SwitchConfig {
                queue_rate,
                queue_depth: 1000,
                ..SwitchConfig::default().with_ports(0..ports)
            };
            let device = Switch::new(Arc::clone(self.executor), config).expect("a v1model program");
            self.world.network.add_device(format!("s{switch}"), Box::new(device)).expect("a new name");
        }
    }

    /// Fills the tables, and lets host i send to host i + n/2.
    fn finish(mut self, traffic: Traffic, bits_per_second: u64) -> World {
        for (switch, entries) in self.entries.iter().enumerate() {
            let device = self.world.network.device_mut::<Switch>(&format!("s{switch}")).expect("a switch");
            let mut control = device.control();
            let names = Names::new(control.schema());
            let update = |(table, key, call): &NamedEntry| {
                let table = names.table(table).expect("the router has the table");
                insert(names, table, [key.clone()], 0, call).expect("names of the router")
            };
            let updates: Vec<_> = entries.iter().map(update).collect();
            control.write(&updates).expect("entries that the program takes");
        }
        let half = self.world.hosts / 2;
        let interval = (LONG_PAYLOAD as u64 + 42) * 8 * 1_000_000_000 / bits_per_second;
        let mut random = Random::new(1, "starts");
        for pair in 0..half {
            match traffic {
                Traffic::Udp => {
                    // Flows with the same rate would always collide in the same order, so each
                    // starts at another point of the interval.
                    let start = interval * pair as u64 / half as u64;
                    self.add_flow((pair, pair + half), start, LONG_PAYLOAD, interval);
                    self.add_flow((pair + half, pair), start, SHORT_PAYLOAD, 2 * interval);
                }
                Traffic::Tcp => self.stream((pair, pair + half), random.up_to(10 * MS)),
            }
        }
        self.world
    }

    fn stream(&mut self, (from, to): (usize, usize), start: Nanos) {
        let sender = stream::Sender(Ipv4Addr::from(address(to)).into(), PORT);
        let network = &mut self.world.network;
        network.start_app(&format!("h{to}"), 0, Box::new(stream::Receiver(PORT))).expect("a host");
        network.start_app(&format!("h{from}"), start, Box::new(sender)).expect("a host");
    }

    fn add_flow(&mut self, (from, to): (usize, usize), start: Nanos, payload_bytes: usize, interval: Nanos) {
        let destination = Ipv4Addr::from(address(to)).to_string().parse().expect("an address");
        let config = UdpSenderConfig {
            destination: (destination, PORT),
            source_port: 1000,
            payload_bytes,
            interval,
            count: u64::MAX,
        };
        let sender = UdpSender::new(config).expect("settings in range");
        let network = &mut self.world.network;
        network.start_app(&format!("h{to}"), 0, Box::new(UdpReceiver::new(PORT))).expect("a host");
        network.start_app(&format!("h{from}"), start, Box::new(sender)).expect("a host");
    }
}

fn link(delay: Nanos) -> LinkConfig {
    LinkConfig { rate: Some(GIGABIT), delay, ..LinkConfig::default() }
}

/// Returns a dumbbell whose routers' queues are as fast as the links, so that packets wait in the
/// routers.
pub fn rate_limited_dumbbell(executor: &Arc<dyn Executor>, traffic: Traffic, hosts: usize) -> World {
    dumbbell_of(executor, traffic, hosts, Some(Rate::BitsPerSecond(GIGABIT)))
}

/// Returns two routers with half of the hosts each. UDP uses 95 % of the link between them, which
/// has 1 Gbit/s and 5 ms.
pub fn dumbbell(executor: &Arc<dyn Executor>, traffic: Traffic, hosts: usize) -> World {
    dumbbell_of(executor, traffic, hosts, None)
}

fn dumbbell_of(executor: &Arc<dyn Executor>, traffic: Traffic, hosts: usize, rate: Option<Rate>) -> World {
    let mut building = Building::new(executor, 2);
    building.switches(hosts as Port / 2 + 1, rate);
    let half = hosts / 2;
    for host in 0..2 * half {
        building.host(host / half, link(MS));
    }
    let (right, left) = building.trunk(0, 1, link(5 * MS));
    for host in 0..half {
        building.route_to(0, half + host, right);
        building.route_to(1, host, left);
    }
    building.finish(traffic, 950_000_000 / half as u64)
}

/// Returns a fat tree of routers with k ports (Al-Fares, Loukissas, Vahdat 2008): 5k²/4 routers and
/// k³/4 hosts. The destination's number selects one of the equal paths upwards.
pub fn fat_tree(executor: &Arc<dyn Executor>, traffic: Traffic, k: usize) -> World {
    let half = k / 2;
    let (edges, aggregations, cores) = (k * half, k * half, half * half);
    let mut building = Building::new(executor, edges + aggregations + cores);
    building.switches(k as Port, None);
    let (edge, aggregation) = (|pod: usize, i: usize| pod * half + i, |pod, i| edges + pod * half + i);
    let core = |i: usize, j: usize| edges + aggregations + i * half + j;
    for pod in 0..k {
        for i in 0..half {
            for _ in 0..half {
                building.host(edge(pod, i), link(10_000));
            }
        }
    }
    let hosts = building.world.hosts;
    let (pod_of, edge_of) = (|host: usize| host / (half * half), |host: usize| host / half % half);
    for pod in 0..k {
        for (i, j) in (0..half).flat_map(|i| (0..half).map(move |j| (i, j))) {
            let (up, down) = building.trunk(edge(pod, i), aggregation(pod, j), link(10_000));
            for host in 0..hosts {
                let here = pod_of(host) == pod && edge_of(host) == i;
                if here {
                    building.route_to(aggregation(pod, j), host, down);
                } else if host % half == j {
                    building.route_to(edge(pod, i), host, up);
                }
            }
            let (up, down) = building.trunk(aggregation(pod, i), core(i, j), link(10_000));
            for host in 0..hosts {
                if pod_of(host) == pod {
                    building.route_to(core(i, j), host, down);
                } else if host / half % half == j {
                    building.route_to(aggregation(pod, i), host, up);
                }
            }
        }
    }
    building.finish(traffic, 95_000_000)
}

/// Runs each task in a thread, the first in the caller's.
pub fn run_in_threads(tasks: Vec<Task<'_>>) {
    std::thread::scope(|scope| {
        let mut tasks = tasks.into_iter();
        let first = tasks.next();
        tasks.for_each(|task| drop(scope.spawn(task)));
        first.into_iter().for_each(|task| task());
    });
}
