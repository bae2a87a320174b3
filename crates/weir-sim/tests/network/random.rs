//! Random networks: accounts balance at any time, and runs are reproducible.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};

use crate::world::*;
use proptest::prelude::*;
use weir_sim::tcp::{Algorithm, Config, Event, pattern};
use weir_sim::{
    App, AppEvent, Binding, CodelConfig, Correlations, Data, Direction, FqCodelConfig, FqConfig, HostConfig,
    HostContext, HtbClass, HtbConfig, HtbFilter, Impairments, InterfaceConfig, Jitter, LinkConfig, LinkEnd,
    LinkId, Loss, NetemConfig, Network, PingConfig, QdiscConfig, RedConfig, SocketId, StopCondition,
    TbfConfig, TcpEvent, UdpReceiver, UdpSender, UdpSenderConfig,
};

/// An action between two slices of a run. Hosts and links are numbers modulo their count.
#[derive(Clone, Debug)]
pub enum Action {
    Ping { from: u8, to: Target, count: u64, bytes: usize, interval: u64 },
    Udp { from: u8, to: Target, count: u64, bytes: usize, interval: u64 },
    Tcp { from: u8, to: Target, bytes: u64, algorithm: Algorithm },
    Change { link: usize, forward: bool, config: Box<LinkConfig> },
    Up { link: usize, up: bool },
    TcInterface { host: u8, line: &'static str },
    Mtu { host: u8, bytes: usize },
    Renumber { host: u8 },
    Forget { host: u8, neighbour: u8 },
    Run { events: u64 },
}

/// The destination of packets: the IPv4 or IPv6 address of a host that might not exist.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    host: u8,
    six: bool,
}

impl Target {
    fn address(self, hosts: u8) -> IpAddr {
        let number = self.host % (hosts + 1) + 1;
        if self.six {
            return Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, number.into()).into();
        }
        address(number)
    }
}

const TC: [&str; 18] = [
    "qdisc replace dev eth0 root handle 1: htb default 20",
    "class replace dev eth0 parent 1: classid 1:1 htb rate 5mbit",
    "class replace dev eth0 parent 1:1 classid 1:10 htb rate 1mbit ceil 5mbit prio 1",
    "class replace dev eth0 parent 1:1 classid 1:20 htb rate 100kbit ceil 2mbit",
    "qdisc replace dev eth0 parent 1:10 handle 10: fq maxrate 500kbit flow_limit 5",
    "qdisc replace dev eth0 parent 1:20 handle 20: netem delay 1ms 1ms 50% loss state 10% 50%",
    "filter replace dev eth0 parent 1: prio 1 matchall flowid 1:1",
    "filter replace dev eth0 parent 1:1 prio 1 protocol ip flower ip_proto tcp flowid 1:10",
    "class del dev eth0 classid 1:10",
    "qdisc replace dev eth0 root fq",
    "qdisc replace dev eth0 root tbf rate 1mbit burst 2000 limit 8000",
    "qdisc replace dev eth0 root netem delay 300us rate 2mbit 20 48 5 reorder 30% 50% gap 3 duplicate 10% 20%",
    "qdisc replace dev eth0 root netem delay 1ms loss 20% ecn slot 1ms 3ms packets 4 seed 7",
    "qdisc replace dev eth0 root handle 1: fq_codel flows 2 limit 20 target 100us interval 2ms",
    "qdisc replace dev eth0 root codel target 100us interval 2ms ecn",
    "qdisc replace dev eth0 root red limit 20000 avpkt 500 probability 0.5 ecn adaptive",
    "qdisc del dev eth0 root",
    "-s qdisc show",
];

