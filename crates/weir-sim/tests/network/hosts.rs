//! Hosts: reasons for drops, address resolution, ICMP errors, several interfaces, UDP.

use crate::world::*;
use etherparse::{ArpEthIpv4Packet, ArpOperation, Icmpv4Type, PacketBuilder, SlicedPacket, icmpv4};
use weir_sim::{
    Direction, HostConfig, IcmpError, InterfaceConfig, LinkConfig, LinkEnd, MacAddress, Network, PingConfig,
    PingOutcome, QdiscConfig, Route, UdpReceiver, UdpSender, UdpSenderConfig,
};

const H1: [u8; 6] = [8, 0, 0, 0, 0, 1];
const H2: [u8; 6] = [8, 0, 0, 0, 0, 2];

/// Creates h1 and h2 on an unlimited link.
fn host_pair() -> Network {
    let mut network = Network::new(1);
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), LinkConfig::default()).unwrap();
    network
}

/// Returns an echo request from h2 to h1.
fn echo_request() -> Vec<u8> {
    let builder =
        PacketBuilder::ethernet2(H2, H1).ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).icmpv4_echo_request(1, 1);
    let mut frame = Vec::new();
    builder.write(&mut frame, b"payload!").unwrap();
    frame
}

fn udp() -> Vec<u8> {
    let mut frame = Vec::new();
    let builder = PacketBuilder::ethernet2(H2, H1).ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).udp(1000, 9);
    builder.write(&mut frame, b"payload!").unwrap();
    frame
}

/// Changes an IPv4 frame and corrects its header checksum.
fn change_ipv4_frame(mut frame: Vec<u8>, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    change(&mut frame);
    frame[24..26].fill(0);
    let sum: u32 = frame[14..34].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    frame[24..26].copy_from_slice(&sum.to_be_bytes());
    frame
}

#[test]
fn dropped_frames_have_reasons() {
    let spoilt = |place: usize| {
        let mut frame = echo_request();
        frame[place] ^= 1;
        frame
    };
    let cases = [
        (echo_request()[..13].to_vec(), "truncated Ethernet header"),
        (spoilt(5), "destination MAC address of another interface"),
        (spoilt(13), "no receiver for this EtherType"),
        (echo_request()[..30].to_vec(), "truncated IPv4 packet"),
        (spoilt(22), "bad IPv4 header checksum"),
        (spoilt(45), "bad ICMP checksum"),
        (change_ipv4_frame(echo_request(), |f| f[14] = 0x55), "EtherType IPv4 with another IP version"),
        (change_ipv4_frame(echo_request(), |f| f[33] = 3), "destination IPv4 address of another host"),
        (change_ipv4_frame(echo_request(), |f| f[29] = 1), "invalid IPv4 source address"),
        (change_ipv4_frame(echo_request(), |f| f[26] = 224), "invalid IPv4 source address"),
        (change_ipv4_frame(echo_request(), |f| f[17] = 22), "truncated ICMP message"),
        (
            change_ipv4_frame(echo_request(), |f| f[20..22].copy_from_slice(&[0x1f, 0xff])),
            "fragment beyond 65535 bytes",
        ),
        (change_ipv4_frame(udp(), |f| f[17] = 22), "truncated UDP datagram"),
        (change_ipv4_frame(udp(), |f| f[44] ^= 1), "bad UDP checksum"),
        ([&H1[..], &H2[..], &[8, 6, 0, 1, 8, 0, 6]].concat(), "malformed ARP packet"),
    ];
    for (frame, reason) in cases {
        check_dropped(host_pair(), frame, reason);
    }
}

#[test]
fn echo_requests_with_padding_are_answered() {
    let mut network = host_pair();
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    let mut padded = echo_request();
    padded.resize(60, 0xaa);
    network.send_frame("h2", 0, padded).unwrap();
    check(&mut network);
    let file = network.finish_capture(capture).unwrap();
    let mut reader = pcap_file::pcapng::PcapNgReader::new(&file[..]).unwrap();
    let mut replies = Vec::new();
    while let Some(block) = reader.next_block() {
        if let pcap_file::pcapng::Block::EnhancedPacket(packet) = block.unwrap() {
            let sliced = SlicedPacket::from_ethernet(&packet.data).unwrap();
            if let Some(etherparse::TransportSlice::Icmpv4(icmp)) = sliced.transport
                && let Icmpv4Type::EchoReply(header) = icmp.icmp_type()
            {
                replies.push((header.id, header.seq, icmp.payload().to_vec(), packet.data.len()));
            }
        }
    }
    assert_eq!(replies, [(1, 1, b"payload!".to_vec(), 50)]);
}

