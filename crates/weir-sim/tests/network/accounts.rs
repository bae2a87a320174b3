//! Packet accounting, including devices and hosts with errors; runs in slices.

use crate::world::*;
use proptest::prelude::*;
use weir_sim::{
    App, AppEvent, HostContext, Impairments, Jitter, LinkConfig, Loss, Network, Ping, PingConfig,
    PingOutcome, QdiscConfig, StopCondition, StopReason, TcpFlowConfig,
};

fn require_send<T: Send>(value: T) -> T {
    value
}

#[test]
fn lost_packets_are_detected() {
    let mut relay = Relay::new(2, 100);
    relay.swallow_every = Some(7);
    let (mut network, _) = star_network(1, 2, relay, &LinkConfig::default());
    network.start_ping("h1", PingConfig::new(address(2), 10)).unwrap();
    network.run_until_idle(FOREVER);
    let violations = network.audit().violations;
    assert_eq!(violations.len(), 2, "{violations:?}");
    assert!(violations[0].starts_with("s1: ") && violations[0].ends_with("2 never left"), "{violations:?}");
    assert!(violations[1].starts_with("the network: "));
    // Dropping the network would report the violation again.
    std::mem::forget(network);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "packets are not accounted for")]
fn audits_fail_on_missing_packets() {
    let mut relay = Relay::new(2, 100);
    relay.swallow_every = Some(7);
    let (mut network, _) = star_network(1, 2, relay, &LinkConfig::default());
    network.start_ping("h1", PingConfig::new(address(2), 10)).unwrap();
    network.run_until_idle(FOREVER);
}

#[test]
fn reported_drops_are_balanced() {
    let mut relay = Relay::new(2, 100);
    relay.drop_every = Some(7);
    let (mut network, _) = star_network(1, 2, relay, &LinkConfig::default());
    let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 10));
    assert_eq!(rows.iter().filter(|row| row.outcome == PingOutcome::Lost).count(), 2);
    let audit = check(&mut network);
    assert_eq!(audit.drops.len(), 1);
    let drop = &audit.drops[0];
    assert_eq!((&*drop.place, &*drop.reason, drop.packets), ("s1 ingress", "every so often", 2));
    assert_eq!(network.losses().drops, audit.drops);
}

#[test]
fn device_copies_are_counted() {
    let (mut network, _) = star_network(1, 4, Relay::hub(4, 100), &LinkConfig::default());
    run_ping(&mut network, "h1", PingConfig::new(address(2), 5));
    let audit = check(&mut network);
    assert_eq!((audit.created, audit.created_by_devices, audit.delivered), (10, 20, 10));
    let losses = network.losses();
    assert_eq!(losses.copies, [("s1".to_owned(), 20)]);
    assert_eq!(losses.drops.iter().map(|drop| drop.packets).sum::<u64>(), 20);
    assert_eq!(audit.drops.iter().map(|drop| drop.packets).sum::<u64>(), 20);
    assert!(audit.drops.iter().all(|drop| drop.reason == "destination MAC address of another interface"));
}

#[test]
fn ports_without_a_link_drop() {
    let mut network = Network::new(1);
    network.add_device("s1", Box::new(Relay::hub(3, 100))).unwrap();
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    let end = weir_sim::LinkEnd::new;
    network.connect(end("h1", 0), end("s1", 0), LinkConfig::default()).unwrap();
    run_ping(&mut network, "h1", PingConfig::new(address(2), 3));
    run_ping(&mut network, "h2", PingConfig::new(address(1), 2));
    let audit = check(&mut network);
    let drops: Vec<_> = audit.drops.iter().map(|d| (&*d.place, &*d.reason, d.packets)).collect();
    let reason = "port not connected";
    assert_eq!(drops, [("h2-eth0", reason, 2), ("s1-p1", reason, 3), ("s1-p2", reason, 3)]);
}

