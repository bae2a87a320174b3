//! Samplers, watches and programs that stop the run.

use crate::world::*;
use weir_sim::{
    App, AppEvent, Binding, Direction, Filter, HostContext, LinkConfig, LinkEnd, Nanos, Network, PingConfig,
    Sample, StopCondition, StopReason, TcpFlowConfig, UdpSender, UdpSenderConfig, WatchConfig,
};

/// Returns two hosts on a link of 1 Mbit/s: a frame of 1250 bytes takes 10 ms.
fn slow_network() -> Network {
    let mut network = Network::new(1);
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    let link = LinkConfig { rate: Some(1_000_000), delay: MS, ..LinkConfig::default() };
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
    network
}

/// Frames of 1250 bytes from h1 to h2, all at once.
fn send_burst(network: &mut Network, count: u64) {
    let config = UdpSenderConfig {
        destination: (address(2), 9),
        source_port: 1000,
        payload_bytes: 1250 - 42,
        interval: 1,
        count,
    };
    network.start_app("h1", 0, Box::new(UdpSender::new(config).unwrap())).unwrap();
}

/// Packets in a device are reported for the port that they will leave by, at the device's ends
/// only.
#[test]
fn a_sampler_sees_the_queues_of_a_device() {
    let (mut network, _) = star_network(1, 3, Relay::new(3, 25 * MS), &LinkConfig::default());
    // Lets the relay learn where h2 is.
    run_ping(&mut network, "h2", PingConfig::new(address(1), 1));
    let begin = network.now();
    let ends = [LinkEnd::new("s1", 1), LinkEnd::new("s1", 2), LinkEnd::new("h1", 0)];
    let sampler = network.sample(&ends, 10 * MS).unwrap();
    send_burst(&mut network, 4);
    network.run_until(begin + 40 * MS);
    let waiting = |end| network.device_queue_samples(sampler, end).unwrap();
    assert_eq!(waiting(0), [[1, 4, 4, 0, 0], [0; 5]]);
    assert_eq!(waiting(1), [[0; 5]; 2]);
    assert_eq!(waiting(2), Vec::<Vec<u32>>::new());
    assert_eq!(network.samples(sampler, 0).unwrap().len(), 5);
    check(&mut network);
}

#[test]
fn a_sampler_sees_the_queue_drain() {
    let mut network = slow_network();
    send_burst(&mut network, 4);
    let sampler = network.sample(&[LinkEnd::new("h1", 0), LinkEnd::new("h2", 0)], 10 * MS).unwrap();
    assert_eq!(network.run_until(50 * MS).stop, StopReason::Reached);
    let samples = network.samples(sampler, 0).unwrap();
    let seen: Vec<_> = samples.iter().map(|s| (s.time / MS, s.queue_packets, s.sent_bytes / 1250)).collect();
    // At 0 the other frames of the burst have not been sent; a transmission ends at the time of
    // each further sample.
    assert_eq!(seen, [(0, 0, 1), (10, 2, 2), (20, 1, 3), (30, 0, 4), (40, 0, 4), (50, 0, 4)]);
    assert!(
        samples.iter().all(|sample| sample.busy == sample.time.min(40 * MS)),
        "no time counts before it has passed"
    );
    assert_eq!(network.samples(sampler, 1).unwrap().len(), 6);
    network.stop_sampler(sampler).unwrap();
    network.run_until(100 * MS);
    assert_eq!(network.samples(sampler, 0).unwrap().len(), 6);
}

#[test]
fn runs_become_idle_despite_samplers() {
    let mut network = slow_network();
    send_burst(&mut network, 1);
    let sampler = network.sample(&[LinkEnd::new("h1", 0)], MS).unwrap();
    assert_eq!(network.run_until_idle(FOREVER).stop, StopReason::Reached);
    // Samples were taken only as long as there were events.
    let last: Sample = *network.samples(sampler, 0).unwrap().last().unwrap();
    assert!(last.time <= 20 * MS, "{last:?}");
    assert!(network.sample(&[LinkEnd::new("h1", 0)], 0).is_err());
    assert!(network.sample(&[LinkEnd::new("h9", 0)], MS).is_err());
}

