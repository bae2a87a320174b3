/*
 * shorternet.p4 - a switch for Shorternet.
 *
 *     dst, 1 byte | src, 1 byte | protocol, 1 byte | TTL, 1 byte | UDP, ...
 *
 * The table has an entry for each host. Packets that cannot be forwarded are dropped and counted.
 */

#include <core.p4>
#include <v1model.p4>

#include "headers.p4"

const bit<32> TOO_SHORT = 0;
const bit<32> EXPIRED = 1;
const bit<32> UNKNOWN_TARGET = 2;

struct headers {
    shorternet_t shorternet;
}

struct metadata {
}

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.shorternet);
        transition accept;
    }
}

control MyVerifyChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    counter(3, CounterType.packets) refused;    // by reason

    action refuse(bit<32> reason) {
        refused.count(reason);
        mark_to_drop(standard_metadata);
    }

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
        hdr.shorternet.ttl = hdr.shorternet.ttl - 1;
    }

    table hosts {
        key = { hdr.shorternet.dst: exact; }
        actions = { forward; refuse; }
        size = 256;
        const default_action = refuse(UNKNOWN_TARGET);
    }

    apply {
        if (!hdr.shorternet.isValid()) {
            refuse(TOO_SHORT);
        } else if (hdr.shorternet.ttl <= 1) {
            refuse(EXPIRED);
        } else {
            hosts.apply();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply { }
}

control MyComputeChecksum(inout headers hdr, inout metadata meta) {
    apply { }
}

control MyDeparser(packet_out packet, in headers hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
