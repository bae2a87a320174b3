//! Runs in several threads: the same results as in one, and when several threads are used.

use crate::random::{Action, action, build_network, random_plan, run_action};
use crate::world::*;
use proptest::prelude::*;
use weir_sim::tcp::Algorithm;
use weir_sim::{
    App, AppEvent, Direction, HostContext, LinkConfig, LinkEnd, Network, PingConfig, TcpFlow, TcpFlowConfig,
    TcpOptions, UdpFlow, UdpFlowConfig, UdpReceiver, UdpSender, UdpSenderConfig, WatchConfig,
};

const LEAVES: u8 = 4;
const HOSTS: u8 = 12;

/// Returns a tree of a root relay and leaf relays with three hosts each. All links are equal, so
/// that many events of different nodes have the same time. Several parts run in one thread: the
/// results are the same, and threads wait for each other for long while other tests run.
fn tree(parts: usize, link: &LinkConfig) -> Network {
    let mut network = Network::new(7);
    network.set_threads(parts, run_in_threads);
    network.run_parts_eagerly(1);
    network.track_packet_ids(true);
    network.add_device("root", Box::new(Relay::new(LEAVES.into(), 1000))).unwrap();
    for leaf in 0..LEAVES {
        let name = format!("s{leaf}");
        network.add_device(&name, Box::new(Relay::new(4, 1000))).unwrap();
        network.connect(LinkEnd::new("root", leaf.into()), LinkEnd::new(name, 3), link.clone()).unwrap();
    }
    for n in 1..=HOSTS {
        network.add_host(host_with_neighbours(n, HOSTS)).unwrap();
        let leaf = LinkEnd::new(format!("s{}", (n - 1) / 3), u32::from(n - 1) % 3);
        network.connect(LinkEnd::new(format!("h{n}"), 0), leaf, link.clone()).unwrap();
    }
    network
}

fn equal_links() -> LinkConfig {
    LinkConfig { rate: Some(100_000_000), delay: MS / 10, ..LinkConfig::default() }
}

fn datagrams(to: u8) -> UdpSenderConfig {
    UdpSenderConfig {
        destination: (address(to), 9),
        source_port: 1000,
        payload_bytes: 958,
        interval: 80_000,
        count: 400,
    }
}

/// Starts all hosts at the same time, with TCP to one host of the next leaf and UDP to another.
fn run_symmetric(parts: usize, threads: usize) -> (String, Vec<u8>) {
    let mut network = tree(parts, &equal_links());
    network.run_parts_eagerly(threads);
    let capture = network.capture_to_memory(&[LinkEnd::new("root", 0), LinkEnd::new("root", 1)]).unwrap();
    let watch = network.watch(&[LinkEnd::new("h3", 0)], WatchConfig::default()).unwrap();
    let mut flows = Vec::new();
    for n in (1..=HOSTS).rev() {
        let to = (n + 2) % HOSTS + 1;
        network.start_app(&format!("h{n}"), 0, Box::new(UdpReceiver::new(9))).unwrap();
        network.start_app(&format!("h{n}"), 0, Box::new(UdpSender::new(datagrams(to)).unwrap())).unwrap();
        let congestion = if n % 2 == 0 { Algorithm::Cubic } else { Algorithm::Bbr };
        let options = TcpOptions { congestion: Some(congestion), ..TcpOptions::default() };
        let config = TcpFlowConfig {
            options,
            reverse: n % 3 == 0,
            interval: Some(10 * MS),
            ..TcpFlowConfig::new((address(to), 5201), 60 * MS)
        };
        flows.push(network.start_tcp_flow(&format!("h{n}"), &format!("h{to}"), config).unwrap());
    }
    network.run_until(40 * MS);
    network.start_ping("h1", PingConfig { interval: MS, ..PingConfig::new(address(HOSTS), 20) }).unwrap();
    network.run_until(90 * MS);
    let frames = network.take_watched(watch).unwrap();
    let audit = check(&mut network);
    let reports: Vec<_> = flows.iter().map(|flow| network.app::<TcpFlow>(*flow).unwrap().report()).collect();
    assert!(reports.iter().all(|report| report.received > 0), "{reports:?}");
    assert_eq!(network.parallel_work().windows > 0, parts > 1);
    let clock = (network.now(), network.events_handled(), network.hops());
    (format!("{clock:?} {audit:?} {reports:?} {frames:?}"), network.finish_capture(capture).unwrap())
}

#[test]
fn equal_times_have_the_same_order_in_any_number_of_threads() {
    let alone = run_symmetric(1, 1);
    for (parts, threads) in [(2, 1), (3, 1), (4, 1), (7, 1), (17, 1), (2, 2), (5, 3)] {
        assert!(run_symmetric(parts, threads) == alone, "{parts} parts in {threads} threads");
    }
}

/// Returns the number of parts that have handled events of a network.
fn busy_parts(network: &Network) -> usize {
    network.parallel_work().events.iter().filter(|events| **events > 0).count()
}

