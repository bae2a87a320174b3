//! IPv4 and IPv6: neighbour discovery, fragments, path MTUs, ICMP errors.

mod world;

use etherparse::{Icmpv4Type, Icmpv6Type, PacketBuilder, SlicedPacket, icmpv4, icmpv6};
use proptest::prelude::*;
use weir_sim::{
    App, AppEvent, Binding, Direction, HostConfig, HostContext, IcmpError, Impairments, InterfaceConfig,
    LinkConfig, LinkEnd, Loss, MacAddress, Network, Ping, PingConfig, PingOutcome, UdpReceiver, UdpSender,
    UdpSenderConfig,
};
use world::*;

const H1: [u8; 6] = [8, 0, 0, 0, 0, 1];
const H2: [u8; 6] = [8, 0, 0, 0, 0, 2];

fn v6(n: u8) -> std::net::Ipv6Addr {
    std::net::Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, u16::from(n))
}

/// Host `h<n>`: 2001:db8::<n>/64 in addition to its IPv4 address.
fn dual(n: u8) -> HostConfig {
    let mut config = host(n);
    config.interfaces[0].addresses.push(format!("2001:db8::{n}/64").parse().unwrap());
    config
}

/// h1 and h2 on an unlimited link.
fn pair() -> Network {
    let mut network = Network::new(1);
    for n in 1..=2 {
        network
            .add_host(HostConfig { neighbours: host_with_neighbours(n, 2).neighbours, ..dual(n) })
            .unwrap();
    }
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), LinkConfig::default()).unwrap();
    network
}

/// A link that loses every frame.
fn lossy() -> LinkConfig {
    let impairments = Impairments { loss: Loss::Random(1.0), ..Impairments::default() };
    LinkConfig { impairments, ..LinkConfig::default() }
}

/// The frames at h1's interface during `run`.
fn captured(network: &mut Network, run: impl FnOnce(&mut Network)) -> Vec<Vec<u8>> {
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    run(network);
    let file = network.finish_capture(capture).unwrap();
    let mut reader = pcap_file::pcapng::PcapNgReader::new(&file[..]).unwrap();
    let mut frames = Vec::new();
    while let Some(block) = reader.next_block() {
        if let pcap_file::pcapng::Block::EnhancedPacket(packet) = block.unwrap() {
            frames.push(packet.data.to_vec());
        }
    }
    frames
}

#[test]
fn neighbours_of_ipv6_are_solicited_once() {
    let mut network = Network::new(1);
    network.add_device("s1", Box::new(Relay::new(2, 10))).unwrap();
    for n in 1..=2u8 {
        network.add_host(dual(n)).unwrap();
        let relay = LinkEnd::new("s1", u32::from(n) - 1);
        network.connect(LinkEnd::new(format!("h{n}"), 0), relay, LinkConfig::default()).unwrap();
    }
    let frames = captured(&mut network, |network| {
        let rows = pings(network, "h1", PingConfig::new(v6(2), 3));
        assert_eq!(rows.iter().map(rtt).collect::<Vec<_>>(), [40, 20, 20]);
    });
    // Solicitation to the solicited-node group, advertisement, three echoes and replies.
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
    let mut network = pair();
    let other = MacAddress(H2).link_local();
    let frames = captured(&mut network, |network| {
        pings(network, "h1", PingConfig::new(other, 1));
    });
    // Between link-local addresses.
    let request = frames.iter().find(|frame| frame[54] == 128).unwrap();
    assert_eq!(request[22..38], MacAddress(H1).link_local().octets());
    check(&mut network);
}