/// The plan of a network: relays in a tree, and hosts anywhere in it.
#[derive(Clone, Debug)]
pub struct Plan {
    seed: u64,
    /// Whether hosts have static neighbour entries.
    fixed: bool,
    /// For each relay: its parent, by a number modulo the count; whether it is a hub; its latency.
    relays: Vec<(u8, bool, u64)>,
    /// For each host: its relay, whether it has an IPv6 address, its processing delay and jitter.
    hosts: Vec<(u8, bool, u64, u64)>,
    /// The links of the relays, then those of the hosts.
    links: Vec<LinkConfig>,
    /// The corruption of the first link. Only one link of a path corrupts frames: two flipped bits
    /// might cancel out in a checksum.
    corrupt: f64,
}

pub fn random_plan() -> BoxedStrategy<Plan> {
    let relays = prop::collection::vec((any::<u8>(), any::<bool>(), 0u64..1000), 1..5);
    let hosts = prop::collection::vec((any::<u8>(), any::<bool>(), 0u64..1000, 0u64..1000), 2..7);
    let links = prop::collection::vec(link_config(), 10);
    let corrupt = prop_oneof![2 => Just(0.0), 1 => 0.0..=1.0];
    (any::<u64>(), any::<bool>(), relays, hosts, links, corrupt)
        .prop_map(|(seed, fixed, relays, hosts, links, corrupt)| Plan {
            seed,
            fixed,
            relays,
            hosts,
            links,
            corrupt,
        })
        .boxed()
}

fn impairments() -> BoxedStrategy<Impairments> {
    let jitter = prop_oneof![
        (0..MS).prop_map(Jitter::Uniform),
        (0..MS).prop_map(Jitter::UniformAround),
        (0..MS).prop_map(|sigma| Jitter::Normal { sigma }),
        (0..MS).prop_map(|sigma| Jitter::ParetoNormalAround { sigma }),
        (0..MS).prop_map(|mean| Jitter::Exponential { mean }),
        (0..MS, 0.5..5.0).prop_map(|(scale, shape)| Jitter::Pareto { scale, shape }),
        prop::collection::vec(0..MS, 1..5).prop_map(|values| Jitter::Table(values.into())),
    ];
    let loss = prop_oneof![
        (0.0..=1.0).prop_map(Loss::Random),
        (0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0)
            .prop_map(|(enter, leave, good, bad)| Loss::GilbertElliott { enter, leave, good, bad }),
        (1u64..20).prop_map(Loss::Every),
        (0.0..=0.5, 0.0..=0.5, 0.0..=0.5, 0.0..=1.0, 0.0..=0.5)
            .prop_map(|(p13, p31, p32, p23, p14)| Loss::FourState { p13, p31, p32, p23, p14 }),
    ];
    let share = || prop_oneof![Just(0.0), 0.0..=1.0];
    let correlation = (share(), share(), share(), share(), share()).prop_map(
        |(jitter, loss, duplicate, reorder, corrupt)| Correlations {
            jitter,
            loss,
            duplicate,
            reorder,
            corrupt,
        },
    );
    let effects = (jitter, any::<bool>(), loss, 0.0..=1.0, prop::option::of((0.0..=1.0, 0..MS)), correlation);
    let some = effects.prop_map(|(jitter, overtake, loss, duplicate, reorder, correlation)| Impairments {
        jitter,
        overtake,
        loss,
        duplicate,
        reorder,
        corrupt: 0.0,
        correlation,
    });
    prop_oneof![Just(Impairments::default()), some].boxed()
}

