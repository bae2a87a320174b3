//! TCP between hosts: transfers with losses, refused handshakes, path MTUs, removal of connections.

mod world;

use std::collections::BTreeMap;
use std::net::IpAddr;

use etherparse::{Icmpv4Type, PacketBuilder, SlicedPacket, TcpHeader, icmpv4};
use weir_sim::tcp::{Algorithm, Closed, Config, Event, Info, Keep};
use weir_sim::{
    App, AppEvent, AppId, Data, Direction, FqConfig, HostConfig, HostContext, HtbClass, HtbConfig,
    Impairments, InterfaceConfig, LinkConfig, LinkEnd, Loss, MacAddress, NetemConfig, Network, QdiscConfig,
    SendError, SocketId, TbfConfig, TcpEvent,
};
use world::*;

/// Opens connections one after the other, writes to each, closes it, and reads everything.
struct Client {
    to: (IpAddr, u16),
    bytes: u64,
    connections: u64,
    every: u64,
    config: Option<Config>,
    /// Whether it releases a connection after the last write, without waiting for the peer.
    releases: bool,
    ip_options: Vec<u8>,
    begun: u64,
    left: BTreeMap<SocketId, u64>,
    closed: Vec<(Closed, Info)>,
    refused: Vec<SendError>,
    options: Vec<Vec<u8>>,
    received: u64,
}

impl Client {
    fn new(to: IpAddr, bytes: u64) -> Self {
        Client {
            to: (to, 80),
            bytes,
            connections: 1,
            every: MS,
            config: None,
            releases: false,
            ip_options: Vec::new(),
            begun: 0,
            left: BTreeMap::new(),
            closed: Vec::new(),
            refused: Vec::new(),
            options: Vec::new(),
            received: 0,
        }
    }

    fn write(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let Some(left) = self.left.get_mut(&socket) else { return };
        *left -= host.tcp_write(socket, Data::Pattern(*left)).unwrap();
        if *left == 0 {
            self.left.remove(&socket);
            if self.releases { host.tcp_release(socket) } else { host.tcp_close(socket) }
        }
    }
}

impl App for Client {
    fn start(&mut self, host: &mut HostContext<'_>) {
        self.wake(0, host);
    }

    fn wake(&mut self, _: u64, host: &mut HostContext<'_>) {
        let config = self.config.clone().unwrap_or_else(|| host.tcp_defaults());
        match host.tcp_connect(self.to, config, &self.ip_options) {
            Ok(socket) => {
                self.left.insert(socket, self.bytes);
            }
            Err(error) => self.refused.push(error),
        }
        self.begun += 1;
        if self.begun < self.connections {
            host.wake_at(host.now() + self.every, 0);
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        match *arrival {
            AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } => match event {
                Event::Connected | Event::Writable => self.write(socket, host),
                Event::Readable => self.received += host.tcp_discard(socket),
                Event::PeerClosed => {}
                Event::Closed(why) => self.closed.push((why, host.tcp_info(socket).unwrap())),
            },
            AppEvent::SynOptions { ip_options, .. } => self.options.push(ip_options.to_vec()),
            _ => {}
        }
    }

    fn finished(&self) -> bool {
        self.closed.len() + self.refused.len() == self.connections as usize
    }
}

/// Accepts connections, checks that the received bytes are the pattern, and closes when the peer does.
#[derive(Default)]
struct Server {
    config: Option<Config>,
    /// Whether it never closes.
    stays: bool,
    answer: u64,
    ip_options: Vec<u8>,
    accepted: Vec<(IpAddr, u16)>,
    places: BTreeMap<SocketId, u64>,
    received: u64,
    closed: Vec<(Closed, Info)>,
    options: Vec<Vec<u8>>,
}

