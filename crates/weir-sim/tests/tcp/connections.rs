//! Opening, transferring, closing: with losses, time-outs, small paths, and many connections.

use super::*;

#[test]
fn every_algorithm_recovers_losses() {
    for (algorithm, loss) in [
        (Algorithm::Reno, Loss::None),
        (Algorithm::Reno, Loss::Every(97)),
        (Algorithm::Cubic, Loss::Random(0.02)),
        (Algorithm::Bbr, Loss::Random(0.02)),
    ] {
        let lossless = loss == Loss::None;
        let impairments = Impairments { loss, ..Impairments::default() };
        let link = LinkConfig { rate: Some(50_000_000), delay: 2 * MS, impairments, ..LinkConfig::default() };
        // Without losses on the wire the window stays below the size of the queue.
        let receive_buffer = if lossless { 100_000 } else { 6 << 20 };
        let config = Config { congestion: algorithm, mss: u16::MAX, receive_buffer, ..Config::default() };
        let client = Client { config: Some(config.clone()), ..Client::new(address(2), 3_000_000) };
        let server = Server { answer: 10_000, config: Some(config), ..Server::default() };
        let (mut network, client, server) = world(&link, client, server);
        network.run_until_finished(200 * SECOND);
        // The last acknowledgement may be lost.
        network.run_for(10 * SECOND);
        let (sent, got) = (network.app::<Client>(client).unwrap(), network.app::<Server>(server).unwrap());
        assert_eq!((got.received, sent.received), (3_000_000, 10_000));
        let (why, info) = &sent.closed[0];
        assert_eq!((*why, info.acked, info.mss), (Closed::Both, 3_000_000, 1448));
        assert_eq!(info.retransmits == 0, lossless, "{info:?}");
        assert_eq!(got.closed[0].0, Closed::Both);
        check_no_leftovers(&mut network);
    }
}

#[test]
fn a_link_is_filled() {
    let link = LinkConfig { rate: Some(10_000_000), delay: 2_500_000, ..LinkConfig::default() };
    let (mut network, client, _) = world(&link, Client::new(address(2), 12_500_000), Server::default());
    network.run_until_finished(100 * SECOND);
    // 12.5 MB take at least this time at 10 Mbit/s, with 66 bytes of headers for 1448 bytes.
    let least = 10 * SECOND * 1514 / 1448;
    assert!((least..least + SECOND / 2).contains(&network.now()), "{}", network.now());
    let info = network.app::<Client>(client).unwrap().closed[0].1.clone();
    assert_eq!((info.timeouts, info.retransmits), (0, 0));
    check_no_leftovers(&mut network);
}

#[test]
fn closed_ports_refuse_and_absent_hosts_time_out() {
    let client = Client { to: (address(2), 81), ..Client::new(address(2), 1) };
    let (mut network, client, _) = world(&LinkConfig::default(), client, Server::default());
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].0, Closed::Refused);
    let discards: Vec<_> = network.host("h2").unwrap().discards().collect();
    assert_eq!(discards, [("no connection or listener for this TCP segment", 1)]);
    check_no_leftovers(&mut network);

    let config = Config { syn_retries: 2, ..Config::default() };
    let client = Client { config: Some(config), ..Client::new(address(77), 1) };
    let (mut network, client, _) = world(&LinkConfig::default(), client, Server::default());
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].0, Closed::TimedOut);
    // 1, 2 and 4 seconds after the last of them.
    assert_eq!(network.now(), MS + 7 * SECOND);
    check_no_leftovers(&mut network);
}

