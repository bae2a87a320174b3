//! Pings through a relay, with times exact to the nanosecond.

use crate::world::*;
use proptest::prelude::*;
use weir_sim::{HostConfig, IcmpError, LinkConfig, Network, Ping, PingConfig, PingOutcome, StopReason};

/// The length of Ethernet, IPv4 and ICMP headers.
const HEADERS: u64 = 14 + 20 + 8;

#[test]
fn round_trip_time_is_exact() {
    for rate in [10_000, 100_000, 1_000_000, 1_000_000_000, 3_333_333_333] {
        let link = LinkConfig { rate: Some(rate), delay: 12_345, ..LinkConfig::default() };
        let (mut network, _) = star_network(1, 2, Relay::new(2, 777), &link);
        let config =
            PingConfig { payload_bytes: 1200, interval: 10 * SECOND, ..PingConfig::new(address(2), 5) };
        let rows = run_ping(&mut network, "h1", config);
        let serialisation = ((1200 + HEADERS) * 8 * SECOND).div_ceil(rate);
        assert_eq!(rows.len(), 5);
        for (row, n) in rows.iter().zip(0..) {
            assert_eq!(row.sent, n * 10 * SECOND);
            assert_eq!(rtt(row), 4 * serialisation + 4 * 12_345 + 2 * 777, "{rate} bit/s");
            assert!(matches!(row.outcome, PingOutcome::Reply { ttl: 64, bytes: 1208, .. }));
        }
        check(&mut network);
    }
}

#[test]
fn unlimited_links_take_no_time() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 500), &LinkConfig::default());
    let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 3));
    assert!(rows.iter().all(|row| rtt(row) == 1000));
    let audit = check(&mut network);
    assert_eq!((audit.created, audit.delivered, audit.created_by_devices), (6, 6, 0));
}

#[test]
fn hosts_add_processing_delay() {
    let mut network = Network::new(1);
    network.add_host(HostConfig { processing_delay: 30, ..host_with_neighbours(1, 2) }).unwrap();
    network.add_host(HostConfig { processing_delay: 4, ..host_with_neighbours(2, 2) }).unwrap();
    let link = LinkConfig { delay: 100, ..LinkConfig::default() };
    network.connect(weir_sim::LinkEnd::new("h1", 0), weir_sim::LinkEnd::new("h2", 0), link).unwrap();
    let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 2));
    assert!(rows.iter().all(|row| rtt(row) == 234));
    check(&mut network);
}

#[test]
fn processing_may_vary_and_keeps_the_order() {
    let run = |seed| {
        let mut network = Network::new(seed);
        network.add_host(host_with_neighbours(1, 2)).unwrap();
        let noisy =
            HostConfig { processing_delay: 50, processing_jitter: 1000, ..host_with_neighbours(2, 2) };
        network.add_host(noisy).unwrap();
        let ends = [weir_sim::LinkEnd::new("h1", 0), weir_sim::LinkEnd::new("h2", 0)];
        network.connect(ends[0].clone(), ends[1].clone(), LinkConfig::default()).unwrap();
        let config = PingConfig { interval: 300, ..PingConfig::new(address(2), 1000) };
        let rows = run_ping(&mut network, "h1", config);
        check(&mut network);
        rows.iter().map(|row| (row.sent, rtt(row))).collect::<Vec<_>>()
    };
    let rows = run(1);
    assert!(rows.iter().all(|(_, rtt)| (50..=1050).contains(rtt)));
    // Frames are processed in order, and mostly delayed by the previous one.
    assert!(rows.is_sorted_by_key(|(sent, rtt)| sent + rtt));
    let mean = rows.iter().map(|(_, rtt)| rtt).sum::<u64>() / 1000;
    assert!((550..900).contains(&mean), "{mean}");
    assert_eq!(rows, run(1));
    assert_ne!(rows, run(2));
}

#[test]
fn first_ping_waits_for_arp() {
    let mut network = Network::new(1);
    network.add_device("s1", Box::new(Relay::new(2, 10))).unwrap();
    for n in 1..=2u8 {
        network.add_host(host(n)).unwrap();
        let end = weir_sim::LinkEnd::new(format!("h{n}"), 0);
        network.connect(end, weir_sim::LinkEnd::new("s1", u32::from(n) - 1), LinkConfig::default()).unwrap();
    }
    let rows =
        run_ping(&mut network, "h1", PingConfig { interval: 70 * SECOND, ..PingConfig::new(address(2), 3) });
    // The first ping waits for an ARP request and reply; h2 learned h1's address from the request.
    // Later the entries are a minute old, and each is used while it is probed.
    assert_eq!(rows.iter().map(rtt).collect::<Vec<_>>(), [40, 20, 20]);
    let audit = check(&mut network);
    assert_eq!(audit.dropped(), 0);
    assert!(
        network.host("h1").unwrap().neighbours(0).iter().all(|entry| entry.mac.is_some() && !entry.fixed)
    );
}