impl App for Server {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let config = self.config.clone().unwrap_or_else(|| host.tcp_defaults());
        host.tcp_listen(80, config).unwrap();
        assert!(host.tcp_listen(80, host.tcp_defaults()).is_err());
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        match *arrival {
            AppEvent::Tcp { socket, event: TcpEvent::Accepted { port, from } } => {
                assert_eq!(port, 80);
                self.accepted.push(from);
                self.places.insert(socket, 0);
                if self.answer > 0 {
                    host.tcp_write(socket, Data::Pattern(self.answer)).unwrap();
                }
            }
            AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } => match event {
                Event::Readable => {
                    let mut room = [0; 5000];
                    let place = self.places.get_mut(&socket).unwrap();
                    loop {
                        let read = host.tcp_read(socket, &mut room);
                        if read == 0 {
                            break;
                        }
                        for byte in &room[..read] {
                            assert_eq!(*byte, weir_sim::tcp::pattern()[(*place % 65536) as usize]);
                            *place += 1;
                        }
                        self.received += read as u64;
                    }
                }
                Event::PeerClosed if self.stays => {}
                Event::PeerClosed => host.tcp_close(socket),
                Event::Closed(why) => {
                    self.places.remove(&socket);
                    self.closed.push((why, host.tcp_info(socket).unwrap()));
                }
                Event::Connected | Event::Writable => {}
            },
            AppEvent::SynOptions { socket, ip_options } => {
                self.options.push(ip_options.to_vec());
                host.tcp_set_ip_options(socket, &self.ip_options).unwrap();
            }
            _ => {}
        }
    }

    fn finished(&self) -> bool {
        true
    }
}

/// A client on h1 and a server on h2, around a relay.
fn world(link: &LinkConfig, client: Client, server: Server) -> (Network, AppId, AppId) {
    let (mut network, _) = star(1, 2, Relay::new(2, 1000), link);
    let server = network.start_app("h2", 0, Box::new(server)).unwrap();
    let client = network.start_app("h1", MS, Box::new(client)).unwrap();
    (network, client, server)
}

fn no_residue(network: &mut Network) {
    check(network);
    for host in ["h1", "h2"] {
        assert_eq!(network.host(host).unwrap().tcp_load(), (0, 0, 0), "{host}");
    }
    assert_eq!(network.events_pending(), 0);
}

#[test]
fn a_stream_arrives_whole_with_every_algorithm_over_links_that_lose() {
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
        no_residue(&mut network);
    }
}

#[test]
fn a_link_is_filled() {
    let link = LinkConfig { rate: Some(10_000_000), delay: 2_500_000, ..LinkConfig::default() };
    let (mut network, client, _) = world(&link, Client::new(address(2), 12_500_000), Server::default());
    network.run_until_finished(100 * SECOND);
    // 12.5 MB at 10 Mbit/s, with 66 bytes of headers for 1448 bytes.
    let least = 10 * SECOND * 1514 / 1448;
    assert!((least..least + SECOND / 2).contains(&network.now()), "{}", network.now());
    let info = network.app::<Client>(client).unwrap().closed[0].1.clone();
    assert_eq!((info.timeouts, info.retransmits), (0, 0));
    no_residue(&mut network);
}

#[test]
fn a_port_without_listener_refuses_and_a_host_that_is_not_there_times_out() {
    let client = Client { to: (address(2), 81), ..Client::new(address(2), 1) };
    let (mut network, client, _) = world(&LinkConfig::default(), client, Server::default());
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].0, Closed::Refused);
    let discards: Vec<_> = network.host("h2").unwrap().discards().collect();
    assert_eq!(discards, [("no connection or listener for this TCP segment", 1)]);
    no_residue(&mut network);

    let config = Config { syn_tries: 2, ..Config::default() };
    let client = Client { config: Some(config), ..Client::new(address(77), 1) };
    let (mut network, client, _) = world(&LinkConfig::default(), client, Server::default());
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].0, Closed::TimedOut);
    // 1, 2 and 4 seconds after the last of them.
    assert_eq!(network.now(), MS + 7 * SECOND);
    no_residue(&mut network);
}

