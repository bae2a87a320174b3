//! Any network balances at any time, and runs the same again.

mod world;

use std::collections::BTreeMap;
use std::net::IpAddr;

use proptest::prelude::*;
use weir_sim::tcp::{Algorithm, Config, Event, pattern};
use weir_sim::{
    App, Arrival, Binding, Data, Direction, End, FqConfig, Goal, HostContext, HtbClass, HtbConfig, HtbFilter,
    Impairments, Jitter, LinkConfig, LinkId, Loss, NetemConfig, Network, PingConfig, QdiscConfig, SocketId,
    TbfConfig, TcpEvent, UdpReceiver, UdpSender, UdpSenderConfig,
};
use world::*;

/// What happens to a network between two slices of its run.
#[derive(Clone, Debug)]
enum Action {
    Ping { from: u8, to: u8, count: u64, bytes: usize, interval: u64 },
    Udp { from: u8, to: u8, count: u64, bytes: usize, interval: u64 },
    Tcp { from: u8, to: u8, bytes: u64, algorithm: Algorithm },
    Change { link: usize, config: Box<LinkConfig> },
    Up { link: usize, up: bool },
    Forget { host: u8, neighbour: u8 },
    Run { events: u64 },
}

fn impairments() -> impl Strategy<Value = Impairments> {
    let jitter = prop_oneof![
        (0..MS).prop_map(Jitter::Uniform),
        (0..MS).prop_map(Jitter::UniformAround),
        (0..MS).prop_map(|sigma| Jitter::Normal { sigma }),
        (0..MS).prop_map(|mean| Jitter::Exponential { mean }),
        (0..MS, 0.5..5.0).prop_map(|(scale, shape)| Jitter::Pareto { scale, shape }),
        prop::collection::vec(0..MS, 1..5).prop_map(|values| Jitter::Table(values.into())),
    ];
    let loss = prop_oneof![
        (0.0..=1.0).prop_map(Loss::Random),
        (0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0)
            .prop_map(|(enter, leave, good, bad)| Loss::GilbertElliott { enter, leave, good, bad }),
        (1u64..20).prop_map(Loss::Every),
    ];
    let effects = (jitter, any::<bool>(), loss, 0.0..=1.0, prop::option::of((0.0..=1.0, 0..MS)));
    let some = effects.prop_map(|(jitter, overtake, loss, duplicate, reorder)| Impairments {
        jitter,
        overtake,
        loss,
        duplicate,
        reorder,
    });
    prop_oneof![Just(Impairments::default()), some]
}

fn queue() -> impl Strategy<Value = QdiscConfig> {
    let rate = || 100_000u64..1_000_000_000;
    let tbf = (rate(), 500u64..5000, 0u64..20_000).prop_map(|(rate, burst, limit)| {
        QdiscConfig::Tbf(TbfConfig { rate, burst, limit: limit + 1, queue: None })
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
                hurry: Some((0.1, 2)),
                queue: None,
            })
        },
    );
    let simple = prop_oneof![
        (0usize..20).prop_map(QdiscConfig::packets),
        (0u64..20_000).prop_map(QdiscConfig::bytes),
        tbf,
        fq,
        netem
    ];
    let htb = (rate(), simple.clone(), simple.clone()).prop_map(|(rate, first, second)| {
        let class =
            |id, queue| HtbClass { parent: Some(1), ceil: 2 * rate, queue, ..HtbClass::new(id, rate) };
        let filter = HtbFilter { priority: 1, filter: "udp or ip6".parse().unwrap(), class: 2 };
        QdiscConfig::Htb(HtbConfig {
            default: Some(3),
            classes: vec![HtbClass::new(1, 2 * rate), class(2, first), class(3, second)],
            filters: vec![filter],
        })
    });
    prop_oneof![3 => simple, 1 => htb]
}

fn link_config() -> impl Strategy<Value = LinkConfig> {
    let rate = prop_oneof![Just(None), (10_000u64..10_000_000_000).prop_map(Some)];
    let delay = prop_oneof![Just(0), 0..MS];
    let mtu = prop_oneof![3 => Just(None), 1 => (28usize..1600).prop_map(Some)];
    (rate, delay, impairments(), queue(), mtu).prop_map(|(rate, delay, impairments, queue, mtu)| LinkConfig {
        rate,
        delay,
        impairments,
        queue,
        mtu,
    })
}

fn action(hosts: u8) -> impl Strategy<Value = Action> {
    let flow = move || (1..=hosts, 1..=hosts + 1, 1u64..20, 16usize..6000, 1..10 * MS);
    let link = 0..usize::from(hosts) + 1;
    prop_oneof![
        3 => flow().prop_map(|(from, to, count, bytes, interval)| Action::Ping { from, to, count, bytes, interval }),
        2 => flow().prop_map(|(from, to, count, bytes, interval)| Action::Udp { from, to, count, bytes, interval }),
        2 => (1..=hosts, 1..=hosts + 1, 0u64..50_000, prop_oneof![Just(Algorithm::Reno), Just(Algorithm::Cubic), Just(Algorithm::Bbr)])
            .prop_map(|(from, to, bytes, algorithm)| Action::Tcp { from, to, bytes, algorithm }),
        1 => (link.clone(), link_config()).prop_map(|(link, config)| Action::Change { link, config: Box::new(config) }),
        1 => (link, any::<bool>()).prop_map(|(link, up)| Action::Up { link, up }),
        1 => (1..=hosts, 1..=hosts).prop_map(|(host, neighbour)| Action::Forget { host, neighbour }),
        6 => (1u64..2000).prop_map(|events| Action::Run { events }),
    ]
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
        // A host that is not there has no route problem: it is on the link.
        host.tcp_connect(self.to, config, &[]).unwrap();
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>) {
        let Arrival::Tcp { socket, event: TcpEvent::Of(event) } = *arrival else { return };
        if matches!(event, Event::Connected | Event::Writable) {
            self.left -= host.tcp_write(socket, Data::Pattern(self.left)).unwrap();
            if self.left == 0 {
                host.tcp_close(socket);
            }
        }
    }

    fn finished(&self) -> bool {
        true
    }
}