fn queue() -> BoxedStrategy<QdiscConfig> {
    let rate = || 100_000u64..1_000_000_000;
    let tbf = (rate(), 500u64..5000, 0u64..20_000).prop_map(|(rate, burst, limit)| {
        QdiscConfig::Tbf(TbfConfig { rate, burst, peak: None, limit: limit + 1, queue: None })
    });
    let fq = (prop::option::of(rate()), 1usize..20).prop_map(|(maxrate, flow_limit)| {
        QdiscConfig::Fq(FqConfig { maxrate, flow_limit, limit: 50, ..FqConfig::default() })
    });
    let netem = (0..MS, impairments(), prop::option::of(rate()), 0usize..50).prop_map(
        |(delay, impairments, rate, limit)| {
            QdiscConfig::Netem(NetemConfig {
                delay,
                impairments,
                rate,
                limit,
                reorder: Some((0.1, 2)),
                ..NetemConfig::default()
            })
        },
    );
    let control = || {
        (0usize..50, 0..MS, 1..10 * MS, any::<bool>()).prop_map(|(limit, target, interval, ecn)| {
            CodelConfig { limit, target, interval, ecn, ce_threshold: ecn.then_some(target / 2) }
        })
    };
    let codel = control().prop_map(QdiscConfig::Codel);
    let fq_codel = (control(), 1u32..5).prop_map(|(codel, flows)| {
        QdiscConfig::FqCodel(FqCodelConfig { codel, flows, ..FqCodelConfig::default() })
    });
    let red = (6000u64..50_000, 0.0..=1.0, any::<bool>(), any::<bool>()).prop_map(
        |(limit, probability, ecn, adaptive)| {
            let red = RedConfig::new(limit, 500, None, None, None);
            QdiscConfig::Red(RedConfig { probability, ecn, adaptive, ..red })
        },
    );
    let simple = prop_oneof![
        (0usize..20).prop_map(QdiscConfig::packets),
        (0u64..20_000).prop_map(QdiscConfig::bytes),
        tbf,
        fq,
        netem,
        codel,
        fq_codel,
        red
    ]
    .boxed();
    let htb = (rate(), simple.clone(), simple.clone()).prop_map(|(rate, first, second)| {
        let class =
            |id, queue| HtbClass { parent: Some(1), ceil: 2 * rate, queue, ..HtbClass::new(id, rate) };
        let filter = HtbFilter::new("udp or ip6".parse().unwrap(), 2);
        QdiscConfig::Htb(HtbConfig {
            default: Some(3),
            classes: vec![HtbClass::new(1, 2 * rate), class(2, first), class(3, second)],
            filters: vec![filter],
        })
    });
    prop_oneof![3 => simple, 1 => htb].boxed()
}

fn link_config() -> BoxedStrategy<LinkConfig> {
    let rate = prop_oneof![Just(None), (10_000u64..10_000_000_000).prop_map(Some)];
    let delay = prop_oneof![Just(0), 0..MS];
    let mtu = prop_oneof![3 => Just(None), 1 => (28usize..1600).prop_map(Some)];
    (rate, delay, impairments(), queue(), mtu)
        .prop_map(|(rate, delay, impairments, queue, mtu)| LinkConfig {
            rate,
            delay,
            impairments,
            queue,
            mtu,
        })
        .boxed()
}

pub fn action() -> BoxedStrategy<Action> {
    let target = || (any::<u8>(), any::<bool>()).prop_map(|(host, six)| Target { host, six });
    let flow = move || (any::<u8>(), target(), 1u64..20, 16usize..6000, 1..10 * MS);
    let tcp = (any::<u8>(), target(), prop_oneof![3 => 0u64..50_000, 1 => 0u64..500_000]);
    let algorithm = (0..Algorithm::NAMES.len()).prop_map(|n| Algorithm::named(Algorithm::NAMES[n]).unwrap());
    prop_oneof![
        3 => flow().prop_map(|(from, to, count, bytes, interval)| Action::Ping { from, to, count, bytes, interval }),
        2 => flow().prop_map(|(from, to, count, bytes, interval)| Action::Udp { from, to, count, bytes, interval }),
        3 => (tcp, algorithm).prop_map(|((from, to, bytes), algorithm)| Action::Tcp { from, to, bytes, algorithm }),
        1 => (0usize..10, any::<bool>(), link_config())
            .prop_map(|(link, forward, config)| Action::Change { link, forward, config: Box::new(config) }),
        1 => (0usize..10, any::<bool>()).prop_map(|(link, up)| Action::Up { link, up }),
        2 => (any::<u8>(), prop::sample::select(&TC[..])).prop_map(|(host, line)| Action::TcInterface { host, line }),
        1 => (any::<u8>(), 200usize..9000).prop_map(|(host, bytes)| Action::Mtu { host, bytes }),
        1 => any::<u8>().prop_map(|host| Action::Renumber { host }),
        1 => (any::<u8>(), any::<u8>()).prop_map(|(host, neighbour)| Action::Forget { host, neighbour }),
        6 => (1u64..2000).prop_map(|events| Action::Run { events }),
    ]
    .boxed()
}

