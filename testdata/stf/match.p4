// Tables of every match kind, a stack and a validity bit among the keys.
#include <core.p4>
#include <v1model.p4>

header frame_t {
    bit<8>  kind;
    bit<16> exact_field;
    bit<32> prefix_field;
    bit<16> masked_field;
    bit<8>  range_field;
    bit<8>  optional_field;
}

header label_t {
    bit<4> top;
    bit<4> low;
}

struct headers_t {
    frame_t    frame;
    label_t[2] labels;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.frame);
        transition select(hdr.frame.kind) {
            7: labels;
            default: accept;
        }
    }
    state labels {
        packet.extract(hdr.labels.next);
        packet.extract(hdr.labels.next);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply {}
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    direct_counter(CounterType.packets_and_bytes) hits;

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    action forward_marked(bit<9> port, bit<16> mark) {
        standard.egress_spec = port;
        hdr.frame.exact_field = mark;
    }
    action drop() {
        mark_to_drop(standard);
    }

    table by_exact {
        key = { hdr.frame.exact_field: exact; }
        actions = { forward; forward_marked; drop; }
        default_action = drop();
        counters = hits;
    }
    table by_prefix {
        key = { hdr.frame.prefix_field: lpm; }
        actions = { forward; drop; }
        default_action = drop();
    }
    table by_mask {
        key = { hdr.frame.masked_field: ternary; }
        actions = { forward; drop; }
        default_action = drop();
    }
    table by_range {
        key = { hdr.frame.range_field: range; }
        actions = { forward; drop; }
        default_action = drop();
    }
    table by_option {
        key = { hdr.frame.optional_field: optional; }
        actions = { forward; drop; }
        default_action = drop();
    }
    table by_label {
        key = {
            hdr.labels[0].isValid(): exact;
            hdr.labels[1].low: exact;
        }
        actions = { forward; drop; }
        default_action = drop();
    }

    apply {
        if (hdr.frame.kind == 1) {
            by_exact.apply();
        } else if (hdr.frame.kind == 2) {
            by_prefix.apply();
        } else if (hdr.frame.kind == 3) {
            by_mask.apply();
        } else if (hdr.frame.kind == 4) {
            by_range.apply();
        } else if (hdr.frame.kind == 5) {
            by_option.apply();
        } else {
            by_label.apply();
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
