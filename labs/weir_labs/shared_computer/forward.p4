/*
 * forward.p4 - basic forwarding: a frame leaves at the port of its destination address.
 *
 * The addresses are those of the lab's two hosts; frames to others are dropped. Bridges and flow
 * tables of the other switches are given the same two entries.
 */

#include <core.p4>
#include <v1model.p4>

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t { }

parser ForwardParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control ForwardVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control ForwardIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    action drop() {
        mark_to_drop(std);
    }

    action forward(bit<9> port) {
        std.egress_spec = port;
    }

    table stations {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
            drop;
        }
        size = 16384;
        const default_action = drop();
        entries = {
            0x080000000001: forward(1);
            0x080000000002: forward(2);
        }
    }

    apply {
        stations.apply();
    }
}

control ForwardEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply { }
}

control ForwardComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control ForwardDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(ForwardParser(), ForwardVerifyChecksum(), ForwardIngress(), ForwardEgress(), ForwardComputeChecksum(),
         ForwardDeparser()) main;
