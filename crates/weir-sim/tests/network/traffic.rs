//! Measured UDP flows are exact: counts, times and order.

use crate::world::*;
use weir_sim::tcp::Closed;
use weir_sim::{
    Arrivals, Direction, ExchangeRow, FlowReport, Impairments, LinkConfig, LinkEnd, LinkId, Loss, Network,
    Pattern, PingConfig, QdiscConfig, Replay, Sizes, StopCondition, StopReason, UdpExchanges,
    UdpExchangesConfig, UdpFlow, UdpFlowConfig, WatchConfig,
};

/// Returns two hosts with static neighbour entries on one link.
fn host_pair(link: LinkConfig) -> (Network, LinkId) {
    let mut network = Network::new(7);
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    let link = network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
    (network, link)
}

/// Runs flows from h1 to h2 until the last has finished.
fn run(network: &mut Network, configs: Vec<UdpFlowConfig>) -> Vec<FlowReport> {
    let flows: Vec<_> =
        configs.into_iter().map(|config| network.start_udp_flow("h1", "h2", config).unwrap()).collect();
    for &app in &flows {
        let stop = network.run_slice(StopCondition::AppFinished { app, limit: FOREVER }, u64::MAX).stop;
        assert_eq!(stop, StopReason::Reached);
    }
    flows.into_iter().map(|flow| network.app::<UdpFlow>(flow).unwrap().report()).collect()
}

fn flow(bits_per_second: u64, seconds: u64) -> UdpFlowConfig {
    UdpFlowConfig::new((address(2), 5001), bits_per_second, seconds * SECOND)
}

#[test]
fn a_flow_below_capacity_arrives_completely() {
    let link = LinkConfig { rate: Some(10_000_000), delay: 5 * MS, ..LinkConfig::default() };
    let (mut network, _) = host_pair(link);
    let report = run(&mut network, vec![flow(1_000_000, 10)]).remove(0);
    // Datagrams of 11760 bits are sent every 11.76 ms; the last one before 10 s is number 850.
    assert_eq!((report.sent, report.received, report.missing()), (851, 851, 0));
    assert_eq!(report.sent_bytes, 851 * 1470);
    // 1512 bytes at 10 Mbit/s and 5 ms, each alone on the link.
    let delay = 1512 * 800 + 5 * MS;
    assert_eq!((report.delays.min, report.delays.max, report.delays.deviation()), (delay, delay, 0.0));
    assert_eq!((report.jitter, report.reordered, report.duplicates), (0.0, 0, 0));
    assert_eq!(report.arrivals, Some((delay, 850 * 11_760_000 + delay)));
    assert_eq!(network.now(), 850 * 11_760_000 + delay, "it ends with the last arrival");
    let sent: Vec<u64> = report.intervals.iter().map(|interval| interval.sent).collect();
    // The last datagram arrives in the last interval.
    assert_eq!(sent, [86, 85, 85, 85, 85, 85, 85, 85, 85, 85, 0]);
    assert_eq!(report.intervals.iter().map(|interval| interval.received_bytes).sum::<u64>(), 851 * 1470);
    check(&mut network);
}

