/* Two tables that share an action selector, one with an action profile, one whose entries grow old. */
#include <core.p4>
#include <v1model.p4>

header flow_t {
    bit<8> group;
    bit<8> way;
    bit<32> source;
    bit<32> destination;
    bit<16> port;
    bit<16> seen;
}

struct headers_t {
    flow_t flow;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.flow);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 32w64, 32w16) paths;
    action_profile(4) places;

    action send(bit<9> port) {
        standard.egress_spec = port;
    }

    action mark(bit<16> with) {
        hdr.flow.seen = with;
    }

    action drop() {
        mark_to_drop(standard);
    }

    table balance {
        key = {
            hdr.flow.group: exact;
            hdr.flow.source: selector;
            hdr.flow.destination: selector;
            hdr.flow.port: selector;
        }
        actions = { send; drop; @defaultonly NoAction; }
        implementation = paths;
        default_action = drop();
    }

    table balance_by_source {
        key = {
            hdr.flow.source: selector;
            hdr.flow.group: lpm;
        }
        actions = { send; drop; NoAction; }
        implementation = paths;
        default_action = drop();
    }

    table place {
        key = { hdr.flow.destination: ternary; }
        actions = { mark; NoAction; }
        implementation = places;
    }

    table age {
        key = { hdr.flow.source: exact; }
        actions = { mark; NoAction; }
        support_timeout = true;
        size = 3;
    }

    apply {
        if (hdr.flow.way == 0) {
            if (!balance.apply().hit) {
                standard.egress_spec = 8;
            }
        } else if (hdr.flow.way == 1) {
            balance_by_source.apply();
        } else if (hdr.flow.way == 2) {
            standard.egress_spec = 1;
            place.apply();
        } else {
            standard.egress_spec = 1;
            age.apply();
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control U(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), U(), D()) main;
