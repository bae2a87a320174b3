//! The program of the tests, and its packets.

use etherparse::{NetSlice, PacketBuilder, SlicedPacket};
use weir_ir::ValidProgram;

use crate::bench::compile;

/// Sends packets to port 2, into the queue of the priority in the last bits of the Ethernet
/// destination. In front of the type, the Ethernet source has the depths and the time of the queue.
const PROGRAM: &str = "
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<48> dst; bit<16> depth; bit<16> left; bit<16> waited; bit<16> ether_type; }
header ipv4_t {
    bit<8> version_ihl; bit<6> dscp; bit<2> ecn; bit<16> len; bit<16> id; bit<16> fragment; bit<8> ttl;
    bit<8> protocol; bit<16> sum; bit<32> src; bit<32> dst;
}
struct headers_t { ethernet_t ethernet; ipv4_t ipv4; }
struct metadata_t { }
parser Parse(packet_in p, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        p.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) { 0x0800: ipv4; default: accept; }
    }
    state ipv4 { p.extract(hdr.ipv4); transition accept; }
}
control Verify(inout headers_t hdr, inout metadata_t meta) { apply { } }
control Choose(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { sm.egress_spec = 2; sm.priority = (bit<3>)hdr.ethernet.dst; }
}
control Report(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.ethernet.depth = (bit<16>)sm.enq_qdepth;
        hdr.ethernet.left = (bit<16>)sm.deq_qdepth;
        hdr.ethernet.waited = (bit<16>)sm.deq_timedelta;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        EGRESS
    }
}
control Sum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version_ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.len, hdr.ipv4.id, hdr.ipv4.fragment,
              hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst },
            hdr.ipv4.sum, HashAlgorithm.csum16);
    }
}
control Deparse(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(Parse(), Verify(), Choose(), Report(), Sum(), Deparse()) main;
";

/// Returns the program with more statements in egress.
pub fn program(egress: &str) -> ValidProgram {
    compile(&PROGRAM.replace("EGRESS", egress), &[])
}

/// Returns a UDP packet of a flow with this ECN field, and this many bytes of payload.
pub fn frame(priority: u8, flow: u16, ecn: u8, payload: usize) -> Vec<u8> {
    let mut ip = etherparse::Ipv4Header {
        time_to_live: 64,
        source: [10, 0, 0, 1],
        destination: [10, 0, 0, 2],
        ..Default::default()
    };
    ip.ecn = ecn.try_into().unwrap();
    let builder = PacketBuilder::ethernet2([0; 6], [2, 0, 0, 0, 0, priority])
        .ip(etherparse::IpHeaders::Ipv4(ip, Default::default()))
        .udp(flow, 9);
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![0; payload]).unwrap();
    bytes
}

/// Returns the ECN field, after a check of the checksum.
pub fn ecn_of(bytes: &[u8]) -> u8 {
    let Some(NetSlice::Ipv4(ip)) = SlicedPacket::from_ethernet(bytes).unwrap().net else { panic!("no IPv4") };
    let header = ip.header().to_header();
    assert_eq!(header.header_checksum, header.calc_header_checksum());
    header.ecn.value()
}
