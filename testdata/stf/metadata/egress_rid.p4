// egress_rid tells the copies of one packet apart: the id of the node that made the copy; 0 for packets that are no copies.
#include <v1model.p4>

header one_t {
    bit<8>  group;
    bit<16> rid;
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
        standard.egress_spec = 3;
        standard.mcast_grp = (bit<16>) hdr.one.group;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.rid = standard.egress_rid;
    }
}

#include "../rest.p4"
