// A packet grows by a header a round, and its packet_length with it; the payload stays where it is.
#include <v1model.p4>

header label_t {
    bit<8> bottom;
    bit<8> length;
}

struct headers_t {
    label_t    pushed;
    label_t[6] labels;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.labels.next);
        transition select(hdr.labels.last.bottom) {
            0: start;
            default: accept;
        }
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.packet_length < 9) {
            hdr.pushed.setValid();
            hdr.pushed = { 0, (bit<8>) standard.packet_length };
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.pushed.isValid()) {
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