#[test]
fn router_errors_reach_their_ping() {
    let mut network = host_pair();
    let config = PingConfig { ident: Some(0x1234), timeout: SECOND, ..PingConfig::new(address(3), 2) };
    let third = MacAddress(H2);
    network.set_neighbour("h1", 0, address(3), third).unwrap();
    let app = network.start_ping("h1", config).unwrap();
    network.run_until(MS);
    // h2 acts as a router in which a packet's time to live has expired. It does not report the
    // second ping.
    let mut original = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 3], 1).icmpv4_echo_request(0x1234, 1);
    builder.write(&mut original, &[]).unwrap();
    let error = Icmpv4Type::TimeExceeded(icmpv4::TimeExceededCode::TtlExceededInTransit);
    let builder = PacketBuilder::ethernet2(H2, H1).ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).icmpv4(error);
    let mut frame = Vec::new();
    builder.write(&mut frame, &original).unwrap();
    network.send_frame("h2", 0, frame).unwrap();
    network.run_until_idle(FOREVER);
    let ping = network.app::<weir_sim::Ping>(app).unwrap();
    assert_eq!(ping.ident(), Some(0x1234));
    let outcomes: Vec<_> = ping.rows().iter().map(|row| row.outcome).collect();
    let exceeded = IcmpError { from: address(2), icmp_type: 11, code: 0 };
    assert_eq!(outcomes, [PingOutcome::Error(exceeded), PingOutcome::Lost]);
    assert_eq!(ping.summary().errors, 1);
    check(&mut network);
}

#[test]
fn duplicate_ping_identifiers_are_refused() {
    let mut network = host_pair();
    let config = PingConfig { ident: Some(7), ..PingConfig::new(address(2), 1) };
    let apps = [(); 2].map(|()| network.start_ping("h1", config.clone()).unwrap());
    network.run_until_finished(FOREVER);
    let idents = apps.map(|app| network.app::<weir_sim::Ping>(app).unwrap().ident());
    assert_eq!(idents, [Some(7), None]);
}

#[test]
fn static_neighbours_do_not_change() {
    let mut network = host_pair();
    let claim = |mac: u8| {
        let arp = ArpEthIpv4Packet {
            operation: ArpOperation::REPLY,
            sender_mac: [8, 0, 0, 0, 0, mac],
            sender_ipv4: [10, 0, 0, 2],
            target_mac: H1,
            target_ipv4: [10, 0, 0, 1],
        };
        [&H1[..], &H2[..], &[8, 6], &etherparse::ArpPacket::from(arp).to_bytes()].concat()
    };
    network.send_frame("h2", 0, claim(99)).unwrap();
    network.run_until_idle(FOREVER);
    assert_eq!(network.host("h1").unwrap().neighbours(0)[0].mac, Some(MacAddress(H2)));
    let rows = run_ping(&mut network, "h1", PingConfig::new(address(2), 100));
    assert!(rows.iter().all(|row| rtt(row) == 0));
    // Only the spoofed frame was an ARP packet.
    assert_eq!(check(&mut network).created, 201);

    // A deleted neighbour is resolved again.
    assert!(network.remove_neighbour("h1", 0, address(2)).unwrap());
    assert!(!network.remove_neighbour("h1", 0, address(2)).unwrap());
    run_ping(&mut network, "h1", PingConfig::new(address(2), 1));
    assert_eq!(check(&mut network).created, 201 + 2 + 2);
    assert!(!network.host("h1").unwrap().neighbours(0)[0].fixed);
}

#[test]
fn packets_waiting_for_arp_are_limited() {
    let mut network = Network::new(1);
    network.add_host(host(1)).unwrap();
    network.add_host(host(2)).unwrap();
    let link = network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), LinkConfig::default()).unwrap();
    network.set_link_up(link, false).unwrap();
    let config = PingConfig { interval: MS, timeout: 5 * SECOND, ..PingConfig::new(address(2), 130) };
    let app = network.start_ping("h1", config).unwrap();
    network.run_until(500 * MS);
    assert_eq!(network.audit().in_flight.hosts, 100);
    network.set_link_up(link, true).unwrap();
    check(&mut network);
    // The second request, after a second, is answered; the oldest 30 frames were dropped.
    let ping = network.app::<weir_sim::Ping>(app).unwrap();
    assert_eq!((ping.summary().received, ping.summary().lost()), (100, 30));
    assert!(ping.rows()[..30].iter().all(|row| row.outcome == PingOutcome::Lost));
    assert_eq!(rtt(&ping.rows()[30]), SECOND - 30 * MS);
}