/// Connections close after a minute, as with `tcp_fin_timeout` in Linux.
#[test]
fn unread_connections_close_after_a_minute() {
    for (setting, wait) in [(None, 60), (Some("5"), 5)] {
        let client = Client { releases: true, ..Client::new(address(2), 10_000) };
        let server = Server { stays: true, ..Server::default() };
        let (mut network, client, server) = world(&LinkConfig::default(), client, server);
        if let Some(seconds) = setting {
            network.host_mut("h1").unwrap().set_sysctl("net.ipv4.tcp_fin_timeout", seconds).unwrap();
        }
        network.run_until_finished(FOREVER);
        let (closed, info) = &network.app::<Client>(client).unwrap().closed[0];
        assert_eq!((*closed, info.acked), (Closed::TimedOut, 10_000));
        assert!((wait * SECOND..wait * SECOND + 50 * MS).contains(&network.now()), "{}", network.now());
        assert_eq!(network.host("h1").unwrap().tcp_usage(), (0, 0, 0));
        // The server's application may close its side at any later time; the client has deleted the
        // connection.
        assert_eq!(network.host("h2").unwrap().tcp_usage().0, 1);
        let socket = *network.app::<Server>(server).unwrap().places.keys().next().unwrap();
        network.call_app(server, |_: &mut Server, host| host.tcp_close(socket)).unwrap();
        network.run_for(SECOND);
        assert_eq!(network.app::<Server>(server).unwrap().closed[0].0, Closed::Reset);
        check_no_leftovers(&mut network);
    }
}

#[test]
fn unexpected_segments_are_reset() {
    let client = Client { releases: true, ..Client::new(address(2), 10_000) };
    let server = Server { answer: 100_000, ..Server::default() };
    let link = LinkConfig { rate: Some(1_000_000), delay: 10 * MS, ..LinkConfig::default() };
    let (mut network, client, server) = world(&link, client, server);
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].0, Closed::Aborted);
    network.run_for(SECOND);
    assert_eq!(network.app::<Server>(server).unwrap().closed[0].0, Closed::Reset);
    check_no_leftovers(&mut network);
}

#[test]
fn invalid_links_are_refused() {
    for (to, ip_options, expected) in [
        ((IpAddr::from([192, 0, 2, 1]), 80), 0, SendError::NoRoute([192, 0, 2, 1].into())),
        ((address(2), 0), 0, SendError::BadDestination(address(2), 0)),
        ((address(255), 80), 0, SendError::BadDestination(address(255), 80)),
        ((address(2), 80), 41, SendError::BadOptions(41)),
    ] {
        let client = Client { to, ip_options: vec![1; ip_options], ..Client::new(to.0, 1) };
        let (mut network, client, _) = world(&LinkConfig::default(), client, Server::default());
        check(&mut network);
        assert_eq!(network.app::<Client>(client).unwrap().refused, [expected]);
    }
}

#[test]
fn ip_options_are_only_in_the_handshake() {
    // Each direction has a different experimental option of 6 bytes (RFC 4727).
    let (asked, answered) = ([0x5e, 6, 1, 2, 3, 4], [0x5e, 6, 9, 8, 7, 6]);
    let client = Client { ip_options: asked.to_vec(), ..Client::new(address(2), 5000) };
    let server = Server { ip_options: answered.to_vec(), ..Server::default() };
    let (mut network, client, server) = world(&LinkConfig::default(), client, server);
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    network.run_until_finished(FOREVER);
    let file = network.finish_capture(capture).unwrap();
    let padded = |options: [u8; 6]| [&options[..], &[0, 0]].concat();
    assert_eq!(network.app::<Server>(server).unwrap().options, [padded(asked)]);
    assert_eq!(network.app::<Client>(client).unwrap().options, [padded(answered)]);
    assert_eq!(network.app::<Server>(server).unwrap().received, 5000);
    let long = tcp_frames(&file).into_iter().filter(|(frame, _)| frame[14] != 0x45).count();
    assert_eq!(long, 2);
    check_no_leftovers(&mut network);
}

/// Returns the TCP frames of a capture, with headers; checks their checksums.
fn tcp_frames(file: &[u8]) -> Vec<(Vec<u8>, TcpHeader)> {
    let mut reader = pcap_file::pcapng::PcapNgReader::new(file).unwrap();
    let mut frames = Vec::new();
    while let Some(block) = reader.next_block() {
        let pcap_file::pcapng::Block::EnhancedPacket(packet) = block.unwrap() else { continue };
        let sliced = SlicedPacket::from_ethernet(&packet.data).unwrap();
        let Some(etherparse::TransportSlice::Tcp(tcp)) = &sliced.transport else { continue };
        let checksum = match sliced.net.as_ref().unwrap() {
            etherparse::NetSlice::Ipv4(ip) => {
                assert!(ip.header().dont_fragment());
                let sum = ip.header().to_header().calc_header_checksum();
                assert_eq!(ip.header().header_checksum(), sum);
                tcp.calc_checksum_ipv4(ip.header().source(), ip.header().destination()).unwrap()
            }
            etherparse::NetSlice::Ipv6(ip) => {
                let header = ip.header();
                tcp.calc_checksum_ipv6(header.source(), header.destination()).unwrap()
            }
            etherparse::NetSlice::Arp(_) => unreachable!(),
        };
        assert_eq!(tcp.checksum(), checksum);
        frames.push((packet.data.to_vec(), tcp.to_header()));
    }
    frames
}