/// As Linux' `tcp_fin_timeout` has it.
#[test]
fn a_connection_that_nobody_reads_waits_a_minute_for_the_peers_end() {
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
        assert_eq!(network.host("h1").unwrap().tcp_load(), (0, 0, 0));
        // The server's application may close its side at any later time; the client has deleted the connection.
        assert_eq!(network.host("h2").unwrap().tcp_load().0, 1);
        let socket = *network.app::<Server>(server).unwrap().places.keys().next().unwrap();
        network.call_app(server, |_: &mut Server, host| host.tcp_close(socket)).unwrap();
        network.run_for(SECOND);
        assert_eq!(network.app::<Server>(server).unwrap().closed[0].0, Closed::Reset);
        no_residue(&mut network);
    }
}

#[test]
fn what_comes_for_nobody_is_answered_by_a_reset() {
    let client = Client { releases: true, ..Client::new(address(2), 10_000) };
    let server = Server { answer: 100_000, ..Server::default() };
    let link = LinkConfig { rate: Some(1_000_000), delay: 10 * MS, ..LinkConfig::default() };
    let (mut network, client, server) = world(&link, client, server);
    network.run_until_finished(FOREVER);
    assert_eq!(network.app::<Client>(client).unwrap().closed[0].0, Closed::Aborted);
    network.run_for(SECOND);
    assert_eq!(network.app::<Server>(server).unwrap().closed[0].0, Closed::Reset);
    no_residue(&mut network);
}

#[test]
fn what_cannot_be_connected_is_refused_at_once() {
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
fn options_of_ip_travel_with_the_handshake_alone() {
    // An experimental option of 6 bytes (RFC 4727), a different one in each direction.
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
    no_residue(&mut network);
}

/// The TCP frames of a capture, with headers; checks their checksums.
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
fn segments_have_right_checksums_over_both_families() {
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
        // 20 more bytes of header with IPv6.
        let mss = if v6 { 1428 } else { 1448 };
        assert_eq!(network.app::<Client>(client).unwrap().closed[0].1.mss, mss);
        assert_eq!(network.app::<Server>(server).unwrap().received, 100_001);
        assert!(frames.len() > 100_001 / 1448 + 10);
        no_residue(&mut network);
    }
}

#[test]
fn a_path_that_takes_less_cuts_segments_that_were_lost_on_it() {
    // h2's side of the path has an MTU of 1000 bytes, which no router reports at first: a black hole.
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
    // The router reports it at last, quoting a segment of this connection.
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
    no_residue(&mut network);
}

#[test]
fn ten_thousand_flows_at_once_leave_nothing_behind() {
    // A handshake takes 200 ms, during which all of them begin.
    let link = LinkConfig { delay: 50 * MS, ..LinkConfig::default() };
    let client = Client { connections: 10_000, every: 10_000, ..Client::new(address(2), 10_000) };
    let (mut network, client, server) = world(&link, client, Server::default());
    network.run_until(150 * MS);
    assert_eq!(network.host("h1").unwrap().tcp_load(), (10_000, 0, 10_000));
    // A listener ignores SYNs beyond 4096 incomplete handshakes.
    assert_eq!(network.host("h2").unwrap().tcp_load().0, 4096);
    network.run_until_finished(FOREVER);
    network.run_for(SECOND);
    let got = network.app::<Server>(server).unwrap();
    assert_eq!((got.accepted.len(), got.received, got.places.len()), (10_000, 100_000_000, 0));
    assert_eq!(network.app::<Client>(client).unwrap().closed.len(), 10_000);
    // The end that closed first stays in TIME-WAIT for a minute.
    let (open, waiting, _) = network.host("h1").unwrap().tcp_load();
    assert_eq!((open, waiting), (0, 10_000));
    no_residue(&mut network);
    let discards: Vec<_> = network.host("h2").unwrap().discards().collect();
    // 5904 SYNs are ignored, and of their retransmissions after a second again all beyond 4096.
    assert_eq!(discards, [("too many TCP handshakes under way", 5904 + (5904 - 4096))]);
}

