// A drop at the end of egress goes before recirculation; a drop taken back does not.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> passes;
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
        hdr.one.passes = hdr.one.passes + 1;
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.passes == 1) {
            recirculate_preserving_field_list(0);
            mark_to_drop(standard);
            if (hdr.one.wish == 1) {
                standard.egress_spec = 0;
            }
        }
    }
}

#include "../rest.p4"