/// Exactly the datagrams beyond the capacity are lost.
#[test]
fn loss_equals_the_excess_over_the_capacity() {
    for rate in [9_700_000, 9_730_000, 10_000_000, 12_345_678, 40_000_000] {
        let link =
            LinkConfig { rate: Some(10_000_000), queue: QdiscConfig::packets(50), ..LinkConfig::default() };
        let (mut network, id) = host_pair(link);
        let report = run(&mut network, vec![flow(rate, 10)]).remove(0);
        // Computed by hand: the n-th frame of 1512 bytes is offered at n · 11760 / rate and takes
        // 1 209 600 ns.
        let (mut free, mut waiting, mut lost) = (0u64, std::collections::VecDeque::new(), 0);
        for number in 0..report.sent {
            let now = (u128::from(number) * 11_760 * 1_000_000_000 / u128::from(rate)) as u64;
            while waiting.front().is_some_and(|begins: &u64| *begins <= now) {
                waiting.pop_front();
            }
            if free <= now {
                free = now + 1_209_600;
            } else if waiting.len() < 50 {
                waiting.push_back(free);
                free += 1_209_600;
            } else {
                lost += 1;
            }
        }
        assert_eq!(report.sent, (10 * u128::from(rate)).div_ceil(11_760) as u64, "at {rate}");
        assert_eq!(report.missing(), lost, "at {rate}");
        assert_eq!(network.link_counters(id, Direction::Forward).unwrap().dropped_queue_full, lost);
        let by_interval: u64 = report.intervals.iter().map(|i| i.sent - i.sent_arrived).sum();
        assert_eq!(by_interval, lost);
        check(&mut network);
    }
}

#[test]
fn flows_to_one_port_are_distinguished() {
    let link = LinkConfig { rate: Some(10_000_000), ..LinkConfig::default() };
    let (mut network, _) = host_pair(link);
    let one = UdpFlowConfig { datagrams: Some(10), duration: None, ..flow(1_000_000, 1) };
    let other = UdpFlowConfig { payload_bytes: 100, source_port: Some(4000), ..one };
    let reports = run(&mut network, vec![one.clone(), other, one.clone()]);
    let received: Vec<_> = reports.iter().map(|r| (r.received, r.received_bytes)).collect();
    assert_eq!(received, [(10, 14700), (10, 1000), (10, 14700)]);
    // The flows run again after the first ones have finished: their ports are free.
    let again = UdpFlowConfig { source_port: Some(4000), ..one };
    assert_eq!(run(&mut network, vec![again])[0].received, 10);
    check(&mut network);
}

#[test]
fn used_ports_are_refused() {
    let (mut network, _) = host_pair(LinkConfig::default());
    let config = UdpFlowConfig { source_port: Some(4000), ..flow(1_000_000, 1) };
    let reports = run(&mut network, vec![config.clone(), config]);
    assert_eq!(reports[0].failure, None);
    assert_eq!(reports[1].failure.as_deref(), Some("UDP port 4000 of the client's host is in use"));
    assert_eq!(reports[1].sent, 0);
}

#[test]
fn losses_on_the_wire_are_counted() {
    let link = LinkConfig {
        impairments: Impairments { loss: Loss::Random(0.3), ..Impairments::default() },
        delay: MS,
        ..LinkConfig::default()
    };
    let (mut network, id) = host_pair(link);
    let config = UdpFlowConfig { keep_rows: true, ..flow(10_000_000, 2) };
    let report = run(&mut network, vec![config]).remove(0);
    let counters = network.link_counters(id, Direction::Forward).unwrap();
    assert_eq!(report.missing(), counters.dropped_loss);
    assert!((0.25..0.35).contains(&(report.missing() as f64 / report.sent as f64)));
    assert_eq!(report.rows.len() as u64, report.received);
    assert!(report.rows.iter().all(|row| row.arrived == row.sent + MS));
    // The flow waited for two seconds after the last datagram.
    let last = report.arrivals.unwrap().1.max(report.last_sent.unwrap());
    assert_eq!(network.now(), last + 2 * SECOND);
}

#[test]
fn patterns_keep_their_mean_rates_and_repeat() {
    let rates: Vec<u64> = [
        Pattern::Poisson { bits_per_second: 8_000_000 },
        Pattern::OnOff { bits_per_second: 16_000_000, on: 100 * MS, off: 100 * MS, random: false },
        Pattern::OnOff { bits_per_second: 16_000_000, on: 10 * MS, off: 10 * MS, random: true },
    ]
    .into_iter()
    .map(|pattern| {
        let run = || {
            let (mut network, _) = host_pair(LinkConfig::default());
            run(&mut network, vec![UdpFlowConfig { pattern, payload_bytes: 1000, ..flow(1, 10) }]).remove(0)
        };
        let report = run();
        assert_eq!(report, run());
        report.sent
    })
    .collect();
    // The rate is a thousand datagrams per second on average.
    assert!((9700..10300).contains(&rates[0]), "{rates:?}");
    assert_eq!(rates[1], 10_000);
    assert!((9000..11500).contains(&rates[2]), "{rates:?}");
}

