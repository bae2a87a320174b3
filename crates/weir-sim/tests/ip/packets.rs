//! Neighbour discovery, fragments, and frames that hosts drop.

use super::*;

#[test]
fn neighbours_of_ipv6_are_solicited_once() {
    let mut network = Network::new(1);
    network.add_device("s1", Box::new(Relay::new(2, 10))).unwrap();
    for n in 1..=2u8 {
        network.add_host(dual_stack_host(n)).unwrap();
        let relay = LinkEnd::new("s1", u32::from(n) - 1);
        network.connect(LinkEnd::new(format!("h{n}"), 0), relay, LinkConfig::default()).unwrap();
    }
    let frames = capture_during(&mut network, |network| {
        let rows = run_ping(network, "h1", PingConfig::new(v6(2), 3));
        assert_eq!(rows.iter().map(rtt).collect::<Vec<_>>(), [40, 20, 20]);
    });
    // The frames are a solicitation to the solicited-node group, an advertisement, and three echoes
    // with replies.
    assert_eq!(frames.len(), 2 + 6);
    assert_eq!(&frames[0][..6], [0x33, 0x33, 0xff, 0, 0, 2]);
    let kinds: Vec<u8> = frames.iter().map(|frame| frame[14 + 40]).collect();
    assert_eq!(kinds, [135, 136, 128, 129, 128, 129, 128, 129]);
    for frame in &frames {
        let sliced = SlicedPacket::from_ethernet(frame).unwrap();
        let (Some(etherparse::NetSlice::Ipv6(ip)), Some(etherparse::TransportSlice::Icmpv6(icmp))) =
            (sliced.net, sliced.transport)
        else {
            panic!("{frame:?}");
        };
        let header = ip.header();
        assert!(icmp.is_checksum_valid(header.source(), header.destination()));
    }
    let entry = &network.host("h1").unwrap().neighbours(0)[0];
    assert_eq!((entry.address, entry.mac, entry.fixed), (v6(2).into(), Some(MacAddress(H2)), false));
    check(&mut network);
}

#[test]
fn link_local_addresses_answer_too() {
    let mut network = host_pair();
    let other = MacAddress(H2).link_local();
    let frames = capture_during(&mut network, |network| {
        run_ping(network, "h1", PingConfig::new(other, 1));
    });
    // The echoes are between link-local addresses.
    let request = frames.iter().find(|frame| frame[54] == 128).unwrap();
    assert_eq!(request[22..38], MacAddress(H1).link_local().octets());
    check(&mut network);
}

#[test]
fn unreachable_ipv6_neighbours_are_reported() {
    let mut network = host_pair();
    let rows = run_ping(&mut network, "h1", PingConfig::new(v6(77), 2));
    let unreachable = IcmpError { from: v6(1).into(), icmp_type: 1, code: 3 };
    assert!(rows.iter().all(|row| row.outcome == PingOutcome::Error(unreachable)), "{rows:?}");
    let drops: Vec<_> =
        check(&mut network).drops.iter().map(|drop| (drop.reason.clone(), drop.packets)).collect();
    // h2 is not in the solicited-node group of another address.
    assert_eq!(
        drops,
        [("no answer to NDP".to_owned(), 2), ("destination IPv6 address of another host".to_owned(), 3)]
    );
}

#[test]
fn large_ipv6_pings_are_fragmented() {
    for payload_bytes in [1452, 1453, 20_000, 65_507] {
        let mut network = host_pair();
        let config = PingConfig { payload_bytes, ..PingConfig::new(v6(2), 1) };
        let frames = capture_during(&mut network, |network| {
            rtt(&run_ping(network, "h1", config)[0]);
        });
        let icmp = payload_bytes + 8;
        // Fragments have 1448 bytes of payload, plus headers of 40 and 8 bytes.
        let fragments = if icmp <= 1460 { 1 } else { icmp.div_ceil(1448) };
        assert_eq!(frames.len(), 2 + 2 * fragments);
        assert!(frames.iter().all(|frame| frame.len() <= 1514));
        check(&mut network);
    }
}