#[test]
fn segment_checksums_are_correct() {
    for v6 in [false, true] {
        let mut network = Network::new(1);
        for n in 1..=2 {
            let mut config = host(n);
            config.interfaces[0].addresses.push(format!("2001:db8::{n}/64").parse().unwrap());
            network.add_host(config).unwrap();
        }
        let link = LinkConfig { delay: MS, ..LinkConfig::default() };
        network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
        let to: IpAddr = if v6 { "2001:db8::2".parse().unwrap() } else { address(2) };
        let server = network.start_app("h2", 0, Box::new(Server::default())).unwrap();
        let client = network.start_app("h1", 0, Box::new(Client::new(to, 100_001))).unwrap();
        let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
        network.run_until_finished(FOREVER);
        let frames = tcp_frames(&network.finish_capture(capture).unwrap());
        // IPv6 headers are 20 bytes longer.
        let mss = if v6 { 1428 } else { 1448 };
        assert_eq!(network.app::<Client>(client).unwrap().closed[0].1.mss, mss);
        assert_eq!(network.app::<Server>(server).unwrap().received, 100_001);
        assert!(frames.len() > 100_001 / 1448 + 10);
        check_no_leftovers(&mut network);
    }
}

#[test]
fn smaller_path_mtu_cuts_lost_segments() {
    // h2's side of the path has an MTU of 1000 bytes, which no router reports at first: a black
    // hole.
    let (mut network, client, server) = world(
        &LinkConfig { rate: Some(10_000_000), delay: 5 * MS, ..LinkConfig::default() },
        Client::new(address(2), 300_000),
        Server::default(),
    );
    let link = network.link_at(&LinkEnd::new("h2", 0)).unwrap();
    let narrow =
        LinkConfig { rate: Some(10_000_000), delay: 5 * MS, mtu: Some(1000), ..LinkConfig::default() };
    network.set_link(link, Direction::Backward, narrow.clone()).unwrap();
    network.set_link(link, Direction::Forward, narrow).unwrap();
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    network.run_until(3 * SECOND);
    assert_eq!(network.app::<Server>(server).unwrap().received, 0);
    // The router reports the MTU at last, quoting a segment of this connection.
    let file = network.finish_capture(capture).unwrap();
    let lost =
        tcp_frames(&file).into_iter().map(|(frame, _)| frame).find(|frame| frame.len() > 1000).unwrap();
    let error = Icmpv4Type::DestinationUnreachable(icmpv4::DestUnreachableHeader::FragmentationNeeded {
        next_hop_mtu: 1000,
    });
    let too_long = |quoted: &[u8]| {
        let builder = PacketBuilder::ethernet2([8, 0, 0, 0, 0, 2], [8, 0, 0, 0, 0, 1])
            .ipv4([10, 0, 0, 2], [10, 0, 0, 1], 64)
            .icmpv4(error.clone());
        let mut frame = Vec::new();
        builder.write(&mut frame, quoted).unwrap();
        frame
    };
    // A report about another connection changes nothing.
    let mut forged = lost[14..14 + 28].to_vec();
    forged[21] ^= 1;
    network.send_frame("h2", 0, too_long(&forged)).unwrap();
    network.run_for(100 * MS);
    assert_eq!(network.app::<Server>(server).unwrap().received, 0);
    network.send_frame("h2", 0, too_long(&lost[14..14 + 28])).unwrap();
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Server>(server).unwrap().received, 300_000);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].1.mss, 1000 - 40 - 12);
    check_no_leftovers(&mut network);
}

