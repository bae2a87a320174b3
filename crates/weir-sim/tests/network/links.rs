//! Links: queues, loss, jitter, links going down, changes of the rate.

use crate::world::*;
use weir_sim::{
    Direction, Error, HostConfig, Impairments, Jitter, LinkConfig, LinkEnd, LinkId, Loss, MacAddress,
    Network, QdiscConfig, TbfConfig, UdpReceiver, UdpSender, UdpSenderConfig,
};

/// Returns two hosts on one link.
fn host_pair(seed: u64, link: LinkConfig) -> (Network, LinkId) {
    let mut network = Network::new(seed);
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    let link = network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
    (network, link)
}

/// Returns a frame of `bytes` bytes from h1 to h2 that no application of h2 receives.
fn frame(bytes: usize) -> Vec<u8> {
    let mut frame = vec![8, 0, 0, 0, 0, 2, 8, 0, 0, 0, 0, 1, 0x88, 0xb5];
    frame.resize(bytes, 0);
    frame
}

#[test]
fn full_link_queues_drop() {
    let config =
        LinkConfig { rate: Some(1_000_000), queue: QdiscConfig::packets(10), ..LinkConfig::default() };
    let (mut network, link) = host_pair(1, config);
    for _ in 0..25 {
        network.send_frame("h1", 0, frame(125)).unwrap();
    }
    // One frame is being sent, ten are queued.
    let counters = network.link_counters(link, Direction::Forward).unwrap();
    assert_eq!((counters.sent_packets, counters.queue_now, counters.dropped_queue_full), (1, 10, 14));
    assert_eq!(network.audit().in_flight.total(), 11);
    let audit = check(&mut network);
    let drops: Vec<_> = audit.drops.iter().map(|d| (&*d.place, &*d.reason, d.packets)).collect();
    assert_eq!(
        drops,
        [("h1-eth0->h2-eth0", "queue full", 14), ("h2-eth0", "no receiver for this EtherType", 11)]
    );
    let counters = network.link_counters(link, Direction::Forward).unwrap();
    assert_eq!((counters.delivered_packets, counters.delivered_bytes), (11, 11 * 125));
    assert_eq!((counters.busy, counters.queue_max, counters.queue_now), (11 * MS, 10, 0));
    assert_eq!(network.now(), 11 * MS);
    assert_eq!(network.link_counters(link, Direction::Backward).unwrap().offered_packets, 0);
}

#[test]
fn a_busy_link_does_not_drift() {
    // 100 bytes take 266.6… ns at 3 Gbit/s. A thousand frames take 266 666.6… ns.
    let (mut network, _) = host_pair(1, LinkConfig { rate: Some(3_000_000_000), ..LinkConfig::default() });
    for _ in 0..1000 {
        network.send_frame("h1", 0, frame(100)).unwrap();
    }
    check(&mut network);
    assert_eq!(network.now(), 266_667);
}

#[test]
fn loss_is_as_frequent_as_asked_for() {
    for (loss, range) in [(0.0, 0..=0), (0.1, 1850..=2150), (1.0, 20_000..=20_000)] {
        let (mut network, link) = host_pair(
            7,
            LinkConfig {
                impairments: Impairments { loss: Loss::Random(loss), ..Impairments::default() },
                ..LinkConfig::default()
            },
        );
        for _ in 0..20_000 {
            network.send_frame("h1", 0, frame(60)).unwrap();
        }
        let lost = check(&mut network)
            .drops
            .iter()
            .find(|d| d.reason == "lost on the wire")
            .map_or(0, |d| d.packets);
        // With a probability of 0.1, the standard deviation is 42.
        assert!(range.contains(&lost), "{lost} lost of 20000 at {loss}");
        assert_eq!(network.link_counters(link, Direction::Forward).unwrap().dropped_loss, lost);
    }
}

