//! ICMP errors that hosts send and receive, path MTUs, reassembly time-outs.

use super::*;

/// Returns an ICMP error about the IPv4 packet that h1 sends to `far`, as a router at h2 reports
/// it.
fn too_long_v4(far: [u8; 4], mtu: u16) -> Vec<u8> {
    let mut original = Vec::new();
    let builder = PacketBuilder::ipv4([10, 0, 0, 1], far, 63).icmpv4_echo_request(7, 1);
    builder.write(&mut original, &[0; 1400]).unwrap();
    original.truncate(28);
    let error = Icmpv4Type::DestinationUnreachable(icmpv4::DestUnreachableHeader::FragmentationNeeded {
        next_hop_mtu: mtu,
    });
    let builder = PacketBuilder::ethernet2(H2, H1).ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64).icmpv4(error);
    let mut frame = Vec::new();
    builder.write(&mut frame, &original).unwrap();
    frame
}

#[test]
fn path_mtu_is_discovered() {
    let sizes = |network: &mut Network, mtu: u16, ident: u16| {
        network.send_frame("h2", 0, too_long_v4([10, 0, 0, 2], mtu)).unwrap();
        let config = PingConfig { payload_bytes: 1400, ident: Some(ident), ..PingConfig::new(address(2), 1) };
        let frames = capture_during(network, |network| {
            rtt(&run_ping(network, "h1", config)[0]);
        });
        let ours = frames.iter().filter(|frame| frame[6..12] == H1);
        ours.map(|frame| (frame.len() - 14, frame[20] & 0x40 != 0)).collect::<Vec<_>>()
    };
    let mut network = host_pair();
    // A larger MTU than the known one changes nothing; unfragmented packets must not be fragmented
    // on their path, but fragments may be.
    assert_eq!(sizes(&mut network, 1500, 1), [(1428, true)]);
    assert_eq!(sizes(&mut network, 1000, 2), [(996, false), (452, false)]);
    assert_eq!(sizes(&mut network, 60, 3), [(996, false), (452, false)]);
    // A router older than RFC 1191 reports no MTU. The next plateau below the 1428 bytes that were
    // too long is 1006.
    let mut network = host_pair();
    assert_eq!(sizes(&mut network, 0, 4), [(1004, false), (444, false)]);
    // Ten minutes later the interface's MTU is tried again.
    network.run_for(601 * SECOND);
    assert_eq!(sizes(&mut network, 1500, 5), [(1428, true)]);
    check(&mut network);
}

#[test]
fn packet_too_big_cuts_packets_of_ipv6() {
    let mut network = host_pair();
    let mut original = Vec::new();
    let builder = PacketBuilder::ipv6(v6(1).octets(), v6(2).octets(), 63).icmpv6_echo_request(7, 1);
    builder.write(&mut original, &[0; 1400]).unwrap();
    original.truncate(1232);
    for (mtu, fragments) in [(1400, 2), (1279, 2)] {
        let error = Icmpv6Type::PacketTooBig { mtu };
        let builder = PacketBuilder::ethernet2(H2, H1).ipv6(v6(2).octets(), v6(1).octets(), 64).icmpv6(error);
        let mut frame = Vec::new();
        builder.write(&mut frame, &original).unwrap();
        network.send_frame("h2", 0, frame).unwrap();
        let config = PingConfig { payload_bytes: 1400, ..PingConfig::new(v6(2), 1) };
        let frames = capture_during(&mut network, |network| {
            rtt(&run_ping(network, "h1", config)[0]);
        });
        let ours: Vec<_> = frames.iter().filter(|frame| frame[6..12] == H1 && frame[20] == 44).collect();
        assert_eq!(ours.len(), fragments);
        assert_eq!(ours[0].len(), 14 + 1400);
    }
    check(&mut network);
}

/// Sends datagrams to an unbound port, all at once, and counts the errors.
struct BurstToClosedPort {
    to: std::net::IpAddr,
    count: u32,
    errors: Vec<IcmpError>,
}

impl App for BurstToClosedPort {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Udp(1)).unwrap();
        for _ in 0..self.count {
            host.send_udp(1, (self.to, 2), b"hello").unwrap();
        }
    }
    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}
    fn receive(&mut self, arrival: &AppEvent<'_>, _: &mut HostContext<'_>) {
        if let AppEvent::Error { error, original } = arrival {
            assert_eq!(original[8..], *b"hello");
            self.errors.push(*error);
        }
    }
    fn finished(&self) -> bool {
        true
    }
}

#[test]
fn icmp_errors_are_rate_limited() {
    for (to, icmp_type, code) in [(address(2), 3, 3), (v6(2).into(), 1, 4)] {
        let mut network = host_pair();
        let app = network
            .start_app("h1", 0, Box::new(BurstToClosedPort { to, count: 60, errors: Vec::new() }))
            .unwrap();
        check(&mut network);
        let errors = &network.app::<BurstToClosedPort>(app).unwrap().errors;
        assert_eq!((errors.len(), errors[0]), (50, IcmpError { from: to, icmp_type, code }));
        let discards: Vec<_> = network.host("h2").unwrap().discards().collect();
        assert_eq!(
            discards,
            [("no receiver for this UDP port", 60), ("ICMP error not sent: more than 1000 per second", 10)]
        );
    }
}