#[test]
fn a_host_with_two_interfaces_answers_on_both() {
    let mut network = Network::new(1);
    let prefix = |text: &str| text.parse().unwrap();
    let middle = HostConfig {
        interfaces: vec![
            InterfaceConfig::new(MacAddress([8, 0, 0, 0, 9, 0]), prefix("10.0.0.9/24")),
            InterfaceConfig {
                mtu: 576,
                ..InterfaceConfig::new(MacAddress([8, 0, 0, 0, 9, 1]), prefix("10.0.9.9/24"))
            },
        ],
        ..host(9)
    };
    network.add_host(middle).unwrap();
    network.add_host(host(1)).unwrap();
    network.add_host(HostConfig::new("far", MacAddress([8, 0, 0, 0, 9, 2]), prefix("10.0.9.2/24"))).unwrap();
    let near = network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h9", 0), LinkConfig::default()).unwrap();
    let far = network.connect(LinkEnd::new("far", 0), LinkEnd::new("h9", 1), LinkConfig::default()).unwrap();
    run_ping(&mut network, "h1", PingConfig::new(address(9), 2));
    run_ping(&mut network, "far", PingConfig::new([10, 0, 9, 9], 3));
    run_ping(&mut network, "h9", PingConfig { payload_bytes: 1000, ..PingConfig::new([10, 0, 9, 2], 1) });
    let sent =
        |network: &Network, link, direction| network.link_counters(link, direction).unwrap().sent_packets;
    // Two echoes and one ARP exchange each; h9's ping of 1028 bytes is sent in two fragments of at
    // most 576 bytes.
    assert_eq!(sent(&network, near, Direction::Backward), 3);
    assert_eq!(sent(&network, far, Direction::Backward), 4 + 2);
    check(&mut network);
    let route =
        Route { destination: prefix("192.0.2.0/24"), gateway: Some([10, 0, 9, 2].into()), interface: 1 };
    let host = network.host_mut("h9").unwrap();
    host.add_route(route).unwrap();
    assert_eq!(host.routes().len(), 3);
    assert!(host.remove_route(&route) && !host.remove_route(&route));
}

#[test]
fn udp_is_counted_to_the_packet() {
    // h1 sends 1000 datagrams of 1000 bytes, one per millisecond (8.336 Mbit/s), over a link of 4
    // Mbit/s with a queue of 50 frames.
    let link = LinkConfig { rate: Some(4_000_000), queue: QdiscConfig::packets(50), ..LinkConfig::default() };
    let (mut network, links) = star_network(1, 2, Relay::new(2, 0), &link);
    let receiver = network.start_app("h2", 0, Box::new(UdpReceiver::new(5001))).unwrap();
    let config = UdpSenderConfig {
        destination: (address(2), 5001),
        source_port: 5000,
        payload_bytes: 1000,
        interval: MS,
        count: 1000,
    };
    let sender = network.start_app("h1", 0, Box::new(UdpSender::new(config).unwrap())).unwrap();
    assert_eq!(network.run_until_finished(FOREVER).now, 999 * MS);
    check(&mut network);
    let counters = network.link_counters(links[0], Direction::Forward).unwrap();
    let received = network.app::<UdpReceiver>(receiver).unwrap();
    assert_eq!(network.app::<UdpSender>(sender).unwrap().sent(), 1000);
    assert_eq!(received.packets() + counters.dropped_queue_full, 1000);
    assert_eq!(received.bytes(), received.packets() * 1000);
    // 1042 bytes take 2.084 ms. 480 transmissions begin during the 999 ms of sending (at 0, 2.084 …
    // 998.236), and 50 frames are queued at the end.
    assert_eq!((received.packets(), received.reordered_datagrams()), (480 + 50, 0));
    assert_eq!(received.receive_times(), Some((2 * 2_084_000, 531 * 2_084_000)));
}

#[test]
fn two_receivers_cannot_share_a_port() {
    let mut network = host_pair();
    let apps = [9, 9, 0].map(|port| network.start_app("h1", 0, Box::new(UdpReceiver::new(port))).unwrap());
    network.run_until_idle(FOREVER);
    let failed = apps.map(|app| network.app::<UdpReceiver>(app).unwrap().failure().is_some());
    assert_eq!(failed, [false, true, true]);
}