#[test]
fn all_parts_share_the_work() {
    let mut network = tree(4, &equal_links());
    for n in 1..=HOSTS {
        network.start_app(&format!("h{n}"), 0, Box::new(UdpReceiver::new(9))).unwrap();
        let to = (n + 2) % HOSTS + 1;
        network.start_app(&format!("h{n}"), 0, Box::new(UdpSender::new(datagrams(to)).unwrap())).unwrap();
    }
    network.run_until(50 * MS);
    let work = network.parallel_work();
    assert_eq!(busy_parts(&network), 4, "{work:?}");
    let (most, all) = (work.events.iter().max().unwrap(), work.events.iter().sum::<u64>());
    assert!(most * 2 < all, "{work:?}");
    assert!(work.messages > 0 && work.critical_events < all && work.critical_events >= *most, "{work:?}");
}

#[test]
fn links_without_delay_stay_in_one_part() {
    let mut network = tree(4, &LinkConfig { delay: 0, ..equal_links() });
    network.start_ping("h1", PingConfig::new(address(HOSTS), 3)).unwrap();
    network.run_until(SECOND);
    assert_eq!(busy_parts(&network), 0);
}

#[test]
fn ends_of_udp_flows_stay_in_one_part() {
    let run = |parts| {
        let mut network = tree(parts, &equal_links());
        let flow = |to: u8| UdpFlowConfig::new((address(to), 7), 10_000_000, SECOND / 2);
        let flows = [("h1", 6), ("h2", 9), ("h9", 1)]
            .map(|(from, to)| network.start_udp_flow(from, &format!("h{to}"), flow(to)).unwrap());
        network.run_until(10 * SECOND);
        assert_eq!(busy_parts(&network) > 1, parts > 1);
        check(&mut network);
        flows.map(|flow| network.app::<UdpFlow>(flow).unwrap().report())
    };
    let alone = run(1);
    assert!(alone.iter().all(|report| report.received > 400));
    assert_eq!(run(3), alone);
}

/// An application that may do anything.
struct Unknown;

impl App for Unknown {
    fn start(&mut self, _: &mut HostContext<'_>) {}

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, _: &AppEvent<'_>, _: &mut HostContext<'_>) {}

    fn finished(&self) -> bool {
        true
    }
}

#[test]
fn nodes_that_affect_each_other_run_in_one_thread() {
    let run = |change: fn(&mut Network)| {
        let mut network = tree(2, &equal_links());
        network.start_ping("h1", PingConfig { interval: MS, ..PingConfig::new(address(HOSTS), 5) }).unwrap();
        change(&mut network);
        network.run_until(SECOND);
        busy_parts(&network)
    };
    assert_eq!(run(|_| {}), 2);
    assert_eq!(
        run(|network| {
            network.start_app("h5", 0, Box::new(Unknown)).unwrap();
        }),
        0
    );
    let ends = [LinkEnd::new("h2", 0)];
    let stops = WatchConfig { stops: true, ..WatchConfig::default() };
    let mut network = tree(2, &equal_links());
    network.watch(&ends, stops).unwrap();
    network.start_ping("h1", PingConfig::new(address(2), 1)).unwrap();
    network.run_until(SECOND);
    assert_eq!(busy_parts(&network), 0);
}

#[test]
fn a_run_until_traffic_has_finished_ends_at_the_same_event() {
    let run = |parts| {
        let mut network = tree(parts, &equal_links());
        network.start_ping("h1", PingConfig { interval: MS, ..PingConfig::new(address(HOSTS), 5) }).unwrap();
        let result = network.run_until_finished(SECOND);
        (result, network.now(), network.hops())
    };
    assert_eq!(run(1), run(3));
}

proptest! {
    // Runs 51 cases, or a fifth of PROPTEST_CASES.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 5, ..ProptestConfig::default() })]

    #[test]
    fn threads_change_no_network(plan in random_plan(), actions in prop::collection::vec(action(), 1..30)) {
        let run = |parts: usize| {
            let (mut network, ids) = build_network(&plan);
            network.set_threads(parts, run_in_threads);
            network.run_parts_eagerly(1);
            let captures = [LinkEnd::new("s0", 0), LinkEnd::new("h1", 0)]
                .map(|end| network.capture_to_memory(&[end]).unwrap());
            let mut port = 1000;
            for action in &actions {
                // A slice in several parts has only about the given number of events.
                match action {
                    Action::Run { events } => drop(network.run_for(events * MS / 20)),
                    action => run_action(&mut network, &plan, &ids, &mut port, action),
                }
                prop_assert_eq!(network.audit().violations, Vec::<String>::new());
            }
            let audit = check(&mut network);
            let hosts = network.nodes().into_iter().filter(|node| node.is_host);
            let counters: Vec<_> = hosts.map(|node| network.host(&node.name).unwrap().counters().clone()).collect();
            let links: Vec<_> = (ids.iter())
                .flat_map(|id| Direction::BOTH.map(|side| network.link_counters(*id, side).unwrap()))
                .collect();
            let captures = captures.map(|capture| network.finish_capture(capture).unwrap());
            Ok(((network.now(), network.events_handled(), network.hops()), (audit, counters, links), captures))
        };
        let alone = run(1)?;
        for parts in 2..=4 {
            prop_assert_eq!(&alone, &run(parts)?);
        }
    }
}