#[test]
fn bad_settings_are_refused() {
    let (mut network, _) = host_pair(LinkConfig::default());
    let good = flow(1_000_000, 1);
    let bad = [
        UdpFlowConfig { payload_bytes: 15, ..good.clone() },
        UdpFlowConfig { payload_bytes: 65508, ..good.clone() },
        UdpFlowConfig { duration: None, ..good.clone() },
        UdpFlowConfig { datagrams: Some(0), ..good.clone() },
        UdpFlowConfig { interval: Some(10), ..good.clone() },
        UdpFlowConfig { source_port: Some(0), ..good.clone() },
        UdpFlowConfig { destination: (address(2), 0), ..good.clone() },
        UdpFlowConfig { pattern: Pattern::Constant { bits_per_second: 0 }, ..good },
    ];
    for config in bad {
        assert!(network.start_udp_flow("h1", "h2", config.clone()).is_err(), "{config:?}");
    }
    assert!(network.start_udp_flow("h1", "h9", good.clone()).is_err());
    assert!(network.start_udp_flow("h9", "h2", good).is_err());
    assert_eq!(network.apps_running(), 0);
}

#[test]
fn datagrams_without_route_are_refused() {
    let (mut network, _) = host_pair(LinkConfig::default());
    let config = UdpFlowConfig { destination: ("192.0.2.1".parse().unwrap(), 9), ..flow(1_000_000, 1) };
    let report = run(&mut network, vec![config]).remove(0);
    assert_eq!((report.sent, report.refused), (0, 86));
}

#[test]
fn replayed_frames_leave_at_their_times() {
    let (mut network, _) = host_pair(LinkConfig::default());
    let watch = network.watch(&[LinkEnd::new("h1", 0)], WatchConfig::default()).unwrap();
    let frame = |n: u8| vec![n; 60];
    let frames = vec![(20 * MS, frame(2)), (0, frame(0)), (MS, frame(1)), (20 * MS, frame(3))];
    let replay = network.start_app("h1", 5 * MS, Box::new(Replay::new(0, frames))).unwrap();
    assert_eq!(network.run_until_finished(FOREVER).stop, StopReason::Reached);
    let seen = network.take_watched(watch).unwrap();
    let seen: Vec<_> = seen.iter().map(|frame| (frame.time / MS, frame.bytes[0])).collect();
    assert_eq!(seen, [(5, 0), (6, 1), (25, 2), (25, 3)]);
    assert_eq!(network.app::<Replay>(replay).unwrap().sent(), 4);
    check(&mut network);
}

#[test]
fn floods_follow_replies() {
    let (mut network, _) = host_pair(LinkConfig { delay: MS, ..LinkConfig::default() });
    let flood = PingConfig { flood: true, interval: 10 * MS, ..PingConfig::new(address(2), 5) };
    let rows = run_ping(&mut network, "h1", flood.clone());
    let sent: Vec<_> = rows.iter().map(|row| row.sent / MS).collect();
    assert_eq!(sent, [0, 2, 4, 6, 8]);

    let (mut network, link) = host_pair(LinkConfig { delay: MS, ..LinkConfig::default() });
    network.set_link_up(link, false).unwrap();
    let rows = run_ping(&mut network, "h1", PingConfig { timeout: SECOND, ..flood });
    let sent: Vec<_> = rows.iter().map(|row| row.sent / MS).collect();
    assert_eq!(sent, [0, 10, 20, 30, 40]);
}