#[test]
fn unknown_protocols_are_reported() {
    let mut network = host_pair();
    let mut frame = echo_request_v6();
    frame[14 + 6] = 200;
    let frames = capture_during(&mut network, |network| {
        network.send_frame("h2", 0, frame).unwrap();
        check(network);
    });
    let sliced = SlicedPacket::from_ethernet(frames.last().unwrap()).unwrap();
    let Some(etherparse::TransportSlice::Icmpv6(icmp)) = sliced.transport else { panic!("{sliced:?}") };
    let Icmpv6Type::ParameterProblem(problem) = icmp.icmp_type() else { panic!("{icmp:?}") };
    let expected = icmpv6::ParameterProblemCode::UnrecognizedNextHeader;
    assert_eq!((problem.code, problem.pointer), (expected, 6));
}

#[test]
fn incomplete_packets_time_out() {
    let mut network = host_pair();
    // The second fragment of each echo is lost.
    let app = network.start_ping(
        "h1",
        PingConfig {
            payload_bytes: 2000,
            ident: Some(9),
            timeout: 99 * SECOND,
            ..PingConfig::new(address(2), 1)
        },
    );
    let app = app.unwrap();
    let link = network.links()[0].id;
    // All fragments would be sent at time 0, so the first one is sent by the test.
    network.set_link(link, Direction::Forward, lossy_link()).unwrap();
    network.run_until(SECOND);
    network.set_link(link, Direction::Forward, LinkConfig::default()).unwrap();
    let mut request = vec![8, 0, 0, 0, 0, 9, 0, 1];
    request.resize(1480, 0);
    let mut frame = Vec::new();
    let mut ip =
        etherparse::Ipv4Header::new(1480, 64, etherparse::IpNumber::ICMP, [10, 0, 0, 1], [10, 0, 0, 2])
            .unwrap();
    ip.more_fragments = true;
    ip.dont_fragment = false;
    ip.header_checksum = ip.calc_header_checksum();
    frame.extend_from_slice(&[H2, H1].concat());
    frame.extend_from_slice(&[8, 0]);
    ip.write(&mut frame).unwrap();
    frame.extend_from_slice(&request);
    network.send_frame("h1", 0, frame).unwrap();
    check(&mut network);
    let exceeded = IcmpError { from: address(2), icmp_type: 11, code: 1 };
    assert_eq!(network.app::<Ping>(app).unwrap().rows()[0].outcome, PingOutcome::Error(exceeded));
    let discards: Vec<_> = network.host("h2").unwrap().discards().collect();
    assert_eq!(discards, [("fragments missing at the reassembly time-out", 1)]);
    // The fragment arrived 30 s earlier.
    assert_eq!(network.host("h2").unwrap().counters().sent_packets, 1);
}

#[test]
fn ipv6_needs_links_with_an_mtu_of_1280() {
    let mut config = dual_stack_host(1);
    config.interfaces[0].mtu = 1279;
    let error = Network::new(1).add_host(config).unwrap_err().to_string();
    assert_eq!(error, "host `h1`: eth0 has an MTU of 1279 bytes; expected 1280 or more for IPv6");
    let mut config = host(1);
    config.routes = vec![weir_sim::Route {
        destination: weir_sim::IpPrefix::DEFAULT_V6,
        gateway: Some(address(2)),
        interface: 0,
    }];
    assert!(Network::new(1).add_host(config).unwrap_err().to_string().contains("of the same family"));
}

#[test]
fn each_interface_has_an_mtu_of_its_own() {
    let mut network = Network::new(1);
    let interface = |n: u8, mtu| InterfaceConfig {
        mtu,
        ..InterfaceConfig::new(MacAddress([8, 0, 0, 0, 9, n]), format!("10.0.{n}.9/24").parse().unwrap())
    };
    network
        .add_host(HostConfig { interfaces: vec![interface(0, 9000), interface(1, 576)], ..host(9) })
        .unwrap();
    let far = HostConfig::new("far", MacAddress([8, 0, 0, 0, 9, 2]), "10.0.1.2/24".parse().unwrap());
    network.add_host(far).unwrap();
    let near = HostConfig {
        interfaces: vec![InterfaceConfig { mtu: 9000, ..host(1).interfaces[0].clone() }],
        ..host(1)
    };
    network.add_host(near).unwrap();
    let wide = network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h9", 0), LinkConfig::default()).unwrap();
    let narrow =
        network.connect(LinkEnd::new("far", 0), LinkEnd::new("h9", 1), LinkConfig::default()).unwrap();
    for to in [[10, 0, 0, 1], [10, 0, 1, 2]] {
        run_ping(&mut network, "h9", PingConfig { payload_bytes: 1000, ..PingConfig::new(to, 1) });
    }
    let sent = |link| network.link_counters(link, Direction::Backward).unwrap().sent_packets;
    assert_eq!((sent(wide), sent(narrow)), (1 + 1, 1 + 2));
    check(&mut network);
}