#[test]
fn parallel_flows_leave_no_state() {
    // A handshake takes 200 ms, during which all connections begin.
    let link = LinkConfig { delay: 50 * MS, ..LinkConfig::default() };
    let client = Client { connections: 10_000, every: 10_000, ..Client::new(address(2), 10_000) };
    let (mut network, client, server) = world(&link, client, Server::default());
    network.run_until(150 * MS);
    assert_eq!(network.host("h1").unwrap().tcp_usage(), (10_000, 0, 10_000));
    // A listener ignores SYNs beyond 4096 incomplete handshakes.
    assert_eq!(network.host("h2").unwrap().tcp_usage().0, 4096);
    network.run_until_finished(FOREVER);
    network.run_for(SECOND);
    let got = network.app::<Server>(server).unwrap();
    assert_eq!((got.accepted.len(), got.received, got.places.len()), (10_000, 100_000_000, 0));
    assert_eq!(network.app::<Client>(client).unwrap().closed.len(), 10_000);
    // The end that closed first stays in TIME-WAIT for a minute.
    let (open, waiting, _) = network.host("h1").unwrap().tcp_usage();
    assert_eq!((open, waiting), (0, 10_000));
    check_no_leftovers(&mut network);
    let discards: Vec<_> = network.host("h2").unwrap().discards().collect();
    // 5904 SYNs are ignored. When they are repeated after a second, all beyond 4096 are ignored
    // again.
    assert_eq!(discards, [("too many incomplete TCP handshakes", 5904 + (5904 - 4096))]);
}

#[test]
fn ports_are_reused_after_time_wait() {
    let client = Client { connections: 28_300, every: 1000, ..Client::new(address(2), 0) };
    let (mut network, client, _) = world(&LinkConfig::default(), client, Server::default());
    network.run_until_finished(FOREVER);
    // The connections take all ephemeral ports except one: 60 999 - 32 768 + 1.
    let refused = network.app::<Client>(client).unwrap().refused.clone();
    assert_eq!(refused.len(), 28_300 - 28_232);
    assert_eq!(refused[0], SendError::NoPort(address(2), 80));
    check_no_leftovers(&mut network);
}

#[test]
fn hosts_with_one_connection_and_jumbo_frames() {
    let mut network = Network::new(1);
    for n in 1..=2 {
        let mut config = host_with_neighbours(n, 2);
        config.interfaces = vec![InterfaceConfig { mtu: 9000, ..config.interfaces[0].clone() }];
        network.add_host(config).unwrap();
    }
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), LinkConfig::default()).unwrap();
    network
        .start_app(
            "h2",
            0,
            Box::new(Server {
                config: Some(Config { keep: Keep::Count, ..Config::default() }),
                ..Server::default()
            }),
        )
        .unwrap();
    let client = network.start_app("h1", 0, Box::new(Client::new(address(2), 0))).unwrap();
    network.run_until_finished(FOREVER);
    // The server's settings limit segments to 1460 bytes.
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].1.mss, 1448);
    check_no_leftovers(&mut network);
}

#[test]
fn a_host_talks_to_itself() {
    let mut network = Network::new(1);
    network
        .add_host(HostConfig::new("h1", MacAddress([8, 0, 0, 0, 0, 1]), "10.0.0.1/24".parse().unwrap()))
        .unwrap();
    let server = network.start_app("h1", 0, Box::new(Server::default())).unwrap();
    let client = network.start_app("h1", 0, Box::new(Client::new(address(1), 1_000_000))).unwrap();
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Server>(server).unwrap().received, 1_000_000);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].0, Closed::Both);
    assert_eq!(check(&mut network).created, 0);
}

#[test]
fn equal_seeds_give_equal_bytes() {
    let run = |seed| {
        let impairments = Impairments { loss: Loss::Random(0.05), ..Impairments::default() };
        let link = LinkConfig { rate: Some(10_000_000), delay: MS, impairments, ..LinkConfig::default() };
        let (mut network, _) = star_network(seed, 2, Relay::new(2, 1000), &link);
        network.start_app("h2", 0, Box::new(Server::default())).unwrap();
        let client = Client { connections: 5, ..Client::new(address(2), 50_000) };
        network.start_app("h1", 0, Box::new(client)).unwrap();
        let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
        network.run_until_finished(FOREVER);
        network.finish_capture(capture).unwrap()
    };
    assert!(run(1) == run(1));
    assert!(run(1) != run(2));
}