#[test]
fn reverse_flows_go_to_the_client() {
    let link = LinkConfig { rate: Some(10_000_000), delay: 5 * MS, ..LinkConfig::default() };
    let (mut network, _) = host_pair(link);
    let client = WatchConfig { outbound: true, inbound: false, ..WatchConfig::default() };
    let watch = network.watch(&[LinkEnd::new("h1", 0)], client).unwrap();
    let configs = [4000, 4001].map(|port| UdpFlowConfig {
        reverse: true,
        source_port: Some(port),
        ..flow(1_000_000, 10)
    });
    let reports = run(&mut network, configs.to_vec());
    for report in &reports {
        assert_eq!((report.sent, report.received, report.missing()), (851, 851, 0));
        assert_eq!(report.intervals.iter().map(|interval| interval.sent).sum::<u64>(), 851);
        // The first datagram is sent as soon as the client's request has arrived.
        assert!(report.arrivals.unwrap().0 < 14 * MS, "{:?}", report.arrivals);
    }
    let asked = network.take_watched(watch).unwrap();
    assert_eq!(asked.len(), 2, "one datagram of each client");
    check(&mut network);
}

#[test]
fn clients_retry_and_give_up() {
    let (mut network, link) = host_pair(LinkConfig { delay: 5 * MS, ..LinkConfig::default() });
    network.set_link_up(link, false).unwrap();
    let reverse = UdpFlowConfig { reverse: true, ..flow(1_000_000, 1) };
    let app = network.start_udp_flow("h1", "h2", reverse.clone()).unwrap();
    network.run_until(2500 * MS);
    network.set_link_up(link, true).unwrap();
    let goal = StopCondition::AppFinished { app, limit: FOREVER };
    assert_eq!(network.run_slice(goal, u64::MAX).stop, StopReason::Reached);
    let report = network.app::<UdpFlow>(app).unwrap().report();
    assert_eq!((report.received, report.missing()), (86, 0));
    assert_eq!(report.arrivals.unwrap().0, 3010 * MS, "after the fourth that was sent");

    network.set_link_up(link, false).unwrap();
    let report = run(&mut network, vec![reverse]).remove(0);
    assert_eq!(report.failure.unwrap(), "no datagram arrived after 10 requests to the server");
    check(&mut network);
}

#[test]
fn reverse_losses_are_counted() {
    let loss = Impairments { loss: Loss::Random(0.1), ..Impairments::default() };
    let link = LinkConfig { delay: 5 * MS, impairments: loss, ..LinkConfig::default() };
    let (mut network, id) = host_pair(link);
    let report = run(&mut network, vec![UdpFlowConfig { reverse: true, ..flow(1_000_000, 10) }]).remove(0);
    let lost = network.link_counters(id, Direction::Backward).unwrap().dropped_packets();
    assert_eq!((report.sent, report.missing()), (851, lost));
    assert!((50..130).contains(&lost), "{lost}");
    check(&mut network);
}

fn exchanges(count: u64, arrivals: Arrivals) -> UdpExchangesConfig {
    UdpExchangesConfig {
        destination: (address(2), 53),
        arrivals,
        count,
        request: Sizes::Fixed(100),
        response: Sizes::Fixed(1000),
        class: 0,
        timeout: 100 * MS,
        tries: 1,
    }
}

fn run_exchanges(network: &mut Network, config: UdpExchangesConfig) -> Vec<ExchangeRow> {
    let app = network.start_udp_exchanges("h1", "h2", config).unwrap();
    let stop = network.run_slice(StopCondition::AppFinished { app, limit: FOREVER }, u64::MAX).stop;
    assert_eq!(stop, StopReason::Reached);
    let exchanges = network.app::<UdpExchanges>(app).unwrap();
    assert_eq!(exchanges.failure(), None);
    exchanges.rows()
}

