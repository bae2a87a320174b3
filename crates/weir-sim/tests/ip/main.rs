//! IPv4 and IPv6: neighbour discovery, fragments, path MTUs, ICMP errors.

#[path = "../network/world/mod.rs"]
mod world;

mod errors;
mod packets;
mod random;

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

/// Creates the host `h<n>` with 2001:db8::<n>/64 in addition to its IPv4 address.
fn dual_stack_host(n: u8) -> HostConfig {
    let mut config = host(n);
    config.interfaces[0].addresses.push(format!("2001:db8::{n}/64").parse().unwrap());
    config
}

/// Creates h1 and h2 on an unlimited link.
fn host_pair() -> Network {
    let mut network = Network::new(1);
    for n in 1..=2 {
        network
            .add_host(HostConfig { neighbours: host_with_neighbours(n, 2).neighbours, ..dual_stack_host(n) })
            .unwrap();
    }
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), LinkConfig::default()).unwrap();
    network
}

/// Returns a link that loses every frame.
fn lossy_link() -> LinkConfig {
    let impairments = Impairments { loss: Loss::Random(1.0), ..Impairments::default() };
    LinkConfig { impairments, ..LinkConfig::default() }
}

/// Returns the frames at h1's interface during `run`.
fn capture_during(network: &mut Network, run: impl FnOnce(&mut Network)) -> Vec<Vec<u8>> {
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

/// Returns an echo request from h2 to h1.
fn echo_request_v6() -> Vec<u8> {
    let builder =
        PacketBuilder::ethernet2(H2, H1).ipv6(v6(2).octets(), v6(1).octets(), 64).icmpv6_echo_request(1, 1);
    let mut frame = Vec::new();
    builder.write(&mut frame, b"payload!").unwrap();
    frame
}