#[test]
fn bounded_jitter_keeps_order() {
    let config = LinkConfig {
        delay: 1000,
        impairments: Impairments { jitter: Jitter::Uniform(500), ..Impairments::default() },
        ..LinkConfig::default()
    };
    let (mut network, _) = host_pair(3, config);
    let receiver = network.start_app("h2", 0, Box::new(UdpReceiver::new(9))).unwrap();
    let sender = UdpSenderConfig {
        destination: (address(2), 9),
        source_port: 1000,
        payload_bytes: 100,
        interval: 10,
        count: 2000,
    };
    network.start_app("h1", 0, Box::new(UdpSender::new(sender).unwrap())).unwrap();
    check(&mut network);
    let receiver = network.app::<UdpReceiver>(receiver).unwrap();
    assert_eq!((receiver.packets(), receiver.reordered_datagrams()), (2000, 0));

    let rows = run_ping(
        &mut network,
        "h1",
        weir_sim::PingConfig { interval: 10_000, ..weir_sim::PingConfig::new(address(2), 2000) },
    );
    let rtts: Vec<_> = rows.iter().map(rtt).collect();
    let (min, max) = (*rtts.iter().min().unwrap(), *rtts.iter().max().unwrap());
    assert!((2000..2060).contains(&min) && (2940..=3000).contains(&max), "{min} to {max}");
    let mean = rtts.iter().sum::<u64>() as f64 / rtts.len() as f64;
    // The sum of two uniform times from 0 to 500: mean 500; the standard deviation of the mean of
    // 2000 is 4.6.
    assert!((mean - 2500.0).abs() < 20.0, "{mean}");
}

#[test]
fn a_link_that_goes_down_loses_what_is_on_it() {
    let config = LinkConfig { rate: Some(1_000_000), delay: 10 * MS, ..LinkConfig::default() };
    let (mut network, link) = host_pair(1, config);
    for _ in 0..5 {
        network.send_frame("h1", 0, frame(125)).unwrap();
    }
    // After 11.5 ms the first has arrived, the other four are on the wire.
    network.run_until(11_500_000);
    network.send_frame("h1", 0, frame(125)).unwrap();
    network.send_frame("h1", 0, frame(125)).unwrap();
    network.set_link_up(link, false).unwrap();
    assert!(!network.link(link).unwrap().up);
    network.send_frame("h1", 0, frame(125)).unwrap();
    network.run_until(12 * MS);
    network.set_link_up(link, true).unwrap();
    network.send_frame("h1", 0, frame(125)).unwrap();
    check(&mut network);
    let counters = network.link_counters(link, Direction::Forward).unwrap();
    assert_eq!((counters.delivered_packets, counters.dropped_down), (2, 7));
    assert_eq!(network.now(), 23 * MS);
}

#[test]
fn devices_know_which_of_their_links_are_down() {
    let mut network = Network::new(1);
    network.add_host(host(1)).unwrap();
    network.add_device("s1", Box::new(Relay::new(2, 0))).unwrap();
    network.add_device("s2", Box::new(Relay::new(9, 0))).unwrap();
    let ends =
        |first: &str, port, second: &str, other| [LinkEnd::new(first, port), LinkEnd::new(second, other)];
    let mut connect =
        |[first, second]: [LinkEnd; 2]| network.connect(first, second, LinkConfig::default()).unwrap();
    let [access, trunk] = [connect(ends("h1", 0, "s1", 0)), connect(ends("s1", 1, "s2", 7))];
    network.run_until(MS);
    network.set_link_up(trunk, false).unwrap();
    network.run_until(2 * MS);
    network.set_link_up(access, false).unwrap();
    network.set_link_up(trunk, true).unwrap();
    let heard = |name: &str| network.device::<Relay>(name).unwrap().ports_up.clone();
    assert_eq!(heard("s1"), [(MS, 1, false), (2 * MS, 0, false), (2 * MS, 1, true)]);
    assert_eq!(heard("s2"), [(MS, 7, false), (2 * MS, 7, true)]);
}

#[test]
fn a_new_rate_holds_from_the_next_frame_on() {
    let slow = LinkConfig { rate: Some(1_000_000), ..LinkConfig::default() };
    let (mut network, link) = host_pair(1, slow.clone());
    for _ in 0..3 {
        network.send_frame("h1", 0, frame(125)).unwrap();
    }
    network.run_until(MS / 2);
    network.set_link(link, Direction::Forward, LinkConfig { rate: Some(10_000_000), ..slow }).unwrap();
    check(&mut network);
    assert_eq!(network.now(), MS + 2 * MS / 10);
    assert_eq!(network.link(link).unwrap().config[1].rate, Some(1_000_000));

    // Unlimited: queued frames leave with the frame being sent.
    for _ in 0..3 {
        network.send_frame("h2", 0, frame(125)).unwrap();
    }
    let start = network.now();
    network.set_link(link, Direction::Backward, LinkConfig::default()).unwrap();
    check(&mut network);
    assert_eq!(network.now(), start + MS);
}