/// Samplers do not keep a run going for pings, datagrams, or a connection that stays in TIME-WAIT
/// for a minute.
#[test]
fn samplers_do_not_keep_a_run_going() {
    let link = LinkConfig { rate: Some(10_000_000), delay: MS, ..LinkConfig::default() };
    let run = |every: &[Nanos]| {
        let (mut network, _) = star_network(1, 3, Relay::new(3, 25 * MS), &link);
        let ends = [LinkEnd::new("h1", 0), LinkEnd::new("s1", 1)];
        let samplers: Vec<_> = every.iter().map(|&every| network.sample(&ends, every).unwrap()).collect();
        network.start_ping("h2", PingConfig::new(address(1), 3)).unwrap();
        send_burst(&mut network, 4);
        network.start_tcp_flow("h1", "h2", TcpFlowConfig::new((address(2), 5201), SECOND)).unwrap();
        assert_eq!(network.run_until_idle(FOREVER).stop, StopReason::Reached);
        let rest = network.now();
        let taken = |network: &Network| -> usize {
            samplers.iter().map(|&sampler| network.samples(sampler, 0).unwrap().len()).sum()
        };
        let before = taken(&network);
        // Running again with any condition takes no time and adds no sample.
        assert_eq!(network.run_until_idle(FOREVER).stop, StopReason::Reached);
        assert_eq!(network.run_until_finished(FOREVER).stop, StopReason::Reached);
        assert_eq!((network.now(), taken(&network)), (rest, before));
        let expected: u64 = every.iter().map(|every| rest / every + 1).sum();
        assert!(before as u64 <= expected, "{before} samples of {expected} moments");
        rest
    };
    let unseen = run(&[]);
    assert!(unseen < 200 * SECOND, "{unseen}");
    assert_eq!(run(&[7 * MS, 100 * MS]), unseen);
}

#[test]
fn samplers_do_not_affect_a_run() {
    let run = |sampled: bool| {
        let mut network = slow_network();
        let capture = network.capture_to_memory(&[LinkEnd::new("h2", 0)]).unwrap();
        if sampled {
            network.sample(&[LinkEnd::new("h1", 0)], MS / 7).unwrap();
        }
        send_burst(&mut network, 20);
        network.run_until(SECOND);
        (network.events_handled(), network.finish_capture(capture).unwrap())
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_watch_stops_the_run_at_each_frame() {
    let mut network = slow_network();
    let watch = network
        .watch(&[LinkEnd::new("h2", 0)], WatchConfig { stops: true, ..WatchConfig::default() })
        .unwrap();
    send_burst(&mut network, 3);
    let mut times = Vec::new();
    while network.run_slice(StopCondition::Time(SECOND), u64::MAX).stop == StopReason::Requested {
        let seen = network.take_watched(watch).unwrap();
        assert!(seen.iter().all(|frame| frame.time == network.now()));
        times.extend(seen.iter().map(|frame| (frame.time / MS, frame.outbound, frame.bytes.len())));
    }
    // Port 9 of h2 is not bound, so h2 answers each datagram with an ICMP error at once; the first
    // error is in flight when the next datagram arrives.
    let inbound: Vec<_> = times.iter().filter(|seen| !seen.1).collect();
    assert_eq!(inbound, [&(11, false, 1250), &(21, false, 1250), &(31, false, 1250)]);
    assert_eq!(times.len(), 6);
    network.finish_capture(watch).unwrap();
    assert!(network.take_watched(watch).is_err());
    check(&mut network);
}

/// Stops the run for each datagram.
struct Mailbox(Vec<Vec<u8>>);

impl App for Mailbox {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Udp(9)).unwrap();
    }
    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}
    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        if let AppEvent::Udp { payload, .. } = arrival {
            self.0.push(payload.to_vec());
            host.request_stop();
        }
    }
    fn finished(&self) -> bool {
        true
    }
}

