// Clones recirculate too: one of ingress, and one of egress whose next pass multicasts it.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> way;     // a digit a block: the instance types
    bit<8> more;
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
        if (standard.instance_type == 4) {
            hdr.one.more = (bit<8>) standard.ingress_port;
            if (hdr.one.wish == 2) {
                standard.mcast_grp = 1;
            } else {
                standard.egress_spec = 2;
            }
        } else if (hdr.one.wish == 1) {
            clone(CloneType.I2E, 1);
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.way = hdr.one.way << 4 | (bit<8>) standard.instance_type;
        if (standard.instance_type == 0 && hdr.one.wish == 2 && hdr.one.way == 0) {
            clone(CloneType.E2E, 1);
        } else if (standard.instance_type == 1 || standard.instance_type == 2) {
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