/// Sends `count` numbered frames at once. Returns their numbers in the order of arrival.
fn arrival_order(link: LinkConfig, count: u8) -> Vec<u8> {
    let (mut network, _) = host_pair(1, link);
    let capture = network.capture_to_memory(&[LinkEnd::new("h2", 0)]).unwrap();
    for number in 0..count {
        let mut frame = frame(125);
        frame[14] = number;
        network.send_frame("h1", 0, frame).unwrap();
    }
    check(&mut network);
    let bytes = network.finish_capture(capture).unwrap();
    let ours = bytes.windows(15).filter(|window| window[..14] == frame(14)[..]);
    ours.map(|window| window[14]).collect()
}

#[test]
fn link_mtu_drops_longer_packets() {
    let (mut network, link) = host_pair(1, LinkConfig { mtu: Some(100), ..LinkConfig::default() });
    for bytes in [114, 115, 60] {
        network.send_frame("h1", 0, frame(bytes)).unwrap();
    }
    let audit = check(&mut network);
    let drops: Vec<_> = audit.drops.iter().map(|d| (&*d.place, &*d.reason, d.packets)).collect();
    assert_eq!(drops[0], ("h1-eth0->h2-eth0", "larger than the link's MTU", 1));
    assert_eq!(network.link_counters(link, Direction::Forward).unwrap().dropped_mtu, 1);
}

#[test]
fn copies_arrive_directly_after_originals() {
    let impairments = Impairments { duplicate: 1.0, ..Impairments::default() };
    let link = LinkConfig { rate: Some(1_000_000), impairments, ..LinkConfig::default() };
    assert_eq!(arrival_order(link.clone(), 3), [0, 0, 1, 1, 2, 2]);
    let (mut network, link) = host_pair(1, link);
    network.send_frame("h1", 0, frame(125)).unwrap();
    let audit = check(&mut network);
    assert_eq!((audit.created, audit.created_by_links, network.now()), (1, 1, MS));
    let counters = network.link_counters(link, Direction::Forward).unwrap();
    assert_eq!((counters.sent_packets, counters.delivered_packets, counters.duplicates), (1, 2, 1));
}

#[test]
fn frames_overtake_a_delayed_frame() {
    let impairments = Impairments { reorder: Some((0.2, 10 * MS)), ..Impairments::default() };
    let link = LinkConfig { rate: Some(1_000_000), impairments, ..LinkConfig::default() };
    let arrived = arrival_order(link, 40);
    let late: Vec<_> = (0..40).filter(|i| arrived[..*i].iter().any(|before| *before > arrived[*i])).collect();
    assert!((3..14).contains(&late.len()), "{arrived:?}");
    // A frame takes 1 ms; a delayed frame is overtaken by ten, and the others keep their order.
    for number in late.iter().map(|i| arrived[*i]).filter(|number| *number < 20) {
        let before = arrived.iter().take_while(|n| **n != number).filter(|n| **n > number).count();
        assert!((5..=10).contains(&before), "{number}: {arrived:?}");
    }
    let mut sorted = arrived;
    sorted.sort_unstable();
    assert_eq!(sorted, (0..40).collect::<Vec<_>>());
}

#[test]
fn jitter_reorders_only_if_allowed() {
    let jitter = Jitter::Exponential { mean: 5 * MS };
    for overtake in [false, true] {
        let impairments = Impairments { jitter: jitter.clone(), overtake, ..Impairments::default() };
        let arrived =
            arrival_order(LinkConfig { rate: Some(1_000_000), impairments, ..LinkConfig::default() }, 50);
        assert_eq!(!arrived.is_sorted(), overtake, "{arrived:?}");
    }
}

#[test]
fn negative_delays_are_clamped() {
    let impairments = Impairments { jitter: Jitter::Normal { sigma: 5 * MS }, ..Impairments::default() };
    let link = LinkConfig { delay: MS, impairments, ..LinkConfig::default() };
    let (mut network, _) = host_pair(1, link);
    let config = weir_sim::PingConfig { interval: 100 * MS, ..weir_sim::PingConfig::new(address(2), 200) };
    let rtts: Vec<_> = run_ping(&mut network, "h1", config).iter().map(rtt).collect();
    assert!(rtts.contains(&0) && rtts.iter().any(|rtt| *rtt > 10 * MS), "{rtts:?}");
}

