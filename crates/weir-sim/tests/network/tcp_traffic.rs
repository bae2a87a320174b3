//! TCP flows and exchanges: amounts, durations, and removal.

use crate::world::*;
use weir_sim::tcp::{Algorithm, Closed, TraceKind};
use weir_sim::{
    AppId, Arrivals, Binding, ExchangeRow, LinkConfig, LinkEnd, LinkId, Network, Pattern, QdiscConfig, Sizes,
    StopCondition, StopReason, TcpExchanges, TcpExchangesConfig, TcpFlow, TcpFlowConfig, TcpOptions,
    TcpReport, TcpServer, UdpFlow, UdpFlowConfig, WriteSchedule,
};

/// Returns two hosts with static neighbour entries on one link.
fn host_pair(link: LinkConfig) -> (Network, LinkId) {
    let mut network = Network::new(7);
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    let link = network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
    (network, link)
}

/// Returns a link of 10 Mbit/s with a round-trip time of 20 ms and a queue of 50 packets.
fn ten_mbit() -> LinkConfig {
    LinkConfig {
        rate: Some(10_000_000),
        delay: 10 * MS,
        queue: QdiscConfig::packets(50),
        ..LinkConfig::default()
    }
}

fn run_until_app_finished(network: &mut Network, app: AppId) {
    assert_eq!(
        network.run_slice(StopCondition::AppFinished { app, limit: FOREVER }, u64::MAX).stop,
        StopReason::Reached
    );
}

fn flow(network: &mut Network, config: TcpFlowConfig) -> TcpReport {
    let app = network.start_tcp_flow("h1", "h2", config).unwrap();
    run_until_app_finished(network, app);
    network.app::<TcpFlow>(app).unwrap().report()
}

fn ten_seconds() -> TcpFlowConfig {
    TcpFlowConfig::new((address(2), 5201), 10 * SECOND)
}

/// Checks that only the server remains after the last flow.
fn check_no_leftovers(network: &mut Network) {
    network.run_until(network.now() + 200 * SECOND);
    let server = network.bound_app("h2", Binding::Tcp(5201)).unwrap().unwrap();
    assert_eq!(network.app::<TcpServer>(server).unwrap().open_connections(), 0);
    check(network);
}

#[test]
fn ten_second_flows_fill_their_link() {
    let (mut network, _) = host_pair(ten_mbit());
    let report = flow(&mut network, TcpFlowConfig { trace: true, ..ten_seconds() });
    assert_eq!((report.closed, report.failure), (Some(Closed::Both), None));
    let info = report.info.unwrap();
    assert_eq!((report.received, info.acked), (info.written, info.written));
    // Packets in flight at the end still arrive: 50 packets in the queue, and those on the link.
    let last = report.arrivals.unwrap().1;
    assert!(last < 10 * SECOND + 90 * MS, "{last}");
    // 1448 of 1514 bytes are payload; slow start costs a little.
    let goodput = report.received as f64 * 8.0 / last as f64 * 1e3;
    assert!((9.3..9.57).contains(&goodput), "{goodput} Mbit/s");
    assert_eq!(report.intervals.iter().map(|i| i.received).sum::<u64>(), report.received);
    assert_eq!(report.intervals.iter().map(|i| i.acked).sum::<u64>(), report.received);
    assert_eq!(report.intervals.iter().map(|i| i.retransmits).sum::<u64>(), info.retransmits);
    let seconds: Vec<_> = report.intervals[1..10].iter().map(|i| i.received * 8 / 1000).collect();
    assert!(seconds.iter().all(|kbit| (8000..=9650).contains(kbit)), "{seconds:?}");
    let sent = report.trace.iter().filter(|row| row.kind == TraceKind::Sent).map(|row| u64::from(row.len));
    assert_eq!(sent.sum::<u64>(), report.received + 1, "and the FIN");
    assert_eq!(report.deliveries.last(), Some(&(last, report.received)));
    assert!(report.deliveries.is_sorted());
    check_no_leftovers(&mut network);
}

#[test]
fn a_number_of_bytes_arrives_to_the_byte() {
    for bytes in [1, 1448, 1_000_003] {
        let (mut network, _) = host_pair(ten_mbit());
        let report =
            flow(&mut network, TcpFlowConfig { bytes: Some(bytes), duration: None, ..ten_seconds() });
        assert_eq!((report.received, report.closed), (bytes, Some(Closed::Both)));
        check_no_leftovers(&mut network);
    }
}

