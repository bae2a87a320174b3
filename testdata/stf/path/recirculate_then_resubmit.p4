// A recirculated packet that is resubmitted: it comes back as it was recirculated.
#include <v1model.p4>

header one_t {
    bit<8> egress;
    bit<8> types;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<8> types;
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
        meta.types = meta.types << 4 | (bit<8>) standard.instance_type;
        hdr.one.types = meta.types;
        if (standard.instance_type == 4) {
            resubmit_preserving_field_list(1);
            hdr.one.egress = 0xee;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.egress = hdr.one.egress + 1;
        if (hdr.one.egress == 1) {
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