#[test]
fn a_neighbour_that_does_not_answer_is_reported() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 10), &LinkConfig::default());
    let rows = run_ping(&mut network, "h1", PingConfig::new(address(77), 2));
    let unreachable = IcmpError { from: address(1), icmp_type: 3, code: 1 };
    assert!(rows.iter().all(|row| row.outcome == PingOutcome::Error(unreachable)), "{rows:?}");
    assert_eq!(network.now(), 3 * SECOND);
    let audit = check(&mut network);
    // h2 receives each of the three requests, which are for no existing address.
    assert_eq!(
        audit.drops.iter().map(|drop| (&*drop.reason, drop.packets)).collect::<Vec<_>>(),
        [("no answer to ARP", 2)]
    );
}

#[test]
fn without_a_route_nothing_leaves() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 10), &LinkConfig::default());
    let rows = run_ping(&mut network, "h1", PingConfig::new([192, 0, 2, 1], 2));
    assert!(rows.iter().all(|row| row.outcome == PingOutcome::NoRoute));
    assert_eq!(check(&mut network).created, 0);
}

#[test]
fn gateway_is_the_default_route() {
    // As in the tutorials: each host alone in its network, with a static gateway that does not
    // answer.
    let mut network = Network::new(1);
    for n in 1..=2u8 {
        let mac = weir_sim::MacAddress([8, 0, 0, 0, n, n * 0x11]);
        let peer = weir_sim::MacAddress([8, 0, 0, 0, 3 - n, (3 - n) * 0x11]);
        let mut config = HostConfig::new(format!("h{n}"), mac, format!("10.0.{n}.{n}/24").parse().unwrap());
        let gateway = format!("10.0.{n}.10");
        config.routes = vec![default_route(&gateway)];
        config.neighbours = vec![(0, gateway.parse().unwrap(), peer)];
        network.add_host(config).unwrap();
    }
    let ends = [weir_sim::LinkEnd::new("h1", 0), weir_sim::LinkEnd::new("h2", 0)];
    network
        .connect(ends[0].clone(), ends[1].clone(), LinkConfig { delay: 5, ..LinkConfig::default() })
        .unwrap();
    let rows = run_ping(&mut network, "h1", PingConfig::new([10, 0, 2, 2], 2));
    assert!(rows.iter().all(|row| rtt(row) == 10));
    assert_eq!(check(&mut network).created, 4);
}

#[test]
fn pings_larger_than_the_mtu_leave_in_fragments() {
    for payload_bytes in [1472, 1473, 4000, 20_000, 65_507] {
        let link = LinkConfig { rate: Some(1_000_000), ..LinkConfig::default() };
        let (mut network, links) = star_network(1, 2, Relay::new(2, 0), &link);
        let config = PingConfig { payload_bytes, interval: 10 * SECOND, ..PingConfig::new(address(2), 2) };
        let rows = run_ping(&mut network, "h1", config);
        let icmp = payload_bytes as u64 + 8;
        // A fragment holds 1480 bytes, which is a multiple of 8.
        let fragments = icmp.div_ceil(1480);
        let bytes = icmp + fragments * 34;
        // In each direction all fragments pass the first link; the second link lags behind by the
        // first fragment only, because no later one is longer.
        let first = if fragments == 1 { bytes } else { 1514 };
        let way = (bytes + first) * 8 * 1000;
        assert_eq!(rows.iter().map(rtt).collect::<Vec<_>>(), [2 * way; 2], "{payload_bytes}");
        let counters = network.link_counters(links[0], weir_sim::Direction::Forward).unwrap();
        assert_eq!((counters.sent_packets, counters.sent_bytes), (2 * fragments, 2 * bytes));
        assert_eq!(counters.busy, 2 * bytes * 8 * 1000);
        check(&mut network);
    }
}

#[test]
fn all_hosts_ping_all_at_once() {
    let (mut network, _) = star_network(
        3,
        8,
        Relay::new(8, 50),
        &LinkConfig { rate: Some(10_000_000), ..LinkConfig::default() },
    );
    let mut apps = Vec::new();
    for from in 1..=8 {
        for to in (1..=8).filter(|to| *to != from) {
            apps.push(network.start_ping(&format!("h{from}"), PingConfig::new(address(to), 3)).unwrap());
        }
    }
    assert_eq!(network.apps_running(), 56);
    assert_eq!(network.run_until_finished(FOREVER).stop, StopReason::Reached);
    for app in apps {
        let ping = network.app::<Ping>(app).unwrap();
        assert_eq!((ping.summary().sent, ping.summary().received), (3, 3));
    }
    assert_eq!(check(&mut network).delivered, 56 * 6);
}