#[test]
fn udp_requests_take_a_round_trip() {
    let (mut network, _) =
        host_pair(LinkConfig { rate: Some(10_000_000), delay: 5 * MS, ..LinkConfig::default() });
    let rows = run_exchanges(&mut network, exchanges(5, Arrivals::Sequential { think: SECOND }));
    // A round trip takes two frames, of 142 and 1042 bytes, at 10 Mbit/s.
    let time = 10 * MS + (142 + 1042) * 800;
    assert!(rows.iter().all(|row| row.finished.unwrap() - row.started == time), "{rows:?}");
    assert!(rows.iter().all(|row| row.requested.unwrap() - row.started == 5 * MS + 142 * 800));
    assert!(rows.windows(2).all(|pair| pair[1].started == pair[0].finished.unwrap() + SECOND));
    let poisson = UdpExchangesConfig {
        request: Sizes::Exponential { mean: 200.0 },
        ..exchanges(2000, Arrivals::Poisson { mean: 5e6 })
    };
    let rows = run_exchanges(&mut network, poisson);
    let span = (rows[1999].started - rows[0].started) as f64 / 1999.0;
    assert!((4.7e6..5.3e6).contains(&span), "{span}");
    assert!(rows.iter().all(|row| row.finished.is_some() && row.request >= 16));
    assert_eq!(run_exchanges(&mut network, exchanges(1, Arrivals::At(vec![5, 0, 5]))).len(), 3);
    let rows = run_exchanges(&mut network, exchanges(50, Arrivals::Every { gap: MS }));
    assert!(rows.windows(2).all(|pair| pair[1].started == pair[0].started + MS));
    assert_eq!(rows.len(), 50);
    check(&mut network);
}

#[test]
fn lost_requests_are_retried() {
    let loss = Impairments { loss: Loss::Random(0.3), ..Impairments::default() };
    let link = LinkConfig { delay: 5 * MS, impairments: loss, ..LinkConfig::default() };
    let (mut network, _) = host_pair(link.clone());
    let rows = run_exchanges(&mut network, exchanges(500, Arrivals::Sequential { think: 0 }));
    let failed = rows.iter().filter(|row| row.failed == Some(Closed::TimedOut)).count();
    // Both directions lose packets: 1 - 0.7^2.
    assert!((215..295).contains(&failed), "{failed}");
    assert!(rows.iter().all(|row| row.failed.is_some() != row.finished.is_some()));

    let (mut network, _) = host_pair(link);
    let patient = UdpExchangesConfig { tries: 100, ..exchanges(500, Arrivals::Sequential { think: 0 }) };
    let rows = run_exchanges(&mut network, patient);
    assert!(rows.iter().all(|row| row.finished.is_some() && row.failed.is_none()));
    for row in &rows {
        assert_eq!((row.finished.unwrap() - row.started), 10 * MS + u64::from(row.repeats) * 100 * MS);
    }
    let repeats: u32 = rows.iter().map(|row| row.repeats).sum();
    // The expected number of retransmissions per request is 0.51 / 0.49.
    assert!((430..620).contains(&repeats), "{repeats}");
    check(&mut network);
}

#[test]
fn settings_of_requests_are_checked() {
    let (mut network, _) = host_pair(LinkConfig::default());
    let good = exchanges(10, Arrivals::Sequential { think: 0 });
    let bad = [
        UdpExchangesConfig { count: 0, ..good.clone() },
        UdpExchangesConfig { count: (1 << 40) + 1, ..good.clone() },
        UdpExchangesConfig { tries: 0, ..good.clone() },
        UdpExchangesConfig { timeout: 0, ..good.clone() },
        UdpExchangesConfig { request: Sizes::Fixed(15), ..good.clone() },
        UdpExchangesConfig { response: Sizes::Choice(vec![100, 70_000]), ..good.clone() },
        UdpExchangesConfig { destination: (address(2), 0), ..good.clone() },
        UdpExchangesConfig { arrivals: Arrivals::At(Vec::new()), ..good },
    ];
    for config in bad {
        assert!(network.start_udp_exchanges("h1", "h2", config.clone()).is_err(), "{config:?}");
    }
}
