// Every multicast copy can recirculate by itself; each is a normal packet in its next pass.
#include <v1model.p4>

header one_t {
    bit<8>  round;
    bit<16> rid;
    bit<8>  type;
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
        if (hdr.one.round == 0) {
            standard.mcast_grp = 1;
        } else {
            standard.egress_spec = (bit<9>) hdr.one.rid;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        if (hdr.one.round == 0) {
            hdr.one.round = 1;
            hdr.one.rid = standard.egress_rid;
            recirculate_preserving_field_list(0);
        }
    }
}

#include "../rest.p4"
