// A clone has none of its original's metadata but the fields of the list, with their values at the end of ingress.
#include <v1model.p4>

header one_t {
    bit<8> listed;
    bit<8> other_list;
    bit<8> unlisted;
    bit<8> ingress_port;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1, 3)
    bit<8> listed;
    @field_list(2)
    bit<8> other_list;
    bit<8> unlisted;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        meta = { 1, 1, 1 };
        clone_preserving_field_list(CloneType.I2E, 1, 3);
        meta = { 2, 2, 2 };
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one = { meta.listed, meta.other_list, meta.unlisted, (bit<8>) standard.ingress_port };
    }
}

#include "../rest.p4"