#[test]
fn udp_over_ipv6_is_counted_to_the_packet() {
    let mut network = host_pair();
    let receiver = network.start_app("h2", 0, Box::new(UdpReceiver::new(5001))).unwrap();
    let config = UdpSenderConfig {
        destination: (v6(2).into(), 5001),
        source_port: 5000,
        payload_bytes: 3000,
        interval: MS,
        count: 100,
    };
    network.start_app("h1", 0, Box::new(UdpSender::new(config).unwrap())).unwrap();
    check(&mut network);
    let received = network.app::<UdpReceiver>(receiver).unwrap();
    assert_eq!((received.packets(), received.bytes()), (100, 300_000));
}

#[test]
fn dropped_ipv6_frames_have_reasons() {
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut frame = echo_request_v6();
        change(&mut frame);
        frame
    };
    let extended = |kind: u8, header: [u8; 8]| {
        with(&|frame| {
            frame[14 + 6] = kind;
            frame[14 + 5] += 8;
            frame.splice(54..54, header);
        })
    };
    let mut udp = Vec::new();
    let builder = PacketBuilder::ethernet2(H2, H1).ipv6(v6(2).octets(), v6(1).octets(), 64).udp(1000, 9);
    builder.write(&mut udp, b"payload!").unwrap();
    udp[60..62].fill(0);
    let cases = [
        (echo_request_v6()[..40].to_vec(), "truncated IPv6 packet"),
        (with(&|f| f[14 + 5] += 1), "truncated IPv6 packet"),
        (with(&|f| f[14] = 0x45), "EtherType IPv6 with another IP version"),
        (with(&|f| f[14 + 8] = 0xff), "invalid IPv6 source address"),
        (with(&|f| f[14 + 23] = 1), "invalid IPv6 source address"),
        (with(&|f| f[14 + 39] = 9), "destination IPv6 address of another host"),
        (with(&|f| f[60] ^= 1), "bad ICMP checksum"),
        (with(&|f| (f[14 + 5], f[14 + 6]) = (4, 58)), "truncated ICMP message"),
        (with(&|f| f[54] = 135), "bad ICMP checksum"),
        (extended(43, [58, 0, 0, 1, 0, 0, 0, 0]), "unsupported or malformed IPv6 extension header"),
        (extended(60, [58, 0, 0x85, 4, 0, 0, 0, 0]), "unsupported or malformed IPv6 extension header"),
        (extended(0, [58, 9, 1, 4, 0, 0, 0, 0]), "truncated IPv6 packet"),
        (extended(44, [58, 0, 0xff, 0xf8, 0, 0, 0, 1]), "fragment beyond 65535 bytes"),
        (
            with(&|f| {
                let header = [58, 0, 0, 1, 0, 0, 0, 1];
                (f[14 + 5], f[14 + 6]) = (8 + 3, 44);
                f.splice(54..54, header);
            }),
            "malformed fragment",
        ),
        (udp, "bad UDP checksum"),
    ];
    for (frame, reason) in cases {
        check_dropped(host_pair(), frame, reason);
    }
}

#[test]
fn neutral_extension_headers_are_skipped() {
    // The packet has hop-by-hop padding, a used-up routing header, a fragment that is the whole
    // packet, and destination options.
    let mut frame = echo_request_v6();
    let headers = [
        [43, 0, 1, 4, 0, 0, 0, 0],
        [44, 0, 0, 0, 0, 0, 0, 0],
        [60, 0, 0, 0, 0, 0, 0, 7],
        [58, 0, 1, 4, 0, 0, 0, 0],
    ];
    frame[14 + 5] += 32;
    frame[14 + 6] = 0;
    frame.splice(54..54, headers.concat());
    let mut network = host_pair();
    network.send_frame("h2", 0, frame).unwrap();
    assert_eq!(check(&mut network).drops, []);
    // The reply waited for h2's neighbour solicitation.
    assert_eq!(network.host("h1").unwrap().counters().sent_packets, 2);
}