/// Takes connections and checks what comes, byte by byte.
#[derive(Default)]
struct Sink(BTreeMap<SocketId, usize>);

impl App for Sink {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Tcp(9)).unwrap();
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &Arrival<'_>, host: &mut HostContext<'_>) {
        let Arrival::Tcp { socket, event } = *arrival else { return };
        match event {
            TcpEvent::Of(Event::Readable) => {
                let place = self.0.entry(socket).or_default();
                let mut room = [0; 1000];
                loop {
                    let read = host.tcp_read(socket, &mut room);
                    assert_eq!(room[..read], pattern()[*place..*place + read]);
                    *place += read;
                    if read == 0 {
                        break;
                    }
                }
            }
            TcpEvent::Of(Event::PeerClosed) => host.tcp_close(socket),
            _ => {}
        }
    }

    fn finished(&self) -> bool {
        true
    }
}

/// Half the hosts around each of two relays, with a link between these.
fn build(seed: u64, hosts: u8, links: &[LinkConfig], fixed: bool) -> (Network, Vec<LinkId>) {
    let mut network = Network::new(seed);
    network.watch_ids(true);
    let ports = u32::from(hosts) + 1;
    let mut odd = Relay::new(ports, 1000);
    odd.drop_every = Some(13);
    odd.doubling = seed.is_multiple_of(2);
    network.add_device("s0", Box::new(Relay::hub(ports, 500))).unwrap();
    network.add_device("s1", Box::new(odd)).unwrap();
    let mut ids = vec![network.connect(End::new("s0", 0), End::new("s1", 0), links[0].clone()).unwrap()];
    for n in 1..=hosts {
        let config = if fixed { host_with_neighbours(n, hosts) } else { host(n) };
        network
            .add_host(weir_sim::HostConfig { processing_delay: u64::from(n % 2) * 700, ..config })
            .unwrap();
        let relay = End::new(format!("s{}", n % 2), u32::from(n));
        ids.push(
            network.connect(End::new(format!("h{n}"), 0), relay, links[usize::from(n)].clone()).unwrap(),
        );
        network.start_app(&format!("h{n}"), 0, Box::new(UdpReceiver::new(9))).unwrap();
        network.start_app(&format!("h{n}"), 0, Box::new(Sink::default())).unwrap();
    }
    (network, ids)
}

fn act(network: &mut Network, links: &[LinkId], port: &mut u16, action: &Action) {
    match *action {
        Action::Ping { from, to, count, bytes, interval } => {
            let config = PingConfig { payload_bytes: bytes, interval, ..PingConfig::new(address(to), count) };
            network.start_ping(&format!("h{from}"), config).unwrap();
        }
        Action::Udp { from, to, count, bytes, interval } => {
            *port += 1;
            let config = UdpSenderConfig {
                destination: (address(to), 9),
                source_port: *port,
                payload_bytes: bytes,
                interval,
                count,
            };
            network.start_app(&format!("h{from}"), 0, Box::new(UdpSender::new(config).unwrap())).unwrap();
        }
        Action::Tcp { from, to, bytes, ref algorithm } => {
            let stream = Stream { to: (address(to), 9), left: bytes, algorithm: algorithm.clone() };
            network.start_app(&format!("h{from}"), 0, Box::new(stream)).unwrap();
        }
        Action::Change { link, ref config } => {
            network.set_link(links[link], Direction::Backward, (**config).clone()).unwrap();
        }
        Action::Up { link, up } => network.set_link_up(links[link], up).unwrap(),
        Action::Forget { host, neighbour } => {
            network.remove_neighbour(&format!("h{host}"), 0, address(neighbour)).unwrap();
        }
        Action::Run { events } => {
            network.run_slice(Goal::Idle { limit: FOREVER }, events);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_network_balances_at_any_time(
        seed in any::<u64>(),
        fixed in any::<bool>(),
        links in prop::collection::vec(link_config(), 5),
        actions in prop::collection::vec(action(4), 1..30),
    ) {
        let run = || {
            let (mut network, ids) = build(seed, 4, &links, fixed);
            let capture = network.capture_to_memory(&[End::new("s0", 0), End::new("s1", 0)]).unwrap();
            let mut port = 1000;
            for action in &actions {
                act(&mut network, &ids, &mut port, action);
                prop_assert_eq!(network.audit().violations, Vec::<String>::new());
            }
            let audit = check(&mut network);
            prop_assert_eq!(network.apps_running(), 0);
            Ok((network.now(), network.events_handled(), audit, network.finish_capture(capture).unwrap()))
        };
        prop_assert_eq!(run()?, run()?);
    }
}
