// The parser finds of a clone of ingress what it found of its original, but for instance_type: packet_length, and what came along
// from the last pass.
#include <v1model.p4>

header one_t {
    bit<8> pass;
    bit<8> parsed_length;
    bit<8> parsed_kept;
    bit<8> parsed_type;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> kept;
    @field_list(2)
    bit<8> other;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        hdr.one.parsed_length = (bit<8>) standard.packet_length;
        hdr.one.parsed_kept = meta.kept;
        hdr.one.parsed_type = (bit<8>) standard.instance_type;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.instance_type == 4) {
            clone_preserving_field_list(CloneType.I2E, 1, 2);
            meta.kept = 0;
        } else {
            meta.kept = 0x55;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.pass == 0) {
            hdr.one.pass = 1;
            recirculate_preserving_field_list(1);
        } else if (standard.instance_type == 1) {
            hdr.one.pass = meta.kept;
        }
    }
}

#include "../rest.p4"
