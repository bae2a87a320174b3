//! One busy network, compared byte by byte: the same in each run, in debug and release builds, and
//! on any machine.
//!
//! The test prints its digest, and `.ci/run` compares the digests of a debug and a release build,
//! on all cores and on one.

#[path = "network/world/mod.rs"]
mod world;

use std::fmt::Write as _;

use weir_sim::tcp::Algorithm;
use weir_sim::{
    Arrivals, Direction, FqConfig, Impairments, Jitter, LinkConfig, LinkEnd, Loss, Network, PingConfig,
    QdiscConfig, Sizes, TcpExchanges, TcpExchangesConfig, TcpFlow, TcpFlowConfig, TcpOptions, UdpExchanges,
    UdpExchangesConfig, UdpReceiver, UdpSender, UdpSenderConfig,
};
use world::*;

/// Computes FNV-1a with 64 bits.
fn digest(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn links() -> [LinkConfig; 5] {
    let plain = LinkConfig { rate: Some(20_000_000), delay: MS, ..LinkConfig::default() };
    let impaired = |jitter, loss| Impairments { jitter, loss, ..Impairments::default() };
    let burst = Loss::GilbertElliott { enter: 0.01, leave: 0.3, good: 0.0, bad: 0.5 };
    [
        LinkConfig {
            rate: Some(10_000_000),
            delay: 5 * MS,
            queue: QdiscConfig::packets(60),
            ..plain.clone()
        },
        LinkConfig { impairments: impaired(Jitter::Normal { sigma: MS / 4 }, burst), ..plain.clone() },
        LinkConfig {
            impairments: Impairments {
                duplicate: 0.01,
                reorder: Some((0.02, MS)),
                ..impaired(Jitter::Pareto { scale: 1000, shape: 2.5 }, Loss::Random(0.002))
            },
            ..plain.clone()
        },
        LinkConfig {
            queue: QdiscConfig::Fq(FqConfig { maxrate: Some(4_000_000), ..FqConfig::default() }),
            ..plain.clone()
        },
        LinkConfig {
            impairments: impaired(Jitter::Exponential { mean: MS / 10 }, Loss::Every(401)),
            ..plain
        },
    ]
}

/// Returns a network that runs in this number of parts wherever that is possible.
fn network_in(parts: usize) -> Network {
    let mut network = Network::new(2026);
    network.set_threads(parts, run_in_threads);
    network.run_parts_eagerly(1);
    network
}

/// Runs the network in this number of parts. Returns a line for each flow, and digests of all
/// captures and results.
fn run(parts: usize) -> String {
    let mut network = network_in(parts);
    network.track_packet_ids(true);
    let [trunk, edges @ ..] = links();
    network.add_device("s1", Box::new(Relay::new(3, 1000))).unwrap();
    network.add_device("s2", Box::new(Relay::new(3, 340_000))).unwrap();
    let trunk = network.connect(LinkEnd::new("s1", 0), LinkEnd::new("s2", 0), trunk).unwrap();
    for (n, edge) in (1u8..).zip(edges) {
        network.add_host(host(n)).unwrap();
        let relay = LinkEnd::new(if n < 3 { "s1" } else { "s2" }, 1 + u32::from(n - 1) % 2);
        network.connect(LinkEnd::new(format!("h{n}"), 0), relay, edge).unwrap();
    }
    let ends = [LinkEnd::new("s1", 0), LinkEnd::new("h1", 0), LinkEnd::new("h3", 0)];
    let capture = network.capture_to_memory(&ends).unwrap();
    let flow = |congestion| TcpFlowConfig {
        options: TcpOptions { congestion: Some(congestion), ..TcpOptions::default() },
        ..TcpFlowConfig::new((address(3), 5201), 3 * SECOND)
    };
    let flows = [
        network.start_tcp_flow("h1", "h3", flow(Algorithm::Cubic)).unwrap(),
        network.start_tcp_flow("h2", "h3", flow(Algorithm::Bbr)).unwrap(),
    ];
    network.start_app("h4", 0, Box::new(UdpReceiver::new(9))).unwrap();
    let datagrams = UdpSenderConfig {
        destination: (address(4), 9),
        source_port: 1000,
        payload_bytes: 3000,
        interval: 7 * MS,
        count: 500,
    };
    network.start_app("h2", 0, Box::new(UdpSender::new(datagrams).unwrap())).unwrap();
    network.start_ping("h3", PingConfig { interval: 50 * MS, ..PingConfig::new(address(1), 40) }).unwrap();
    network.run_until(SECOND);
    let slower = LinkConfig { rate: Some(5_000_000), ..links()[0].clone() };
    network.set_link(trunk, Direction::Forward, slower).unwrap();
    network.run_until(2 * SECOND);
    network.set_link_up(trunk, false).unwrap();
    network.run_until(2 * SECOND + 100 * MS);
    network.set_link_up(trunk, true).unwrap();
    let reports = {
        network.run_until(60 * SECOND);
        flows.map(|app| network.app::<TcpFlow>(app).unwrap().report())
    };
    let mut summary = String::new();
    for report in &reports {
        writeln!(summary, "{} bytes received, {:?}", report.received, report.closed).unwrap();
        assert!(report.received > 100_000, "{report:?}");
    }
    let audit = check(&mut network);
    let results = format!("{reports:?} {audit:?}");
    let captured = network.finish_capture(capture).unwrap();
    writeln!(summary, "{} hops, {} bytes captured", network.hops(), captured.len()).unwrap();
    writeln!(summary, "captures {:016x}, results {:016x}", digest(&captured), digest(results.as_bytes()))
        .unwrap();
    assert_eq!(network.parallel_work().windows > 0, parts > 1);
    summary
}

/// Runs exchanges over TCP and UDP with all schedules over a lossy link. Returns their results.
fn requests(parts: usize) -> String {
    let mut network = network_in(parts);
    let losses = Impairments { loss: Loss::Random(0.02), ..Impairments::default() };
    let link = LinkConfig { rate: Some(20_000_000), delay: MS, impairments: losses, ..LinkConfig::default() };
    for n in [1, 2] {
        network.add_host(host(n)).unwrap();
    }
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    let courses = [
        (Arrivals::Sequential { think: 0 }, Sizes::Choice(vec![100, 3000])),
        (Arrivals::Sequential { think: 3 * MS }, Sizes::Exponential { mean: 500.0 }),
        (Arrivals::Poisson { mean: 20e6 }, Sizes::Exponential { mean: 2000.0 }),
        (Arrivals::At(vec![5 * MS, 0, 5 * MS]), Sizes::Fixed(700)),
    ];
    let mut apps = Vec::new();
    for (course, (port, (arrivals, sizes))) in (1000..).zip(courses).enumerate() {
        let (request, response) = (sizes.clone(), sizes);
        let tcp = TcpExchangesConfig {
            destination: (address(2), port),
            arrivals: arrivals.clone(),
            count: 100,
            request: request.clone(),
            response: response.clone(),
            keep_connection: course == 0,
            options: TcpOptions::default(),
        };
        let udp = UdpExchangesConfig {
            destination: (address(2), port),
            arrivals,
            count: 100,
            request,
            response,
            class: 0,
            timeout: 30 * MS,
            tries: 3,
        };
        apps.push((
            network.start_tcp_exchanges("h1", "h2", tcp).unwrap(),
            network.start_udp_exchanges("h1", "h2", udp).unwrap(),
        ));
    }
    network.run_until(600 * SECOND);
    let mut results = format!("{:?}", check(&mut network));
    let mut rows = 0;
    for (tcp, udp) in apps {
        let (tcp, udp) =
            (network.app::<TcpExchanges>(tcp).unwrap(), network.app::<UdpExchanges>(udp).unwrap());
        rows += tcp.rows().len() + udp.rows().len();
        write!(results, "{:?} {:?}", tcp.rows(), udp.rows()).unwrap();
    }
    let captured = network.finish_capture(capture).unwrap();
    let digests = (digest(&captured), digest(results.as_bytes()));
    format!("{rows} exchanges, captures {:016x}, results {:016x}", digests.0, digests.1)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the caller owns the threads")]
fn parallel_networks_are_independent() {
    let alone = run(1);
    let together =
        std::thread::scope(|scope| [(); 3].map(|()| scope.spawn(|| run(1))).map(|run| run.join().unwrap()));
    assert_eq!(together, [alone.as_str(); 3]);
}

#[test]
fn results_do_not_depend_on_threads() {
    let alone = (run(1), requests(1));
    for parts in 2..=5 {
        assert_eq!((run(parts), requests(parts)), alone, "{parts} parts");
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "other builds have to print the same")]
fn busy_networks_are_deterministic() {
    let summary = run(1);
    assert_eq!(summary, run(1));
    let requests_summary = requests(1);
    assert_eq!(requests_summary, requests(1));
    summary.lines().chain([requests_summary.as_str()]).for_each(|line| println!("digest: {line}"));
}