#[test]
fn flows_to_one_server_are_distinguished() {
    let (mut network, _) = host_pair(ten_mbit());
    let apps: Vec<_> = [100_000, 200_000, 300_000]
        .into_iter()
        .map(|bytes| {
            let config = TcpFlowConfig { bytes: Some(bytes), duration: None, ..ten_seconds() };
            network.start_tcp_flow("h1", "h2", config).unwrap()
        })
        .collect();
    for &app in &apps {
        run_until_app_finished(&mut network, app);
    }
    let received: Vec<_> =
        apps.iter().map(|app| network.app::<TcpFlow>(*app).unwrap().report().received).collect();
    assert_eq!(received, [100_000, 200_000, 300_000]);
    check_no_leftovers(&mut network);
}

#[test]
fn tcp_options_take_effect() {
    let options = TcpOptions { mss: Some(500), congestion: Some(Algorithm::Reno), ..TcpOptions::default() };
    let (mut network, _) = host_pair(ten_mbit());
    let report = flow(&mut network, TcpFlowConfig { options, ..ten_seconds() });
    // Timestamps take 12 bytes of each segment.
    assert_eq!(report.info.unwrap().mss, 488);

    let (mut network, _) = host_pair(ten_mbit());
    let options = TcpOptions { pacing: Some(2_000_000), ..TcpOptions::default() };
    let report = flow(&mut network, TcpFlowConfig { options, ..ten_seconds() });
    let info = report.info.unwrap();
    assert_eq!(info.retransmits, 0);
    let goodput = report.received as f64 * 8.0 / 1e7;
    assert!((1.9..2.0).contains(&goodput), "{goodput} Mbit/s");
}

#[test]
fn flows_can_be_stopped_at_any_time() {
    for at in [0, 5 * MS, SECOND] {
        let (mut network, _) = host_pair(ten_mbit());
        let app = network.start_tcp_flow("h1", "h2", ten_seconds()).unwrap();
        network.run_until(at);
        network.stop_app(app);
        run_until_app_finished(&mut network, app);
        let report = network.tcp_report(app).unwrap();
        assert!(network.now() < at + 200 * MS, "stopped at {at}: {} {:?}", network.now(), report.closed);
        assert_eq!(report.received > 0, at > 20 * MS);
        check_no_leftovers(&mut network);
    }
}

#[test]
fn a_flow_can_be_stopped_before_it_begins() {
    for reverse in [false, true] {
        let (mut network, _) = host_pair(ten_mbit());
        let config = TcpFlowConfig { reverse, ..ten_seconds() };
        let app = network.start_tcp_flow("h1", "h2", config).unwrap();
        network.stop_app(app);
        run_until_app_finished(&mut network, app);
        let report = network.tcp_report(app).unwrap();
        assert_eq!((report.closed, report.received, network.now()), (Some(Closed::Aborted), 0, 0));
        check_no_leftovers(&mut network);
    }
}

#[test]
fn unreachable_targets_are_reported() {
    let (mut network, _) = host_pair(ten_mbit());
    let away = TcpFlowConfig { destination: ("192.0.2.1".parse().unwrap(), 5201), ..ten_seconds() };
    assert!(flow(&mut network, away).failure.unwrap().contains("no route"));
    // The host's own port is not bound.
    let own = TcpFlowConfig { destination: (address(1), 5201), ..ten_seconds() };
    assert_eq!(flow(&mut network, own).closed, Some(Closed::Refused));
    let (mut network, link) = host_pair(ten_mbit());
    network.set_link_up(link, false).unwrap();
    assert_eq!(flow(&mut network, ten_seconds()).closed, Some(Closed::TimedOut));
}

#[test]
fn bad_settings_are_refused() {
    let (mut network, _) = host_pair(ten_mbit());
    let good = ten_seconds();
    let tiny = TcpOptions { mss: Some(63), ..TcpOptions::default() };
    let bad = [
        TcpFlowConfig { duration: None, ..good.clone() },
        TcpFlowConfig { bytes: Some(0), ..good.clone() },
        TcpFlowConfig { interval: Some(1), ..good.clone() },
        TcpFlowConfig { destination: (address(2), 0), ..good.clone() },
        TcpFlowConfig { options: tiny, ..good },
    ];
    for config in bad {
        assert!(network.start_tcp_flow("h1", "h2", config.clone()).is_err(), "{config:?}");
    }
    let good = exchanges(10, Arrivals::Sequential { think: 0 });
    let bad = [
        TcpExchangesConfig { count: 0, ..good.clone() },
        TcpExchangesConfig { arrivals: Arrivals::At(Vec::new()), ..good.clone() },
        TcpExchangesConfig { arrivals: Arrivals::Poisson { mean: 0.0 }, ..good.clone() },
        TcpExchangesConfig { request: Sizes::Fixed(0), ..good.clone() },
        TcpExchangesConfig { request: Sizes::Choice(Vec::new()), ..good.clone() },
        TcpExchangesConfig { response: Sizes::Exponential { mean: f64::NAN }, ..good.clone() },
        TcpExchangesConfig { keep_connection: true, response: Sizes::Fixed(0), ..good.clone() },
        TcpExchangesConfig { keep_connection: true, arrivals: Arrivals::At(vec![1]), ..good },
    ];
    for config in bad {
        assert!(network.start_tcp_exchanges("h1", "h2", config.clone()).is_err(), "{config:?}");
    }
}

