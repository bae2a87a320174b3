// What is cut and recirculates is short from then on.
#include <v1model.p4>

header one_t {
    bit<8> passes;
    bit<8> length;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        hdr.one.passes = hdr.one.passes + 1;
        hdr.one.length = (bit<8>) standard.packet_length;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.passes == 1) {
            truncate(4);
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