#[test]
fn programs_act_between_events() {
    let mut network = slow_network();
    let program = network.start_app("h2", 0, Box::new(Mailbox(Vec::new()))).unwrap();
    let peer = network.start_app("h1", 0, Box::new(Mailbox(Vec::new()))).unwrap();
    network.run_until(0);
    network
        .call_app(peer, |_: &mut Mailbox, host| host.send_udp(9, (address(2), 9), b"ping"))
        .unwrap()
        .unwrap();
    let stop = network.run_slice(StopCondition::Time(SECOND), u64::MAX);
    assert_eq!(stop.stop, StopReason::Requested);
    let at = network.now();
    let got = network.call_app(program, |app: &mut Mailbox, host| {
        host.send_udp(9, (address(1), 9), b"pong").unwrap();
        std::mem::take(&mut app.0)
    });
    assert_eq!(got, Some(vec![b"ping".to_vec()]));
    assert_eq!(network.run_slice(StopCondition::Time(SECOND), u64::MAX).stop, StopReason::Requested);
    assert_eq!(network.now(), 2 * at);
    assert_eq!(network.bound_app("h1", Binding::Udp(9)), Ok(Some(peer)));
    assert_eq!(network.bound_app("h1", Binding::Udp(8)), Ok(None));
    check(&mut network);
}

#[test]
fn stops_do_not_affect_a_run() {
    let run = |watched: bool| {
        let mut network = slow_network();
        let capture = network.capture_to_memory(&[LinkEnd::new("h2", 0)]).unwrap();
        if watched {
            network
                .watch(
                    &[LinkEnd::new("h1", 0), LinkEnd::new("h2", 0)],
                    WatchConfig { stops: true, ..WatchConfig::default() },
                )
                .unwrap();
        }
        network.start_ping("h1", PingConfig::new(address(2), 5)).unwrap();
        while network.run_slice(StopCondition::Idle { limit: FOREVER }, u64::MAX).stop
            == StopReason::Requested
        {}
        let counters = network.link_counters(network.links()[0].id, Direction::Forward).unwrap();
        (network.now(), counters, network.finish_capture(capture).unwrap())
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn watches_and_captures_filter() {
    let mut network = slow_network();
    let only = |text: &str| Filter::parse(text).unwrap();
    let config = WatchConfig { filter: Some(only("icmp and src host 10.0.0.2")), ..WatchConfig::default() };
    let watch = network.watch(&[LinkEnd::new("h1", 0)], config).unwrap();
    let outbound = WatchConfig { inbound: false, ..WatchConfig::default() };
    let sent = network.watch(&[LinkEnd::new("h1", 0)], outbound).unwrap();
    let capture =
        network.capture_matching(&[LinkEnd::new("h1", 0)], only("arp"), Box::new(std::io::sink())).unwrap();
    network.start_ping("h1", PingConfig::new(address(2), 3)).unwrap();
    send_burst(&mut network, 2);
    network.run_until_idle(FOREVER);
    // Three replies, and two errors about datagrams to an unbound port.
    let seen = network.take_watched(watch).unwrap();
    assert_eq!(seen.iter().map(|frame| frame.outbound).collect::<Vec<_>>(), [false; 5]);
    assert_eq!(network.take_watched(sent).unwrap().len(), 5);
    assert_eq!(network.finish_capture(capture), Ok(Vec::new()));
}

#[test]
fn a_slice_ends_at_its_limit_of_samples() {
    let mut network = slow_network();
    let sampler = network.sample(&[LinkEnd::new("h1", 0)], 1).unwrap();
    let slice = network.run_slice(StopCondition::Time(SECOND), 1000);
    assert_eq!(slice.stop, StopReason::EventLimit);
    assert!(slice.events < 1000 && slice.now < 1000, "{slice:?}");
    assert!(network.samples(sampler, 0).unwrap().len() <= 1000);
    network.stop_sampler(sampler).unwrap();
    assert_eq!(network.run_slice(StopCondition::Time(SECOND), 1000).stop, StopReason::Reached);
}