#[test]
fn slices_of_any_size_give_the_same_result() {
    let link = LinkConfig {
        rate: Some(1_000_000),
        impairments: Impairments {
            jitter: Jitter::Uniform(5000),
            loss: Loss::Random(0.05),
            ..Impairments::default()
        },
        ..LinkConfig::default()
    };
    let run = |slice: u64| {
        let (mut network, _) = require_send(star_network(9, 3, Relay::new(3, 100), &link));
        let app = network
            .start_ping("h1", PingConfig { interval: MS, ..PingConfig::new(address(3), 100) })
            .unwrap();
        let mut slices = 0;
        loop {
            let progress = network.run_slice(StopCondition::Finished { limit: FOREVER }, slice);
            slices += 1;
            assert!(progress.events <= slice);
            match progress.stop {
                StopReason::EventLimit => assert_eq!(progress.events, slice),
                StopReason::Reached => break,
                other => panic!("{other:?}"),
            }
        }
        let rows = network.app::<Ping>(app).unwrap().rows().to_vec();
        check(&mut network);
        (rows, slices)
    };
    let ((whole, one), (sliced, many)) = (run(u64::MAX), run(10));
    assert_eq!(whole, sliced);
    assert!(one == 1 && many > 50);
}

#[test]
fn runs_end_when_their_condition_holds() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 100), &LinkConfig::default());
    assert_eq!(network.run_until(5000).now, 5000);
    assert_eq!(
        network.run_until_idle(FOREVER),
        weir_sim::RunResult { now: 5000, events: 0, stop: StopReason::Reached }
    );
    network.start_ping("h1", PingConfig::new(address(2), 2)).unwrap();
    let progress = network.run_until_finished(6000);
    assert_eq!((progress.now, progress.stop), (6000, StopReason::TimeLimit));
    let progress = network.run_until_finished(FOREVER);
    assert_eq!((progress.now, progress.stop), (5000 + SECOND + 200, StopReason::Reached));
    // Time does not run backwards.
    assert_eq!(network.run_until(0).now, 5000 + SECOND + 200);
    check(&mut network);
}

#[test]
fn devices_are_woken_only_when_due() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 50 * MS), &LinkConfig::default());
    run_ping(&mut network, "h1", PingConfig { interval: MS, ..PingConfig::new(address(2), 1000) });
    assert!(network.device::<Relay>("s1").unwrap().wakes <= 2000);
    assert!(network.events_pending() < 10);
    // For each ping, there are four frames over a link, two events of the relay, and the sending
    // and the time-out of the ping.
    assert!(network.events_handled() <= 1000 * (4 + 2 + 2) + 1);
    check(&mut network);
}

#[test]
fn idle_applications_end_the_run() {
    struct Patient(u64);
    impl App for Patient {
        fn start(&mut self, host: &mut HostContext<'_>) {
            host.wake_at(host.now() + 10, 42);
            host.wake_at(0, 43);
        }
        fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
            self.0 = self.0 * 100 + token;
            host.send_frame(0, [[2; 6].as_slice(), &[0; 14]].concat());
        }
        fn receive(&mut self, _: &AppEvent<'_>, _: &mut HostContext<'_>) {}
        fn finished(&self) -> bool {
            false
        }
    }
    let (mut network, _) = star_network(1, 2, Relay::new(2, 100), &LinkConfig::default());
    let app = network.start_app("h1", 1000, Box::new(Patient(0))).unwrap();
    let progress = network.run_until_finished(FOREVER);
    assert_eq!((progress.now, progress.stop), (1010 + 100, StopReason::NothingLeft));
    assert_eq!(network.app::<Patient>(app).unwrap().0, 4342);
    assert!(network.app::<Ping>(app).is_none() && !network.app_finished(app));
    check(&mut network);
}

