// Nodes and groups change while the switch runs.
#include <v1model.p4>

header one_t {
    bit<8> group;
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
        standard.mcast_grp = (bit<16>) hdr.one.group;
    }
}

#include "../rest.p4"
