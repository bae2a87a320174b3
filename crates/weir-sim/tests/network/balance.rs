//! Traffic that a device distributes over several servers: any of them serves it, and the results
//! name the server.

use std::collections::BTreeSet;

use crate::world::*;
use weir_sim::tcp::Closed;
use weir_sim::{
    Arrivals, Binding, Direction, Error, HostConfig, LinkConfig, LinkEnd, MacAddress, Network, Sizes,
    StopCondition, StopReason, TcpExchanges, TcpExchangesConfig, TcpFlowConfig, TcpOptions, TcpServer,
    UdpExchanges, UdpExchangesConfig, UdpFlow, UdpFlowConfig, UdpReceiver,
};

const SERVERS: [&str; 3] = ["h2", "h3", "h4"];

/// Spreads datagrams and segments by their source port, unless they are fragments.
fn by_source_port(frame: &[u8], _: u64) -> u32 {
    1 + u32::from(u16::from_be_bytes([frame[34], frame[35]])) % 3
}

/// Spreads packets round robin.
fn round_robin(_: &[u8], before: u64) -> u32 {
    1 + (before % 3) as u32
}

/// Creates h1, a load balancer, and three hosts with the same address.
fn balanced_network(spread: fn(&[u8], u64) -> u32) -> Network {
    let mut network = Network::new(7);
    network.track_packet_ids(true);
    let mut relay = Relay::new(4, 1000);
    relay.spread = Some(spread);
    network.add_device("s1", Box::new(relay)).unwrap();
    let link = LinkConfig { rate: Some(10_000_000), delay: MS, ..LinkConfig::default() };
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    for name in SERVERS {
        let anycast = HostConfig { name: name.to_owned(), ..host_with_neighbours(2, 2) };
        assert_eq!(anycast.interfaces[0].mac, MacAddress([8, 0, 0, 0, 0, 2]));
        network.add_host(anycast).unwrap();
    }
    for (port, name) in (0..).zip(["h1", "h2", "h3", "h4"]) {
        network.connect(LinkEnd::new(name, 0), LinkEnd::new("s1", port), link.clone()).unwrap();
    }
    network
}

fn run_until_app_finished(network: &mut Network, app: weir_sim::AppId) {
    assert_eq!(
        network.run_slice(StopCondition::AppFinished { app, limit: FOREVER }, u64::MAX).stop,
        StopReason::Reached
    );
}

fn exchanges(keep_connection: bool, response: u64) -> TcpExchangesConfig {
    TcpExchangesConfig {
        destination: (address(2), 80),
        arrivals: Arrivals::Sequential { think: 0 },
        count: 12,
        request: Sizes::Fixed(100),
        response: Sizes::Fixed(response),
        keep_connection,
        options: TcpOptions::default(),
    }
}

#[test]
fn accepting_hosts_serve_flows() {
    for reverse in [false, true] {
        let mut network = balanced_network(by_source_port);
        let config = TcpFlowConfig {
            bytes: Some(100_000),
            duration: None,
            reverse,
            ..TcpFlowConfig::new((address(2), 5201), SECOND)
        };
        let flows = [(); 6].map(|()| network.start_tcp_flow("h1", SERVERS, config.clone()).unwrap());
        network.run_until(50 * MS);
        // Reports and pacing of a running flow apply to the sending end.
        assert!(network.tcp_report(flows[0]).unwrap().info.unwrap().written > 0);
        network.pace_tcp_flow(flows[0], Some(5_000_000)).unwrap();
        let mut places = BTreeSet::new();
        for flow in flows {
            run_until_app_finished(&mut network, flow);
            let report = network.tcp_report(flow).unwrap();
            assert_eq!((report.received, report.closed), (100_000, Some(Closed::Both)), "{reverse}");
            let port = report.ends.unwrap()[0].1;
            assert_eq!(report.server, Some(usize::from(port % 3)));
            places.extend(report.server);
        }
        assert_eq!(places.len(), 3);
        network.run_until(network.now() + 200 * SECOND);
        let accepted = SERVERS.map(|name| {
            let server = network.bound_app(name, Binding::Tcp(5201)).unwrap().unwrap();
            let server = network.app::<TcpServer>(server).unwrap();
            assert_eq!((server.open_connections(), server.received() > 0), (0, !reverse));
            server.accepted()
        });
        assert_eq!(accepted.iter().sum::<u64>(), 6);
        check(&mut network);
    }
}

#[test]
fn exchanges_name_their_server() {
    for (keep, response) in [(false, 5000), (true, 5000), (false, 0)] {
        let mut network = balanced_network(by_source_port);
        let app = network.start_tcp_exchanges("h1", SERVERS, exchanges(keep, response)).unwrap();
        run_until_app_finished(&mut network, app);
        let rows = network.app::<TcpExchanges>(app).unwrap().rows();
        assert!(rows.len() == 12 && rows.iter().all(|row| row.finished.is_some()));
        let places: BTreeSet<_> = rows.iter().map(|row| row.server.unwrap()).collect();
        assert_eq!(places.len(), if keep { 1 } else { 3 });
    }
}

#[test]
fn unnamed_servers_do_not_serve() {
    let mut network = balanced_network(by_source_port);
    for name in SERVERS {
        network.serve_tcp(name, 80).unwrap();
    }
    let app = network.start_tcp_exchanges("h1", ["h2", "h3"], exchanges(false, 0)).unwrap();
    run_until_app_finished(&mut network, app);
    let rows = network.app::<TcpExchanges>(app).unwrap().rows();
    let unserved = rows.iter().filter(|row| row.server.is_none()).count();
    assert!((1..12).contains(&unserved));
    assert!(rows.iter().all(|row| row.server.is_none() == row.finished.is_none()));
}