#[test]
fn shaped_links_follow_rate_changes() {
    let tbf =
        |rate| QdiscConfig::Tbf(TbfConfig { rate, burst: 1000, peak: None, limit: 1_000_000, queue: None });
    let config = LinkConfig { rate: Some(1_000_000_000), queue: tbf(1_000_000), ..LinkConfig::default() };
    let (mut network, link) = host_pair(1, config.clone());
    for _ in 0..108 {
        network.send_frame("h1", 0, frame(125)).unwrap();
    }
    // Eight frames pass at once, then one per millisecond.
    network.run_until(50 * MS);
    assert_eq!(network.link_counters(link, Direction::Forward).unwrap().sent_packets, 58);
    // The other frames take a tenth of the time; frames that waited for tokens leave earlier.
    network
        .set_link(link, Direction::Forward, LinkConfig { queue: tbf(10_000_000), ..config.clone() })
        .unwrap();
    network.run_until(56 * MS);
    assert_eq!(network.link_counters(link, Direction::Forward).unwrap().queue_now, 0);
    check(&mut network);

    for _ in 0..20 {
        network.send_frame("h1", 0, frame(125)).unwrap();
    }
    network
        .set_link(link, Direction::Forward, LinkConfig { queue: QdiscConfig::packets(5), ..config })
        .unwrap();
    let audit = check(&mut network);
    let replaced = audit.drops.iter().find(|d| d.reason == "queueing discipline replaced").unwrap();
    assert_eq!((&*replaced.place, replaced.packets), ("h1-eth0->h2-eth0", 19));
}

#[test]
fn wrong_connections_are_refused() {
    let (mut network, link) = host_pair(1, LinkConfig::default());
    let end = LinkEnd::new;
    let mut connect = |a, b, config| network.connect(a, b, config).unwrap_err();
    let link_config = LinkConfig::default;
    let error = connect(end("h3", 0), end("h1", 0), link_config());
    assert_eq!(error.to_string(), "there is no node called `h3`; the nodes are: h1, h2");
    let error = connect(end("h1", 0), end("h2", 0), link_config());
    assert_eq!(error, Error::PortInUse { node: "h1".into(), port: 0 });
    let error = connect(end("h1", 1), end("h2", 0), link_config());
    assert_eq!(error.to_string(), "host `h1` has no interface 1; it has 1, counted from 0");
    for config in [
        LinkConfig { rate: Some(0), ..link_config() },
        LinkConfig {
            impairments: Impairments { loss: Loss::Random(1.1), ..Impairments::default() },
            ..link_config()
        },
        LinkConfig {
            impairments: Impairments { loss: Loss::Random(f64::NAN), ..Impairments::default() },
            ..link_config()
        },
        LinkConfig { delay: u64::MAX, ..link_config() },
        LinkConfig {
            impairments: Impairments { jitter: Jitter::Uniform(u64::MAX), ..Impairments::default() },
            ..link_config()
        },
    ] {
        assert!(matches!(connect(end("h1", 0), end("h2", 0), config), Error::BadLink { .. }));
    }
    network.add_device("s1", Box::new(Relay::new(2, 0))).unwrap();
    let error = network.connect(end("s1", 1), end("s1", 1), link_config()).unwrap_err();
    assert_eq!(error, Error::SelfLink { node: "s1".into(), port: 1 });
    assert_eq!(network.links().len(), 1);
    assert_eq!(network.link_at(&end("s1", 1)), Err(Error::NotConnected { node: "s1".into(), port: 1 }));
    assert_eq!(network.link_at(&end("h2", 0)), Ok(link));
}

#[test]
fn wrong_nodes_are_refused() {
    let (mut network, _) = host_pair(1, LinkConfig::default());
    let add = |network: &mut Network, config| network.add_host(config).unwrap_err().to_string();
    assert_eq!(add(&mut network, host(1)), "there is already a node called `h1`");
    for name in ["", "h 1", "h\n"] {
        let config = HostConfig { name: name.into(), ..host(3) };
        assert!(matches!(network.add_host(config), Err(Error::BadName(_))));
    }
    let config = HostConfig::new("h3", MacAddress::BROADCAST, "10.0.0.3/24".parse().unwrap());
    assert!(add(&mut network, config).contains("expected a unicast one"));
    for address in ["10.0.0.255/24", "0.0.0.0/0", "224.0.0.1/8", "255.255.255.255/32"] {
        let config = HostConfig::new("h3", MacAddress([2; 6]), address.parse().unwrap());
        assert!(add(&mut network, config).contains("expected a unicast address"), "{address}");
    }
    let mut config = host(3);
    config.interfaces[0].mtu = 67;
    assert!(add(&mut network, config).contains("expected 68 to 65535"));
    let mut config = host(3);
    config.routes.push(weir_sim::Route { interface: 1, ..default_route("10.0.0.1") });
    assert!(add(&mut network, config).contains("no interface 1"));
    assert!(add(&mut network, HostConfig { interfaces: Vec::new(), ..host(3) }).contains("no interface"));
    assert!(matches!(network.device::<Relay>("h1"), Err(Error::NotADevice(_))));
    assert_eq!(network.nodes().len(), 2);
}