fn exchanges(count: u64, arrivals: Arrivals) -> TcpExchangesConfig {
    TcpExchangesConfig {
        destination: (address(2), 5201),
        arrivals,
        count,
        request: Sizes::Fixed(100),
        response: Sizes::Fixed(1000),
        keep_connection: false,
        options: TcpOptions::default(),
    }
}

fn run_exchanges(network: &mut Network, config: TcpExchangesConfig) -> Vec<ExchangeRow> {
    let app = network.start_tcp_exchanges("h1", "h2", config).unwrap();
    run_until_app_finished(network, app);
    let exchanges = network.app::<TcpExchanges>(app).unwrap();
    assert_eq!(exchanges.failure(), None);
    exchanges.rows()
}

/// Returns the duration of each exchange in round trips of 20 ms.
fn round_trips(rows: &[ExchangeRow]) -> Vec<u64> {
    rows.iter().map(|row| (row.finished.unwrap() - row.started) / (20 * MS)).collect()
}

#[test]
fn an_exchange_takes_its_round_trips() {
    let (mut network, _) = host_pair(ten_mbit());
    // With one connection for each exchange, each takes the handshake and the exchange.
    let rows = run_exchanges(&mut network, exchanges(5, Arrivals::Sequential { think: SECOND }));
    assert_eq!(round_trips(&rows), [2; 5]);
    assert!(rows.windows(2).all(|pair| pair[1].started >= pair[0].finished.unwrap() + SECOND));
    // With one connection for all exchanges, only the first one waits for the handshake.
    let one_connection =
        TcpExchangesConfig { keep_connection: true, ..exchanges(5, Arrivals::Sequential { think: SECOND }) };
    let rows = run_exchanges(&mut network, one_connection);
    assert_eq!(round_trips(&rows), [2, 1, 1, 1, 1]);
    assert!(rows.windows(2).all(|pair| pair[1].started == pair[0].finished.unwrap() + SECOND));
    // There are no delayed acknowledgements to wait for: 13 segments of 1.2 ms each, ten of them in
    // the first round trip.
    let large = TcpExchangesConfig {
        keep_connection: true,
        request: Sizes::Fixed(5_000),
        response: Sizes::Fixed(10_000),
        ..exchanges(5, Arrivals::Sequential { think: SECOND })
    };
    let rows = run_exchanges(&mut network, large);
    let longest = rows.iter().map(|row| row.finished.unwrap() - row.started).max().unwrap();
    assert!(longest < 40 * MS + 13 * 1_212_000, "{longest}");
    // Without a response the exchange ends when the request has arrived: half a round trip earlier.
    let transfer = TcpExchangesConfig {
        response: Sizes::Fixed(0),
        ..exchanges(3, Arrivals::At(vec![100 * MS, 0, 100 * MS]))
    };
    let rows = run_exchanges(&mut network, transfer);
    assert_eq!(round_trips(&rows), [1, 1, 1]);
    assert!(rows.iter().all(|row| row.requested == row.finished));
    assert_eq!(rows[1].started, rows[0].started + 100 * MS);
    check_no_leftovers(&mut network);
}

#[test]
fn stopped_exchanges_never_start() {
    let (mut network, _) = host_pair(ten_mbit());
    for arrivals in [Arrivals::Sequential { think: 0 }, Arrivals::At(vec![0])] {
        let app = network.start_tcp_exchanges("h1", "h2", exchanges(5, arrivals)).unwrap();
        network.stop_app(app);
        run_until_app_finished(&mut network, app);
        assert!(network.app::<TcpExchanges>(app).unwrap().rows().is_empty());
    }
    check_no_leftovers(&mut network);
}