#[test]
fn datagrams_count_wherever_they_arrive() {
    for (spread, each) in [(by_source_port as fn(&[u8], u64) -> u32, false), (round_robin, true)] {
        let mut network = balanced_network(spread);
        // Another flow uses the first number at one of the servers.
        let config = UdpFlowConfig {
            datagrams: Some(30),
            duration: None,
            source_port: Some(6000),
            ..UdpFlowConfig::new((address(2), 5001), 1_000_000, SECOND)
        };
        let other = UdpFlowConfig { source_port: Some(6001), ..config.clone() };
        let alone = network.start_udp_flow("h1", "h3", other).unwrap();
        let app = network.start_udp_flow("h1", SERVERS, config).unwrap();
        run_until_app_finished(&mut network, app);
        let report = network.app::<UdpFlow>(app).unwrap().report();
        assert_eq!((report.sent, report.received, report.duplicates), (30, 30, 0));
        assert_eq!(report.by_server.iter().sum::<u64>(), 30);
        assert_eq!(report.by_server.iter().filter(|count| **count > 0).count(), if each { 3 } else { 1 });
        assert!(report.by_server[report.server.unwrap()] > 0);
        if !each {
            let alone = network.app::<UdpFlow>(alone).unwrap().report();
            assert_eq!((alone.received, alone.server, alone.by_server.len()), (30, Some(0), 0));
        }
    }
}

#[test]
fn reverse_datagrams_come_from_the_first_server() {
    let config = UdpFlowConfig {
        datagrams: Some(30),
        duration: None,
        reverse: true,
        ..UdpFlowConfig::new((address(2), 5001), 1_000_000, SECOND)
    };
    let flow = |network: &mut Network| {
        let app = network.start_udp_flow("h1", SERVERS, config.clone()).unwrap();
        run_until_app_finished(network, app);
        let report = network.app::<UdpFlow>(app).unwrap().report();
        assert_eq!((report.sent, report.received, report.duplicates), (30, 30, 0));
        assert!(report.by_server.is_empty());
        report.server.unwrap()
    };
    let mut network = balanced_network(by_source_port);
    let places: BTreeSet<_> = [(); 6].map(|()| flow(&mut network)).into();
    assert_eq!(places.len(), 3);
    // The client asks once per second, each time another server, before the first datagram arrives.
    let mut network = balanced_network(round_robin);
    let slow = LinkConfig { delay: 3 * SECOND / 2, ..LinkConfig::default() };
    let link = network.links()[0].id;
    for direction in [Direction::Forward, Direction::Backward] {
        network.set_link(link, direction, slow.clone()).unwrap();
    }
    assert_eq!(flow(&mut network), 0);
    check(&mut network);
}

#[test]
fn udp_requests_are_answered() {
    let mut network = balanced_network(round_robin);
    let config = UdpExchangesConfig {
        destination: (address(2), 53),
        arrivals: Arrivals::Sequential { think: 0 },
        count: 12,
        request: Sizes::Fixed(100),
        response: Sizes::Fixed(1000),
        class: 0,
        timeout: SECOND,
        tries: 1,
    };
    let app = network.start_udp_exchanges("h1", SERVERS, config).unwrap();
    run_until_app_finished(&mut network, app);
    let places: Vec<_> =
        network.app::<UdpExchanges>(app).unwrap().rows().iter().map(|row| row.server).collect();
    // The device counts responses, too.
    assert_eq!(places, [Some(0), Some(2), Some(1)].repeat(4));
}

/// Records of finished flows are removed, regardless of the number of servers.
#[test]
fn servers_forget_flows_together() {
    let mut network = balanced_network(by_source_port);
    for reverse in [false, true].repeat(40) {
        let config = UdpFlowConfig {
            datagrams: Some(1),
            duration: None,
            reverse,
            ..UdpFlowConfig::new((address(2), 5001), 1_000_000, SECOND)
        };
        let app = network.start_udp_flow("h1", SERVERS, config).unwrap();
        run_until_app_finished(&mut network, app);
        network.release_app(app);
    }
    for name in SERVERS {
        let receiver = network.bound_app(name, Binding::Udp(5001)).unwrap().unwrap();
        assert!(network.app::<UdpReceiver>(receiver).unwrap().flows() <= 16);
    }
}

#[test]
fn invalid_servers_are_refused() {
    let mut network = balanced_network(by_source_port);
    let config = || TcpFlowConfig::new((address(2), 5202), SECOND);
    let reason = |result: Result<_, Error>| result.map(|_: weir_sim::AppId| ()).unwrap_err().to_string();
    assert!(reason(network.start_tcp_flow("h1", Vec::new(), config())).contains("no host"));
    assert!(reason(network.start_tcp_flow("h1", ["h2", "h3", "h2"], config())).contains("h2 is named twice"));
    assert!(reason(network.start_tcp_flow("h1", ["h2", "h9"], config())).contains("`h9`"));
    assert_eq!(network.bound_app("h2", Binding::Tcp(5202)).unwrap(), None);
    let datagrams = UdpFlowConfig::new((address(2), 5001), 1_000_000, SECOND);
    assert!(network.start_udp_flow("h1", ["h2", "h9"], datagrams).is_err());
    assert_eq!(network.bound_app("h2", Binding::Udp(5001)).unwrap(), None);
}