#[test]
fn ports_run_out_and_come_back_after_time_wait() {
    let client = Client { connections: 28_300, every: 1000, ..Client::new(address(2), 0) };
    let (mut network, client, _) = world(&LinkConfig::default(), client, Server::default());
    network.run_until_finished(FOREVER);
    // All but one ephemeral port: 60 999 - 32 768 + 1.
    let refused = network.app::<Client>(client).unwrap().refused.clone();
    assert_eq!(refused.len(), 28_300 - 28_232);
    assert_eq!(refused[0], SendError::NoPort(address(2), 80));
    no_residue(&mut network);
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
    no_residue(&mut network);
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
        let (mut network, _) = star(seed, 2, Relay::new(2, 1000), &link);
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

#[test]
fn a_connection_does_not_fill_its_own_queue() {
    // The host's own link is the slowest, so the whole window would be queued there.
    let slow = LinkConfig { rate: Some(5_000_000), delay: 10 * MS, ..LinkConfig::default() };
    for small_queue in [true, false] {
        let config = Config { small_queue, mss: u16::MAX, ..Config::default() };
        let client = Client { config: Some(config), ..Client::new(address(2), 5_000_000) };
        let (mut network, _, server) = world(&slow, client, Server::default());
        let link = network.link_at(&LinkEnd::new("h1", 0)).unwrap();
        network.run_until(6 * SECOND);
        let counters = network.link_counters(link, Direction::Forward).unwrap();
        // A queue of three frames keeps the link as busy as one of a thousand.
        assert!(counters.busy >= 5 * SECOND + 900 * MS, "{}", counters.busy);
        assert!(network.app::<Server>(server).unwrap().received > 3_000_000);
        let most = counters.queue_max;
        assert!(if small_queue { most <= 3 } else { most > 100 }, "{most}");
        network.run_until_finished(FOREVER);
        no_residue(&mut network);
    }
}

/// Like [`Client`], and changes its interface to fair queueing at a time.
struct Shaped(Client, u64);

impl App for Shaped {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.wake_at(self.1, 1);
        self.0.start(host);
        let none = host.set_qdisc(1, QdiscConfig::Fq(FqConfig::default()));
        assert!(matches!(none, Err(weir_sim::Error::UnknownInterface { .. })));
        let endless = FqConfig { quantum: 0, ..FqConfig::default() };
        assert!(host.set_qdisc(0, QdiscConfig::Fq(endless)).is_err());
    }
    fn wake(&mut self, token: u64, host: &mut HostContext<'_>) {
        if token == 1 {
            let config = FqConfig { maxrate: Some(2_000_000), ..FqConfig::default() };
            host.set_qdisc(0, QdiscConfig::Fq(config)).unwrap();
        }
    }
    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        self.0.receive(arrival, host);
    }
    fn finished(&self) -> bool {
        self.0.finished()
    }
}

#[test]
fn a_program_sets_its_interfaces_queue_and_connections_pace_by_it() {
    let link = LinkConfig { rate: Some(10_000_000), delay: 5 * MS, ..LinkConfig::default() };
    let (mut network, _) = star(1, 2, Relay::new(2, 1000), &link);
    let server = network.start_app("h2", 0, Box::new(Server::default())).unwrap();
    network.start_app("h1", 0, Box::new(Shaped(Client::new(address(2), 10_000_000), 2 * SECOND))).unwrap();
    let at = |network: &mut Network, time| {
        network.run_until(time);
        network.app::<Server>(server).unwrap().received
    };
    let before = [at(&mut network, SECOND), at(&mut network, 2 * SECOND)];
    let after = [at(&mut network, 3 * SECOND), at(&mut network, 5 * SECOND)];
    let rate = |bytes: u64, seconds: u64| bytes * 8 * 1514 / 1448 / seconds;
    assert!((9_800_000..=10_000_000).contains(&rate(before[1] - before[0], 1)), "{before:?}");
    let shaped = rate(after[1] - after[0], 2);
    assert!((1_980_000..=2_020_000).contains(&shaped), "{shaped}");
    // Segments are passed to the queue when they are due, so the queue stays short for any window.
    let link = network.link_at(&LinkEnd::new("h1", 0)).unwrap();
    let waiting = network.link_counters(link, Direction::Forward).unwrap().queue_now;
    assert!(waiting <= 3, "{waiting}");
}