#[test]
fn large_responses_arrive_completely() {
    let (mut network, _) = host_pair(ten_mbit());
    let config = TcpExchangesConfig {
        request: Sizes::Choice(vec![1, 50_000]),
        response: Sizes::Fixed(10_000_000),
        ..exchanges(3, Arrivals::Sequential { think: 0 })
    };
    let rows = run_exchanges(&mut network, config);
    assert!(rows.iter().all(|row| row.finished.is_some() && row.response == 10_000_000));
    assert!(rows.iter().all(|row| row.finished.unwrap() - row.started > 8 * SECOND));
    check_no_leftovers(&mut network);
}

#[test]
fn short_udp_flows_leave_no_state() {
    let (mut network, _) =
        host_pair(LinkConfig { rate: Some(100_000_000), delay: MS, ..LinkConfig::default() });
    let config = TcpExchangesConfig {
        request: Sizes::Exponential { mean: 10_000.0 },
        response: Sizes::Fixed(0),
        ..exchanges(10_000, Arrivals::Poisson { mean: 2e6 })
    };
    let rows = run_exchanges(&mut network, config);
    assert_eq!(rows.len(), 10_000);
    assert!(rows.iter().all(|row| row.finished.is_some() && row.failed.is_none()));
    let mean = rows.iter().map(|row| row.request).sum::<u64>() as f64 / 1e4;
    assert!((9000.0..11000.0).contains(&mean), "{mean}");
    let span = (rows[9999].started - rows[0].started) as f64 / 9999.0;
    assert!((1.85e6..2.15e6).contains(&span), "{span}");
    check_no_leftovers(&mut network);
    assert_eq!(network.events_pending(), 0);
}

#[test]
fn pacing_changes_while_a_flow_runs() {
    let (mut network, _) = host_pair(ten_mbit());
    let app = network.start_tcp_flow("h1", "h2", ten_seconds()).unwrap();
    let pace = |network: &mut Network, rate| network.pace_tcp_flow(app, rate);
    network.run_until(4 * SECOND);
    assert!(pace(&mut network, Some(0)).is_err());
    pace(&mut network, Some(2_000_000)).unwrap();
    network.run_until(7 * SECOND);
    pace(&mut network, None).unwrap();
    run_until_app_finished(&mut network, app);
    let report = network.app::<TcpFlow>(app).unwrap().report();
    let kbit = |second: usize| report.intervals[second].received * 8 / 1000;
    assert!(kbit(3) > 9000 && (1800..2000).contains(&kbit(6)) && kbit(9) > 9000, "{:?}", report.intervals);
}

#[test]
fn servers_can_reflect_ip_options() {
    let (mut network, _) = host_pair(ten_mbit());
    let server = network.serve_tcp("h2", 5201).unwrap();
    // Type 30 is experimental (RFC 4727). The option has a length of 8, with six bytes of data.
    let ip_options = vec![0x9e, 8, 1, 2, 3, 4, 5, 6];
    let config = TcpFlowConfig { bytes: Some(10), duration: None, ip_options, ..ten_seconds() };
    assert_eq!(flow(&mut network, config.clone()).ip_options, Vec::<u8>::new());
    network.call_app(server, |server: &mut TcpServer, _| server.reflect_options(true)).unwrap();
    assert_eq!(flow(&mut network, config.clone()).ip_options, config.ip_options);
}

/// The client connects and the server sends: the SYN comes from the client, the data from the
/// server.
#[test]
fn the_server_sends_in_a_reverse_flow() {
    let (mut network, _) = host_pair(ten_mbit());
    let config = TcpFlowConfig { reverse: true, trace: true, ..ten_seconds() };
    let app = network.start_tcp_flow("h1", "h2", config).unwrap();
    network.run_until(5 * SECOND);
    let midway = network.tcp_report(app).unwrap();
    assert!(midway.info.is_some() && midway.trace.len() > 4000, "{} rows", midway.trace.len());
    run_until_app_finished(&mut network, app);
    let report = network.tcp_report(app).unwrap();
    assert_eq!((report.closed, report.failure.as_deref()), (Some(Closed::Both), None));
    let [client, server] = report.ends.unwrap();
    assert_eq!((client.0, server), (address(1), (address(2), 5201)));
    let info = report.info.as_ref().unwrap();
    assert_eq!((report.received, info.acked), (info.written, info.written), "of the server's end");
    let last = report.arrivals.unwrap().1;
    let goodput = report.received as f64 * 8.0 / last as f64 * 1e3;
    assert!((9.3..9.57).contains(&goodput), "{goodput} Mbit/s");
    assert!(last < 10 * SECOND + 90 * MS, "{last}");
    assert_eq!(report.intervals.iter().map(|i| i.received).sum::<u64>(), report.received);
    assert_eq!(report.intervals.iter().map(|i| i.retransmits).sum::<u64>(), info.retransmits);
    let sent = report.trace.iter().filter(|row| row.kind == TraceKind::Sent).map(|row| u64::from(row.len));
    assert_eq!(sent.sum::<u64>(), report.received + 1, "and the FIN");
    check_no_leftovers(&mut network);
}