/// Writes bytes to a connection and closes it.
struct Stream {
    to: (IpAddr, u16),
    left: u64,
    algorithm: Algorithm,
}

impl App for Stream {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let config = Config { congestion: self.algorithm.clone(), ..host.tcp_defaults() };
        // A host may have no address of that family.
        let _ = host.tcp_connect(self.to, config, &[]);
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } = *arrival else { return };
        if matches!(event, Event::Connected | Event::Writable) {
            self.left -= host.tcp_write(socket, Data::Pattern(self.left)).unwrap();
            if self.left == 0 {
                host.tcp_close(socket);
            }
        }
    }

    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        true
    }
}

/// Accepts connections and checks every received byte.
#[derive(Default)]
struct Sink(BTreeMap<SocketId, usize>);

impl App for Sink {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Tcp(9)).unwrap();
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let AppEvent::Tcp { socket, event } = *arrival else { return };
        match event {
            TcpEvent::Connection(Event::Readable) => {
                let place = self.0.entry(socket).or_default();
                // The size is a divisor of the pattern's length, so that each read lies within the
                // pattern.
                let mut buffer = [0; 1024];
                loop {
                    let start = *place % pattern().len();
                    let most = buffer.len() - start % buffer.len();
                    let read = host.tcp_read(socket, &mut buffer[..most]);
                    assert_eq!(buffer[..read], pattern()[start..start + read]);
                    *place += read;
                    if read == 0 {
                        break;
                    }
                }
            }
            TcpEvent::Connection(Event::PeerClosed) => host.tcp_close(socket),
            _ => {}
        }
    }

    fn is_self_contained(&self) -> bool {
        true
    }

    fn finished(&self) -> bool {
        true
    }
}

pub fn build_network(plan: &Plan) -> (Network, Vec<LinkId>) {
    let mut network = Network::new(plan.seed);
    network.track_packet_ids(true);
    let (relays, hosts) = (plan.relays.len(), plan.hosts.len() as u8);
    let parent = |relay: usize| usize::from(plan.relays[relay].0) % relay;
    let home = |host: usize| usize::from(plan.hosts[host].0) % relays;
    // The links: relays by number, the first free port of each.
    let mut ports = vec![0; relays];
    let mut port = |relay: usize| {
        ports[relay] += 1;
        LinkEnd::new(format!("s{relay}"), ports[relay] - 1)
    };
    let mut cables: Vec<(LinkEnd, LinkEnd)> =
        (1..relays).map(|relay| (port(parent(relay)), port(relay))).collect();
    for host in 0..plan.hosts.len() {
        cables.push((LinkEnd::new(format!("h{}", host + 1), 0), port(home(host))));
    }
    for (number, (_, hub, latency)) in plan.relays.iter().enumerate() {
        let mut relay =
            if *hub { Relay::hub(ports[number], *latency) } else { Relay::new(ports[number], *latency) };
        // One of the links loses packets and duplicates some.
        if number == 0 {
            relay.drop_every = Some(13);
            relay.doubling = plan.seed.is_multiple_of(2);
        }
        network.add_device(format!("s{number}"), Box::new(relay)).unwrap();
    }
    for n in 1..=hosts {
        let (_, six, processing_delay, processing_jitter) = plan.hosts[usize::from(n) - 1];
        let mut config = if plan.fixed { host_with_neighbours(n, hosts) } else { host(n) };
        if six {
            config.interfaces[0].addresses.push(format!("2001:db8::{n:x}/64").parse().unwrap());
        }
        network.add_host(HostConfig { processing_delay, processing_jitter, ..config }).unwrap();
    }
    let mut ids = Vec::new();
    for (number, (a, b)) in cables.into_iter().enumerate() {
        let mut config = plan.links[number].clone();
        if number == 0 {
            config.impairments.corrupt = plan.corrupt;
        }
        ids.push(network.connect(a, b, config).unwrap());
    }
    for n in 1..=hosts {
        network.start_app(&format!("h{n}"), 0, Box::new(UdpReceiver::new(9))).unwrap();
        network.start_app(&format!("h{n}"), 0, Box::new(Sink::default())).unwrap();
    }
    (network, ids)
}

