// A drop at the end of ingress, one at the end of egress, and both taken back.
#include <v1model.p4>

header one_t {
    bit<8> ingress;     // 1 drop, 2 drop and take it back
    bit<8> egress;
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

@noWarn("drop-overwritten") control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (hdr.one.ingress > 0) {
            mark_to_drop(standard);
        }
        if (hdr.one.ingress == 2) {
            standard.egress_spec = 2;
        }
    }
}

#define OWN_EGRESS
@noWarn("drop-overwritten") control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.egress > 0) {
            mark_to_drop(standard);
        }
        if (hdr.one.egress == 2) {
            standard.egress_spec = 7;
        }
    }
}

#include "../rest.p4"
