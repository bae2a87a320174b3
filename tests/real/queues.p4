// Connects ports 1 and 2, and writes into datagrams to port 7 how long their queue was and how long
// they waited there.
#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header ipv4_t {
    bit<72> start;
    bit<8> protocol;
    bit<80> rest;
}

header udp_t {
    bit<16> from_port;
    bit<16> to_port;
    bit<16> length;
    bit<16> checksum;
}

header probe_t {
    bit<32> found;
    bit<32> left;
    bit<32> waited;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t ipv4;
    udp_t udp;
    probe_t probe;
}

struct metadata_t {}

parser Parse(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            0x0800: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.protocol) {
            17: udp;
            default: accept;
        }
    }
    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.to_port) {
            7: probe;
            default: accept;
        }
    }
    state probe {
        packet.extract(hdr.probe);
        transition accept;
    }
}

control NoChecks(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 3 - sm.ingress_port;
    }
}

control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.probe.isValid()) {
            hdr.probe.found = (bit<32>)sm.enq_qdepth;
            hdr.probe.left = (bit<32>)sm.deq_qdepth;
            hdr.probe.waited = sm.deq_timedelta;
            hdr.udp.checksum = 0;
        }
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(Parse(), NoChecks(), MyIngress(), MyEgress(), NoChecks(), Deparse()) main;