#[test]
fn reverse_flows_keep_their_settings() {
    let (mut network, _) = host_pair(ten_mbit());
    let bytes = TcpFlowConfig { reverse: true, bytes: Some(1_000_003), duration: None, ..ten_seconds() };
    let report = flow(&mut network, bytes);
    assert_eq!((report.received, report.closed), (1_000_003, Some(Closed::Both)));

    // Settings for the sending end apply to the server.
    let options = TcpOptions {
        congestion: Some(Algorithm::Bbr),
        mss: Some(500),
        window: Some(20_000),
        pacing: Some(2_000_000),
        ..TcpOptions::default()
    };
    let config = TcpFlowConfig { reverse: true, options, ..ten_seconds() };
    let app = network.start_tcp_flow("h1", "h2", config).unwrap();
    network.run_until(network.now() + 4 * SECOND);
    let info = network.tcp_report(app).unwrap().info.unwrap();
    assert_eq!(info.mss, 488);
    assert!(info.written - info.acked <= 20_000, "{info:?}");
    assert!(network.pace_tcp_flow(app, Some(0)).is_err());
    network.pace_tcp_flow(app, Some(1_000_000)).unwrap();
    network.run_until(network.now() + 4 * SECOND);
    network.stop_app(app);
    let stopped = network.now();
    run_until_app_finished(&mut network, app);
    assert!(network.now() < stopped + 100 * MS, "{} ms", (network.now() - stopped) / MS);
    let report = network.tcp_report(app).unwrap();
    let kbit = |second: usize| report.intervals[second].received * 8 / 1000;
    assert!((1700..2000).contains(&kbit(2)) && (850..1000).contains(&kbit(6)), "{:?}", report.intervals);
    check_no_leftovers(&mut network);
}

#[test]
fn applications_can_write_in_bursts() {
    let (mut network, _) = host_pair(ten_mbit());
    // Bursts last 100 ms at 4 Mbit/s, followed by a pause of 400 ms. Each burst has 50 times 1000
    // bytes.
    let pattern = Pattern::OnOff { bits_per_second: 4_000_000, on: 100 * MS, off: 400 * MS, random: false };
    let offer = Some(WriteSchedule { pattern, bytes: 1000 });
    let config = TcpFlowConfig { offer, interval: Some(100 * MS), ..ten_seconds() };
    let report = flow(&mut network, config.clone());
    assert_eq!(report.received, 20 * 50 * 1000);
    let busy = report.intervals.iter().filter(|interval| interval.received > 0).count();
    assert!((20..=40).contains(&busy), "{busy} of {}", report.intervals.len());

    let limited = TcpFlowConfig { bytes: Some(70_500), duration: None, ..config.clone() };
    let report = flow(&mut network, limited);
    assert_eq!((report.received, report.closed), (70_500, Some(Closed::Both)));
    assert!((500 * MS..700 * MS).contains(&(report.arrivals.unwrap().1 - report.started)));

    let reverse = TcpFlowConfig { reverse: true, ..config.clone() };
    // The SYN reaches the server half a round trip later.
    assert_eq!(flow(&mut network, reverse).received, 20 * 50 * 1000);

    let nothing = TcpFlowConfig { offer: Some(WriteSchedule { pattern, bytes: 0 }), ..config.clone() };
    assert!(network.start_tcp_flow("h1", "h2", nothing).is_err());
    let idle = WriteSchedule { pattern: Pattern::Constant { bits_per_second: 0 }, bytes: 1000 };
    assert!(network.start_tcp_flow("h1", "h2", TcpFlowConfig { offer: Some(idle), ..config }).is_err());
    check_no_leftovers(&mut network);
}

#[test]
fn flows_have_started_when_they_are_told_to() {
    let (mut network, _) = host_pair(ten_mbit());
    network.run_until(3 * SECOND);
    let tcp = network.start_tcp_flow("h1", "h2", ten_seconds()).unwrap();
    let config = UdpFlowConfig::new((address(2), 5202), 1_000_000, SECOND);
    let udp = network.start_udp_flow("h1", "h2", config).unwrap();
    assert_eq!(network.app::<TcpFlow>(tcp).unwrap().report().started, 3 * SECOND);
    assert_eq!(network.app::<UdpFlow>(udp).unwrap().report().started, 3 * SECOND);
}
