// A clone of egress too has no metadata but the fields of its list, with their values at the end of egress.
#include <v1model.p4>

header one_t {
    bit<8> listed;
    bit<8> unlisted;
    bit<8> ingress_port;
    bit<8> length;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> listed;
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
        meta = { 1, 1 };
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one = { meta.listed, meta.unlisted, (bit<8>) standard.ingress_port, (bit<8>) standard.packet_length };
        if (standard.instance_type == 0) {
            clone_preserving_field_list(CloneType.E2E, 1, 1);
            meta = { 3, 3 };
        }
    }
}

#include "../rest.p4"
