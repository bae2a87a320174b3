// A queue takes as many as it may; what comes then is dropped.
#include <v1model.p4>

header depths_t {
    bit<8> found;
}

struct headers_t {
    depths_t d;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.d);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.d.found = (bit<8>) standard.enq_qdepth;
    }
}

#include "../rest.p4"