/// Bytes that a server receives in the ten seconds after the second one, with this queue at the client's side.
fn received_behind(queue: QdiscConfig, rate: u64, delay: u64, client: Client) -> f64 {
    let link = LinkConfig { rate: Some(rate), delay, ..LinkConfig::default() };
    let (mut network, _, server) = world(&link, client, Server::default());
    network.set_queue(&LinkEnd::new("h1", 0), queue).unwrap();
    let received = |network: &Network| network.app::<Server>(server).unwrap().received;
    network.run_until(2 * SECOND);
    let before = received(&network);
    network.run_until(12 * SECOND);
    let bytes = received(&network) - before;
    assert_eq!(network.audit().violations, Vec::<String>::new());
    bytes as f64
}

#[test]
fn shaped_hosts_hold_their_rates_under_tcp() {
    let much = || Client::new(address(2), 1_000_000_000);
    // 1448 of the 1514 bytes of each frame are data.
    let goodput = |rate: f64| rate * 10.0 / 8.0 * 1448.0 / 1514.0;
    let near = |found: f64, expected: f64| (found - expected).abs() < 0.01 * expected;
    for rate in [1_000_000, 20_000_000] {
        let class = HtbClass::new(1, rate);
        let htb = HtbConfig { default: Some(1), classes: vec![class], filters: Vec::new() };
        let found = received_behind(QdiscConfig::Htb(htb), 100_000_000, MS, much());
        assert!(near(found, goodput(rate as f64)), "htb at {rate}: {found}");
        let fq = FqConfig { maxrate: Some(rate), ..FqConfig::default() };
        let found = received_behind(QdiscConfig::Fq(fq), 100_000_000, MS, much());
        assert!(near(found, goodput(rate as f64)), "fq at {rate}: {found}");
        let tbf = TbfConfig { rate, burst: 3028, peak: None, limit: 100_000, queue: None };
        let found = received_behind(QdiscConfig::Tbf(tbf), 100_000_000, MS, much());
        assert!(near(found, goodput(rate as f64)), "tbf at {rate}: {found}");
    }
}

#[test]
fn fq_holds_what_a_paced_connection_hands_over_ahead_of_its_time() {
    let pacing = weir_sim::tcp::Pacing::Rate(10_000_000);
    let config = Config { pacing, paced_ahead: 10 * MS, mss: u16::MAX, ..Config::default() };
    let client = Client { config: Some(config), ..Client::new(address(2), 1_000_000_000) };
    let found = received_behind(QdiscConfig::Fq(FqConfig::default()), 100_000_000, MS, client);
    // 10 Mbit/s of IP packets: 1500 bytes for 1448.
    let expected = 10_000_000.0 * 10.0 / 8.0 * 1448.0 / 1500.0;
    assert!((found - expected).abs() < 0.01 * expected, "{found} of {expected}");
}

#[test]
fn a_delay_at_the_host_does_not_slow_what_the_same_delay_of_a_link_does_not() {
    let much = || Client::new(address(2), 1_000_000_000);
    let netem = NetemConfig { delay: 20 * MS, limit: 10_000, ..NetemConfig::default() };
    let found = received_behind(QdiscConfig::Netem(netem), 20_000_000, 0, much());
    // 20 Mbit/s.
    let expected = 2.5e7 * 1448.0 / 1514.0;
    assert!(found > 0.95 * expected, "{found} of {expected}");
}