pub fn run_action(network: &mut Network, plan: &Plan, links: &[LinkId], port: &mut u16, action: &Action) {
    let hosts = plan.hosts.len() as u8;
    let name = |host: u8| format!("h{}", host % hosts + 1);
    let interface =
        |network: &Network, host: u8| network.host(&name(host)).unwrap().config().interfaces[0].clone();
    match *action {
        Action::Ping { from, to, count, bytes, interval } => {
            let config =
                PingConfig { payload_bytes: bytes, interval, ..PingConfig::new(to.address(hosts), count) };
            network.start_ping(&name(from), config).unwrap();
        }
        Action::Udp { from, to, count, bytes, interval } => {
            *port += 1;
            let config = UdpSenderConfig {
                destination: (to.address(hosts), 9),
                source_port: *port,
                payload_bytes: bytes,
                interval,
                count,
            };
            network.start_app(&name(from), 0, Box::new(UdpSender::new(config).unwrap())).unwrap();
        }
        Action::Tcp { from, to, bytes, ref algorithm } => {
            let stream = Stream { to: (to.address(hosts), 9), left: bytes, algorithm: algorithm.clone() };
            network.start_app(&name(from), 0, Box::new(stream)).unwrap();
        }
        Action::Change { link, forward, ref config } => {
            let direction = if forward { Direction::Forward } else { Direction::Backward };
            network.set_link(links[link % links.len()], direction, (**config).clone()).unwrap();
        }
        Action::Up { link, up } => network.set_link_up(links[link % links.len()], up).unwrap(),
        // Not every order of the commands is valid.
        Action::TcInterface { host, line } => drop(network.tc(&name(host), line)),
        Action::Mtu { host, bytes } => {
            let config = InterfaceConfig { mtu: bytes, ..interface(network, host) };
            // The MTU may be too small for IPv4, or for IPv6.
            let _ = network.set_interface(&name(host), 0, config);
        }
        Action::Renumber { host } => {
            let mut config = interface(network, host);
            match config.addresses.iter().position(|prefix| prefix.to_string() == "10.0.0.200/24") {
                Some(place) => drop(config.addresses.remove(place)),
                None => config.addresses.insert(0, "10.0.0.200/24".parse().unwrap()),
            }
            network.set_interface(&name(host), 0, config).unwrap();
        }
        Action::Forget { host, neighbour } => {
            network.remove_neighbour(&name(host), 0, address(neighbour % hosts + 1)).unwrap();
        }
        Action::Run { events } => {
            network.run_slice(StopCondition::Idle { limit: FOREVER }, events);
        }
    }
}

proptest! {
    // Runs 51 cases, or a fifth of PROPTEST_CASES.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 5, ..ProptestConfig::default() })]

    #[test]
    fn any_network_balances_at_any_time(plan in random_plan(), actions in prop::collection::vec(action(), 1..30)) {
        let run = || {
            let (mut network, ids) = build_network(&plan);
            let capture = network.capture_to_memory(&[LinkEnd::new("s0", 0)]).unwrap();
            let mut port = 1000;
            for action in &actions {
                run_action(&mut network, &plan, &ids, &mut port, action);
                prop_assert_eq!(network.audit().violations, Vec::<String>::new());
            }
            let audit = check(&mut network);
            prop_assert_eq!(network.apps_running(), 0);
            Ok((network.now(), network.events_handled(), audit, network.finish_capture(capture).unwrap()))
        };
        prop_assert_eq!(run()?, run()?);
    }
}