#[test]
fn late_replies_and_duplicates_are_distinguished() {
    let link = LinkConfig { delay: 100 * MS, ..LinkConfig::default() };
    let (mut network, _) = star_network(1, 2, Relay::new(2, 0), &link);
    let config = PingConfig { timeout: 399 * MS, interval: 150 * MS, ..PingConfig::new(address(2), 3) };
    let app = network.start_ping("h1", config).unwrap();
    network.run_until_idle(FOREVER);
    let summary = network.app::<Ping>(app).unwrap().summary();
    assert_eq!((summary.sent, summary.received, summary.late), (3, 0, 3));

    // Each request and each reply is duplicated.
    let mut relay = Relay::new(2, 10);
    relay.doubling = true;
    let (mut network, _) = star_network(1, 2, relay, &LinkConfig::default());
    let app = network.start_ping("h1", PingConfig::new(address(2), 2)).unwrap();
    let audit = check(&mut network);
    let ping = network.app::<Ping>(app).unwrap();
    assert!(ping.rows().iter().all(|row| rtt(row) == 20 && row.duplicates == 3), "{:?}", ping.rows());
    assert_eq!(ping.summary().duplicates, 6);
    assert_eq!((audit.created, audit.created_by_devices, audit.delivered), (2 * 3, 2 * 3, 2 * 6));
}

#[test]
fn a_deadline_ends_a_ping_without_a_count() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 10), &LinkConfig::default());
    let config = PingConfig { count: None, deadline: Some(3 * SECOND + 1), ..PingConfig::new(address(2), 1) };
    let rows = run_ping(&mut network, "h1", config);
    assert_eq!((rows.len(), network.now()), (4, 3 * SECOND + 1));
    check(&mut network);
}

#[test]
fn a_ping_can_be_stopped_while_others_continue() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 10 * MS), &LinkConfig::default());
    let apps = ["h1", "h2"].map(|host| {
        network.start_ping(host, PingConfig::new(address(if host == "h1" { 2 } else { 1 }), 10)).unwrap()
    });
    network.run_until(2 * SECOND + MS);
    assert_eq!(network.apps_running(), 2);
    network.stop_app(apps[0]);
    assert_eq!(network.apps_running(), 1);
    let goal = |app| weir_sim::StopCondition::AppFinished { app, limit: FOREVER };
    assert_eq!(network.run_slice(goal(apps[0]), u64::MAX).events, 0);
    assert_eq!(network.run_slice(goal(apps[1]), u64::MAX).stop, StopReason::Reached);
    assert_eq!(network.now(), 9 * SECOND + 20 * MS);
    let [stopped, whole] = apps.map(|app| network.app::<Ping>(app).unwrap().summary());
    // The third reply arrived after the stop.
    assert_eq!((stopped.sent, stopped.received, stopped.late), (3, 2, 1));
    assert_eq!((whole.sent, whole.received), (10, 10));
    check(&mut network);
}

#[test]
fn a_host_pings_itself_in_no_time() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 10), &LinkConfig::default());
    let rows = run_ping(&mut network, "h1", PingConfig::new(address(1), 2));
    assert!(rows.iter().all(|row| rtt(row) == 0));
    assert_eq!(check(&mut network).created, 0);
}

#[test]
fn sequence_numbers_may_wrap() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 1), &LinkConfig::default());
    let config = PingConfig { interval: 10, payload_bytes: 0, ..PingConfig::new(address(2), 66_000) };
    let rows = run_ping(&mut network, "h1", config);
    assert!(rows.iter().all(|row| rtt(row) == 2));
    assert_eq!(rows.last().unwrap().sequence, 66_000);
    check(&mut network);
}

#[test]
fn settings_out_of_range_are_refused() {
    let good = PingConfig::new(address(2), 1);
    for bad in [
        PingConfig { payload_bytes: 65_508, ..good.clone() },
        PingConfig { count: Some(0), ..good.clone() },
        PingConfig { count: None, ..good.clone() },
        PingConfig { timeout: 0, ..good.clone() },
        PingConfig { ttl: 0, ..good.clone() },
        PingConfig { destination: [255, 255, 255, 255].into(), ..good },
    ] {
        assert!(matches!(Ping::new(bad), Err(weir_sim::Error::BadApp { app: "ping", .. })));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn round_trip_times_are_exact_for_any_ping_and_link(
        rate in 1_000u64..10_000_000_000,
        delay in 0..SECOND,
        latency in 0..MS,
        payload in 0usize..1472,
    ) {
        let link = LinkConfig { rate: Some(rate), delay, ..LinkConfig::default() };
        let (mut network, _) = star_network(1, 2, Relay::new(2, latency), &link);
        let config = PingConfig { payload_bytes: payload, interval: 100 * SECOND, timeout: 100 * SECOND, ..PingConfig::new(address(2), 2) };
        let serialisation = ((payload as u64 + HEADERS) * 8 * SECOND).div_ceil(rate);
        let expected = 4 * serialisation + 4 * delay + 2 * latency;
        for row in run_ping(&mut network, "h1", config) {
            prop_assert_eq!(rtt(&row), expected);
        }
        check(&mut network);
    }
}
