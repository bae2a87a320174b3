// The standard metadata's fields keep as many bits as they have: what is written is cut to them.
#include <v1model.p4>

header one_t {
    bit<16> value;
    bit<16> spec;
    bit<16> group;
    bit<8>  priority;
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
        standard.egress_spec = (bit<9>) hdr.one.value;
        standard.priority = (bit<3>) hdr.one.value;
        standard.mcast_grp = hdr.one.value;
        hdr.one.spec = (bit<16>) standard.egress_spec;
        hdr.one.group = standard.mcast_grp;
        hdr.one.priority = (bit<8>) standard.priority;
        standard.mcast_grp = 0;
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
