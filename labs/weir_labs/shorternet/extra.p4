/*
 * extra.p4 - shorternet.p4 with up to 16 further headers to parse.
 *
 *     Shorternet 4, protocol 253 | extra 4, next 253 | extra 4, next 17 | UDP, ...
 *
 * 253 is for experiments (RFC 3692). Switches do the same for all packets: only the parser and the
 * deparser have more to do.
 */

#include <core.p4>
#include <v1model.p4>

#include "headers.p4"

const bit<8> PROTOCOL_EXTRA = 253;

header extra_t {
    bit<8> next;                // as the protocol in the Shorternet header
    bit<24> content;
}

struct headers {
    shorternet_t shorternet;
    extra_t[16] extra;
}

struct metadata {
}

parser MyParser(packet_in packet,
                out headers hdr,
                inout metadata meta,
                inout standard_metadata_t standard_metadata) {
    state start {
        packet.extract(hdr.shorternet);
        transition select(hdr.shorternet.protocol) {
            PROTOCOL_EXTRA: parse_extra;
            default: accept;
        }
    }

    state parse_extra {
        packet.extract(hdr.extra.next);
        transition select(hdr.extra.last.next) {
            PROTOCOL_EXTRA: parse_extra;
            default: accept;
        }
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
        // A 17th extra header is an error of the parser.
        if (standard_metadata.parser_error != error.NoError || hdr.shorternet.ttl <= 1) {
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