#[test]
fn frame_memory_follows_the_peak() {
    let queue = QdiscConfig::packets(40);
    let link = LinkConfig { rate: Some(5_000_000), delay: 3 * MS, queue, ..LinkConfig::default() };
    let (mut network, _) = star_network(5, 4, Relay::new(4, 1000), &link);
    for from in [1, 3] {
        let config = TcpFlowConfig::new((address(from + 1), 5201), 60 * SECOND);
        network.start_tcp_flow(&format!("h{from}"), &format!("h{}", from + 1), config).unwrap();
    }
    network.start_ping("h1", PingConfig { interval: 10 * MS, ..PingConfig::new(address(4), 5900) }).unwrap();
    // The queues were full by then.
    network.run_until(10 * SECOND);
    let (_, early) = network.frames();
    network.run_until(60 * SECOND);
    // By chance, a few more frames may coincide than before.
    assert!(network.frames().1 <= early + early / 4, "{early} and then {}", network.frames().1);
    check(&mut network);
    assert_eq!((network.frames().0, network.events_pending()), (0, 0));
}

/// Returns a nearly valid IPv4 or ARP frame for h1.
fn nearly_valid_frame() -> impl Strategy<Value = Vec<u8>> {
    let header = |ethertype: u16| {
        let mut bytes = vec![8, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0, 2];
        bytes.extend(ethertype.to_be_bytes());
        bytes
    };
    let bytes = prop::collection::vec(any::<u8>(), 0..120);
    let ipv4 = (any::<u8>(), 0u8..4, any::<u16>(), any::<u16>(), 0usize..3, bytes.clone()).prop_map(
        move |(ihl, protocol, length, flags, source, payload)| {
            let mut ip = vec![0; 20];
            ip[0] = if ihl < 128 { 0x45 } else { 0x40 | (ihl & 15) };
            let whole = 20 + payload.len() as u16;
            let length = if length < 0x2000 { length } else { whole };
            ip[2..4].copy_from_slice(&length.to_be_bytes());
            let flags = if flags < 0x8000 { 0 } else { flags };
            ip[6..8].copy_from_slice(&flags.to_be_bytes());
            ip[8] = 64;
            ip[9] = [1, 17, 6, 1][usize::from(protocol)];
            ip[12..16].copy_from_slice(&[[10, 0, 0, 2], [10, 0, 0, 77], [0, 0, 0, 0]][source]);
            ip[16..20].copy_from_slice(&[10, 0, 0, 1]);
            ip.extend(payload);
            if ip[9] == 1 && ip.len() >= 24 {
                ip[22..24].fill(0);
                let sum = checksum(&ip[20..]);
                ip[22..24].copy_from_slice(&sum.to_be_bytes());
            }
            let header_len = (usize::from(ip[0] & 15) * 4).min(ip.len());
            let sum = checksum(&ip[..header_len]);
            ip[10..12].copy_from_slice(&sum.to_be_bytes());
            let mut frame = header(0x0800);
            frame.extend(ip);
            frame
        },
    );
    let arp = bytes.clone().prop_map(move |payload| {
        let mut frame = header(0x0806);
        frame.extend([0, 1, 8, 0, 6, 4, 0]);
        frame.extend(payload);
        frame
    });
    prop_oneof![1 => bytes, 6 => ipv4, 1 => arp]
}

fn checksum(bytes: &[u8]) -> u16 {
    let sum = bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)))
        .sum::<u32>();
    let sum = (sum & 0xffff) + (sum >> 16);
    !(((sum & 0xffff) + (sum >> 16)) as u16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn malformed_frames_never_stop_a_host(frames in prop::collection::vec(nearly_valid_frame(), 1..40)) {
        let mut network = Network::new(1);
        network.add_host(host_with_neighbours(1, 2)).unwrap();
        network.add_host(host_with_neighbours(2, 2)).unwrap();
        let end = weir_sim::LinkEnd::new;
        network.connect(end("h1", 0), end("h2", 0), LinkConfig::default()).unwrap();
        let count = frames.len() as u64;
        network.start_app("h1", 0, Box::new(weir_sim::UdpReceiver::new(9))).unwrap();
        for frame in frames {
            network.send_frame("h2", 0, frame).unwrap();
        }
        network.run_until_idle(FOREVER);
        prop_assert!(network.audit().created >= count);
        let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 1));
        prop_assert_eq!(rtt(&rows[0]), 0);
        check(&mut network);
    }
}
