//! Captures, read by other libraries.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use crate::world::*;
use etherparse::{NetSlice, SlicedPacket, TransportSlice};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use weir_sim::{Error, Impairments, Jitter, LinkConfig, LinkEnd, Loss, Nanos, Network, PingConfig};

/// A captured frame: interface, time, whether it is inbound, bytes.
type Frame = (u32, Nanos, bool, Vec<u8>);

/// Returns the interface names and the frames of a file, parsed by the pcap-file crate.
fn read(file: &[u8]) -> (Vec<String>, Vec<Frame>) {
    let mut reader = PcapNgReader::new(file).unwrap();
    let (mut names, mut frames) = (Vec::new(), Vec::new());
    while let Some(block) = reader.next_block() {
        match block.unwrap() {
            Block::InterfaceDescription(interface) => {
                assert!(interface.options.contains(&InterfaceDescriptionOption::IfTsResol(9)));
                names.extend(interface.options.iter().find_map(|option| match option {
                    InterfaceDescriptionOption::IfName(name) => Some(name.to_string()),
                    _ => None,
                }));
            }
            Block::EnhancedPacket(packet) => {
                let inbound = packet.options == [EnhancedPacketOption::Flags(1)];
                assert!(inbound || packet.options == [EnhancedPacketOption::Flags(2)]);
                assert_eq!(packet.original_len as usize, packet.data.len());
                frames.push((
                    packet.interface_id,
                    packet.timestamp.as_nanos() as u64,
                    inbound,
                    packet.data.to_vec(),
                ));
            }
            other => panic!("{other:?}"),
        }
    }
    (names, frames)
}

/// Checks every checksum of an IPv4 frame against etherparse.
fn check_checksums(frame: &[u8]) {
    let packet = SlicedPacket::from_ethernet(frame).unwrap();
    let Some(NetSlice::Ipv4(ip)) = &packet.net else { return };
    let header = ip.header().to_header();
    assert_eq!(header.header_checksum, header.calc_header_checksum());
    if let Some(TransportSlice::Icmpv4(icmp)) = &packet.transport {
        let header = icmp.header();
        assert_eq!(header.checksum, header.icmp_type.calc_checksum(icmp.payload()));
    }
}

fn capture_run(seed: u64, link: &LinkConfig) -> Vec<u8> {
    let (mut network, _) = star_network(seed, 2, Relay::new(2, 100), link);
    let ends = [LinkEnd::new("h1", 0), LinkEnd::new("s1", 1)];
    let capture = network.capture_to_memory(&ends).unwrap();
    run_ping(&mut network, "h1", PingConfig { payload_bytes: 100, ..PingConfig::new(address(2), 20) });
    check(&mut network);
    network.finish_capture(capture).unwrap()
}

#[test]
fn captures_have_times_and_directions() {
    let link = LinkConfig { rate: Some(1_136_000), delay: 7, ..LinkConfig::default() };
    let file = capture_run(1, &link);
    let (names, frames) = read(&file);
    assert_eq!(names, ["h1-eth0", "s1-p1"]);
    assert_eq!(frames.len(), 20 * 4);
    // A frame of 142 bytes takes 1 ms. s1 sends the request 100 ns after it has arrived.
    let times: Vec<_> =
        frames[..4].iter().map(|(interface, time, inbound, _)| (*interface, *time, *inbound)).collect();
    let hop = MS + 7;
    assert_eq!(
        times,
        [(0, 0, false), (1, hop + 100, false), (1, 3 * hop + 100, true), (0, 4 * hop + 200, true)]
    );
    assert!(frames.is_sorted_by_key(|(_, time, ..)| *time));
    for (.., bytes) in &frames {
        assert_eq!(bytes.len(), 142);
        check_checksums(bytes);
    }
}

#[test]
fn captures_depend_on_the_seed() {
    let link = LinkConfig {
        rate: Some(1_000_000),
        impairments: Impairments {
            jitter: Jitter::Uniform(1000),
            loss: Loss::Random(0.1),
            ..Impairments::default()
        },
        ..LinkConfig::default()
    };
    assert_eq!(capture_run(1, &link), capture_run(1, &link));
    assert_ne!(capture_run(1, &link), capture_run(2, &link));
}

#[test]
fn links_have_separate_randomness() {
    let link = LinkConfig {
        impairments: Impairments {
            jitter: Jitter::Uniform(1000),
            loss: Loss::Random(0.2),
            ..Impairments::default()
        },
        ..LinkConfig::default()
    };
    let run = |more: bool| {
        let (mut network, _) = star_network(5, 2, Relay::new(2, 100), &link);
        if more {
            network.add_host(host(3)).unwrap();
            network.add_host(host(4)).unwrap();
            network.connect(LinkEnd::new("h3", 0), LinkEnd::new("h4", 0), link.clone()).unwrap();
            network
                .start_ping("h3", PingConfig { interval: 1000, ..PingConfig::new(address(4), 50) })
                .unwrap();
        }
        run_ping(&mut network, "h1", PingConfig::new(address(2), 50))
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn fragments_and_errors_have_right_checksums() {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 100), &LinkConfig::default());
    let capture = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap();
    run_ping(&mut network, "h1", PingConfig { payload_bytes: 5000, ..PingConfig::new(address(2), 2) });
    let sender = weir_sim::UdpSenderConfig {
        destination: (address(2), 7),
        source_port: 1000,
        payload_bytes: 300,
        interval: 10,
        count: 3,
    };
    let sender = Box::new(weir_sim::UdpSender::new(sender).unwrap());
    let sender = network.start_app("h1", 0, sender).unwrap();
    check(&mut network);
    // Port 7 is not bound.
    assert_eq!(network.app::<weir_sim::UdpSender>(sender).unwrap().errors(), 3);
    let (_, frames) = read(&network.finish_capture(capture).unwrap());
    assert_eq!(frames.len(), 2 * 4 * 2 + 3 * 2);
    frames.iter().for_each(|(.., bytes)| check_checksums(bytes));
}

#[test]
fn a_callers_writer_gets_the_same_bytes() {
    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);
    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let shared = Shared::default();
    let (mut network, _) = star_network(1, 2, Relay::new(2, 100), &LinkConfig::default());
    let ends = [LinkEnd::new("h1", 0)];
    let captures = [
        network.capture(&ends, Box::new(shared.clone())).unwrap(),
        network.capture_to_memory(&ends).unwrap(),
    ];
    run_ping(&mut network, "h1", PingConfig::new(address(2), 3));
    let [written, kept] = captures.map(|capture| network.finish_capture(capture).unwrap());
    assert!(written.is_empty() && !kept.is_empty());
    assert_eq!(*shared.0.lock().unwrap(), kept);
    assert!(matches!(network.finish_capture(captures[0]), Err(Error::UnknownId { what: "capture", .. })));
}

#[test]
fn a_full_disk_is_reported_at_the_end() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for count in [1, 1000] {
        let (mut network, _) = star_network(1, 2, Relay::new(2, 100), &LinkConfig::default());
        let capture = network.capture(&[LinkEnd::new("h1", 0)], Box::new(Full)).unwrap();
        run_ping(&mut network, "h1", PingConfig::new(address(2), count));
        let error = network.finish_capture(capture).unwrap_err();
        assert_eq!(error, Error::Capture("no space left".into()));
    }
}

#[test]
fn captures_need_a_connected_port() {
    let mut network = Network::new(1);
    network.add_host(host(1)).unwrap();
    let error = network.capture_to_memory(&[LinkEnd::new("h1", 0)]).unwrap_err();
    assert_eq!(error, Error::NotConnected { node: "h1".into(), port: 0 });
}