#[test]
fn a_neighbour_of_ipv6_that_does_not_answer_is_reported() {
    let mut network = pair();
    let rows = pings(&mut network, "h1", PingConfig::new(v6(77), 2));
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
fn pings_of_ipv6_leave_in_fragments_and_come_back() {
    for payload_bytes in [1452, 1453, 20_000, 65_507] {
        let mut network = pair();
        let config = PingConfig { payload_bytes, ..PingConfig::new(v6(2), 1) };
        let frames = captured(&mut network, |network| {
            rtt(&pings(network, "h1", config)[0]);
        });
        let icmp = payload_bytes + 8;
        // 1448 bytes of payload plus headers of 40 and 8 bytes.
        let fragments = if icmp <= 1460 { 1 } else { icmp.div_ceil(1448) };
        assert_eq!(frames.len(), 2 + 2 * fragments);
        assert!(frames.iter().all(|frame| frame.len() <= 1514));
        check(&mut network);
    }
}

#[test]
fn udp_over_ipv6_is_counted_to_the_packet() {
    let mut network = pair();
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

/// An echo request from h2 to h1.
fn echo6() -> Vec<u8> {
    let builder =
        PacketBuilder::ethernet2(H2, H1).ipv6(v6(2).octets(), v6(1).octets(), 64).icmpv6_echo_request(1, 1);
    let mut frame = Vec::new();
    builder.write(&mut frame, b"payload!").unwrap();
    frame
}

#[test]
fn a_host_says_why_it_drops_a_frame_of_ipv6() {
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut frame = echo6();
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
        (echo6()[..40].to_vec(), "truncated IPv6 packet"),
        (with(&|f| f[14 + 5] += 1), "truncated IPv6 packet"),
        (with(&|f| f[14] = 0x45), "EtherType says IPv6, version field does not"),
        (with(&|f| f[14 + 8] = 0xff), "impossible IPv6 source address"),
        (with(&|f| f[14 + 23] = 1), "impossible IPv6 source address"),
        (with(&|f| f[14 + 39] = 9), "destination IPv6 address of another host"),
        (with(&|f| f[60] ^= 1), "bad ICMP checksum"),
        (with(&|f| (f[14 + 5], f[14 + 6]) = (4, 58)), "truncated ICMP message"),
        (with(&|f| f[54] = 135), "bad ICMP checksum"),
        (extended(43, [58, 0, 0, 1, 0, 0, 0, 0]), "IPv6 extension header that cannot be followed"),
        (extended(60, [58, 0, 0x85, 4, 0, 0, 0, 0]), "IPv6 extension header that cannot be followed"),
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
        let mut network = pair();
        network.send_frame("h2", 0, frame).unwrap();
        let audit = check(&mut network);
        let drops: Vec<_> =
            audit.drops.iter().map(|drop| (&*drop.place, &*drop.reason, drop.packets)).collect();
        assert_eq!(drops, [("h1-eth0", reason, 1)]);
        assert_eq!(network.host("h1").unwrap().counters().sent_packets, 0);
    }
}

#[test]
fn extension_headers_that_say_nothing_are_passed_over() {
    // Hop-by-hop padding, a used-up routing header, a fragment that is the whole packet, destination options.
    let mut frame = echo6();
    let headers = [
        [43, 0, 1, 4, 0, 0, 0, 0],
        [44, 0, 0, 0, 0, 0, 0, 0],
        [60, 0, 0, 0, 0, 0, 0, 7],
        [58, 0, 1, 4, 0, 0, 0, 0],
    ];
    frame[14 + 5] += 32;
    frame[14 + 6] = 0;
    frame.splice(54..54, headers.concat());
    let mut network = pair();
    network.send_frame("h2", 0, frame).unwrap();
    assert_eq!(check(&mut network).drops, []);
    // The reply waited for h2's neighbour solicitation.
    assert_eq!(network.host("h1").unwrap().counters().sent_packets, 2);
}

/// An ICMP error about the IPv4 packet that h1 sends to `far`, as a router at h2 reports it.
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
fn a_path_that_takes_less_is_found_and_packets_are_cut_to_it() {
    let sizes = |network: &mut Network, mtu: u16, ident: u16| {
        network.send_frame("h2", 0, too_long_v4([10, 0, 0, 2], mtu)).unwrap();
        let config = PingConfig { payload_bytes: 1400, ident: Some(ident), ..PingConfig::new(address(2), 1) };
        let frames = captured(network, |network| {
            rtt(&pings(network, "h1", config)[0]);
        });
        let ours = frames.iter().filter(|frame| frame[6..12] == H1);
        ours.map(|frame| (frame.len() - 14, frame[20] & 0x40 != 0)).collect::<Vec<_>>()
    };
    let mut network = pair();
    // A larger MTU than the known one changes nothing; unfragmented packets must not be fragmented on their way, fragments may.
    assert_eq!(sizes(&mut network, 1500, 1), [(1428, true)]);
    assert_eq!(sizes(&mut network, 1000, 2), [(996, false), (452, false)]);
    assert_eq!(sizes(&mut network, 60, 3), [(996, false), (452, false)]);
    // A router older than RFC 1191 reports no MTU: the next plateau below the 1428 bytes that were too long is 1006.
    let mut network = pair();
    assert_eq!(sizes(&mut network, 0, 4), [(1004, false), (444, false)]);
    // Ten minutes later the interface's MTU is tried again.
    network.run_for(601 * SECOND);
    assert_eq!(sizes(&mut network, 1500, 5), [(1428, true)]);
    check(&mut network);
}

#[test]
fn packet_too_big_cuts_packets_of_ipv6() {
    let mut network = pair();
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
        let frames = captured(&mut network, |network| {
            rtt(&pings(network, "h1", config)[0]);
        });
        let ours: Vec<_> = frames.iter().filter(|frame| frame[6..12] == H1 && frame[20] == 44).collect();
        assert_eq!(ours.len(), fragments);
        assert_eq!(ours[0].len(), 14 + 1400);
    }
    check(&mut network);
}

