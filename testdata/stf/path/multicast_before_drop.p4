// Multicast goes before the drop port in egress_spec; mark_to_drop ends both, unless mcast_grp is set after it.
#include <v1model.p4>

header one_t {
    bit<8> order;
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
        if (hdr.one.order == 1) {
            standard.egress_spec = 511;
            standard.mcast_grp = 1;
        } else if (hdr.one.order == 2) {
            standard.mcast_grp = 1;
            mark_to_drop(standard);
        } else {
            mark_to_drop(standard);
            standard.mcast_grp = 1;
        }
    }
}

#include "../rest.p4"
