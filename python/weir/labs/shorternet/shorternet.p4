/*
 * shorternet.p4 - a switch for Shorternet.
 *
 *     dst, 1 byte | src, 1 byte | protocol, 1 byte | TTL, 1 byte | UDP, ...
 *
 * The table has an entry for each host, so that a packet to an unknown one is dropped.
 */

#include <core.p4>
#include <v1model.p4>

#include "headers.p4"

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
    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(port_t port) {
        standard_metadata.egress_spec = port;
        hdr.shorternet.ttl = hdr.shorternet.ttl - 1;
    }

    table hosts {
        key = { hdr.shorternet.dst: exact; }
        actions = { forward; drop; }
        size = 256;
        default_action = drop();
    }

    apply {
        if (!hdr.shorternet.isValid() || hdr.shorternet.ttl <= 1) {
            drop();
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