/// Sends datagrams to an unbound port, all at once, and counts the errors.
struct Shouter {
    to: std::net::IpAddr,
    count: u32,
    errors: Vec<IcmpError>,
}

impl App for Shouter {
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
fn errors_are_sent_and_not_more_than_a_thousand_a_second() {
    for (to, icmp_type, code) in [(address(2), 3, 3), (v6(2).into(), 1, 4)] {
        let mut network = pair();
        let app =
            network.start_app("h1", 0, Box::new(Shouter { to, count: 60, errors: Vec::new() })).unwrap();
        check(&mut network);
        let errors = &network.app::<Shouter>(app).unwrap().errors;
        assert_eq!((errors.len(), errors[0]), (50, IcmpError { from: to, icmp_type, code }));
        let discards: Vec<_> = network.host("h2").unwrap().discards().collect();
        assert_eq!(
            discards,
            [("no receiver for this UDP port", 60), ("ICMP error not sent: more than 1000 a second", 10)]
        );
    }
}

#[test]
fn a_protocol_that_nobody_knows_is_reported() {
    let mut network = pair();
    let mut frame = echo6();
    frame[14 + 6] = 200;
    let frames = captured(&mut network, |network| {
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
fn a_packet_whose_fragments_stay_out_is_given_up_and_its_sender_told() {
    let mut network = pair();
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
    network.set_link(link, Direction::Forward, lossy()).unwrap();
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
    assert_eq!(discards, [("fragments missing when the time for reassembly was over", 1)]);
    // 30 s after the fragment arrived.
    assert_eq!(network.host("h2").unwrap().counters().sent_packets, 1);
}

#[test]
fn ipv6_asks_for_links_that_take_1280_bytes() {
    let mut config = dual(1);
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
        pings(&mut network, "h9", PingConfig { payload_bytes: 1000, ..PingConfig::new(to, 1) });
    }
    let sent = |link| network.link_counters(link, Direction::Backward).unwrap().sent_packets;
    assert_eq!((sent(wide), sent(narrow)), (1 + 1, 1 + 2));
    check(&mut network);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Fragments of both families arrive in any order, some of them twice.
    #[test]
    fn fragments_come_together_in_any_order(
        of_v6 in any::<bool>(),
        payload_bytes in 1473usize..12_000,
        order in any::<prop::sample::Index>(),
        seed in any::<u64>(),
    ) {
        let mut network = pair();
        let to = if of_v6 { v6(2).into() } else { address(2) };
        // What h1 sends to h2 over a lossy link is captured and sent again by the test.
        let link = network.links()[0].id;
        pings(&mut network, "h1", PingConfig::new(to, 1));
        network.set_link(link, Direction::Forward, lossy()).unwrap();
        let config = PingConfig { payload_bytes, ident: Some(5), timeout: SECOND, ..PingConfig::new(to, 1) };
        let mut frames = captured(&mut network, |network| {
            network.start_ping("h1", config.clone()).unwrap();
            network.run_for(1);
        });
        network.set_link(link, Direction::Forward, LinkConfig::default()).unwrap();
        let twice = frames[order.index(frames.len())].clone();
        frames.push(twice);
        let mut random = weir_sim::Random::new(seed, "order");
        for place in (1..frames.len()).rev() {
            frames.swap(place, random.up_to(place as u64) as usize);
        }
        let before = network.host("h2").unwrap().counters().sent_packets;
        let whole = frames.len() as u64 - 1;
        for frame in frames {
            network.send_frame("h1", 0, frame).unwrap();
        }
        network.run_for(SECOND);
        let after = network.host("h2").unwrap().counters().sent_packets;
        prop_assert_eq!(after - before, whole, "as many fragments of the reply");
        check(&mut network);
        let host = network.host("h2").unwrap();
        // A late duplicate starts a new packet that is never completed.
        prop_assert!(host.discards().all(|(reason, _)| reason.starts_with("fragments missing")));
    }
}

/// Accepts connections and reads from them.
struct Listener;

impl App for Listener {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Tcp(80)).unwrap();
        host.bind(Binding::Udp(80)).unwrap();
    }
    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}
    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        if let AppEvent::Tcp { socket, .. } = *arrival {
            host.tcp_discard(socket);
        }
    }
    fn finished(&self) -> bool {
        true
    }
}

