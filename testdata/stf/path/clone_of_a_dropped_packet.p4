// A clone survives the drop of its original, in ingress and in egress.
#include <v1model.p4>

header one_t {
    bit<8> where;
    bit<8> type;
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
        if (hdr.one.where == 1) {
            clone(CloneType.I2E, 1);
            mark_to_drop(standard);
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        if (hdr.one.where == 2 && standard.instance_type == 0) {
            clone(CloneType.E2E, 1);
            mark_to_drop(standard);
        }
    }
}

#include "../rest.p4"
