// Original and clone have nothing in common once they are two.
#include <v1model.p4>

header one_t {
    bit<8> value;
    bit<8> meta;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> value;
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
        meta.value = 1;
        clone_preserving_field_list(CloneType.I2E, 1, 1);
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.value = hdr.one.value + 1;
        hdr.one.meta = meta.value;
        meta.value = meta.value + 1;
        if (standard.instance_type == 0 && hdr.one.value == 1) {
            clone_preserving_field_list(CloneType.E2E, 2, 1);
        }
    }
}

#include "../rest.p4"