/// Corrects a checksum with a pseudo header, whose field is at offset `place` of the payload.
fn seal(source: &[u8], destination: &[u8], protocol: u8, payload: &mut [u8], place: usize) {
    if payload.len() < place + 2 {
        return;
    }
    payload[place..place + 2].fill(0);
    let length = (payload.len() as u32).to_be_bytes();
    // ICMP for IPv4 has no pseudo header.
    let pseudo = [source, destination, &length[..], &[0, 0, 0, protocol]].concat();
    let whole = [if protocol == 1 { &[] } else { &pseudo[..] }, payload].concat();
    let sum: u32 =
        whole.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
    payload[place..place + 2].copy_from_slice(&checksum.to_be_bytes());
}

/// A frame of either family that is roughly valid: from h2 to h1, with any extension headers, options, fragments, types and flags.
fn nearly_right() -> impl Strategy<Value = Vec<u8>> {
    let headers =
        prop::collection::vec((prop::sample::select(vec![0u8, 43, 44, 60]), any::<[u8; 8]>()), 0..3);
    let protocol = prop::sample::select(vec![6u8, 6, 6, 17, 58, 58, 1, 59, 200]);
    let payload = prop::collection::vec(any::<u8>(), 0..80);
    let small = (any::<bool>(), any::<u16>(), 0u8..3, prop::sample::select(vec![128u8, 129, 1, 2, 135, 136]));
    (any::<bool>(), headers, protocol, payload, small).prop_map(
        |(v6_family, headers, protocol, mut payload, small)| {
            let (to_port, fragment, offset, kind) = small;
            if to_port && payload.len() >= 14 {
                payload[2..4].copy_from_slice(&80u16.to_be_bytes());
                if protocol == 6 {
                    payload[12] = 0x50 | payload[12] & 0x20;
                }
                if protocol == 17 {
                    let length = payload.len() as u16;
                    payload[4..6].copy_from_slice(&length.to_be_bytes());
                }
            }
            if matches!(protocol, 1 | 58) && !payload.is_empty() {
                payload[0] = kind;
            }
            let place = match protocol {
                6 => 16,
                17 => 6,
                _ => 2,
            };
            if v6_family {
                let (source, destination) = (v6(2).octets(), v6(1).octets());
                seal(&source, &destination, protocol, &mut payload, place);
                let mut frame =
                    [&H1[..], &H2, &[0x86, 0xdd, 0x60, 0, 0, 0, 0, 0, 0, 255], &source, &destination]
                        .concat();
                let mut next = 20;
                for (header, mut bytes) in headers {
                    frame[next] = header;
                    next = frame.len();
                    bytes[1] = 0;
                    if header == 44 {
                        (bytes[2], bytes[3]) = (0, (offset * 8) | (bytes[3] & 1));
                    }
                    frame.extend(bytes);
                }
                frame[next] = protocol;
                frame.extend(payload);
                let length = (frame.len() - 54) as u16;
                frame[18..20].copy_from_slice(&length.to_be_bytes());
                frame
            } else {
                let protocol = if protocol == 58 { 1 } else { protocol };
                seal(&[10, 0, 0, 2], &[10, 0, 0, 1], protocol, &mut payload, place);
                let mut ip = etherparse::Ipv4Header::new(
                    payload.len() as u16,
                    64,
                    protocol.into(),
                    [10, 0, 0, 2],
                    [10, 0, 0, 1],
                )
                .unwrap();
                ip.dont_fragment = false;
                ip.more_fragments = fragment.is_multiple_of(5);
                ip.fragment_offset = u16::from(offset / 2).try_into().unwrap();
                ip.identification = fragment % 3;
                ip.header_checksum = ip.calc_header_checksum();
                let mut frame = [&H1[..], &H2, &[8, 0]].concat();
                ip.write(&mut frame).unwrap();
                frame.extend(payload);
                frame
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_packet_stops_a_host(frames in prop::collection::vec(nearly_right(), 1..60)) {
        let mut network = pair();
        network.start_app("h1", 0, Box::new(Listener)).unwrap();
        for frame in frames {
            network.send_frame("h2", 0, frame).unwrap();
            network.run_for(MS);
        }
        check(&mut network);
        let rows = pings(&mut network, "h1", PingConfig::new(v6(2), 1));
        prop_assert_eq!(rtt(&rows[0]), 0);
        check(&mut network);
        prop_assert_eq!(network.host("h1").unwrap().tcp_load(), (0, 0, 0));
    }
}
