// A clone of ingress goes out though its original is resubmitted; in its next pass the original can be cloned again.
#include <v1model.p4>

header one_t {
    bit<8> type;
    bit<8> passes;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> passes;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        meta.passes = meta.passes + 1;
        clone_preserving_field_list(CloneType.I2E, 1, 1);
        if (meta.passes < 3) {
            resubmit_preserving_field_list(1);
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        hdr.one.passes = meta.passes;
    }
}

#include "../rest.p4"
