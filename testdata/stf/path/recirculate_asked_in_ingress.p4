// Recirculation asked for in ingress acts at the end of egress, but not for multicast copies, whose requests are their own.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> passes;
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
        hdr.one.passes = hdr.one.passes + 1;
        if (hdr.one.passes == 1) {
            recirculate_preserving_field_list(0);
        }
        if (hdr.one.wish == 1) {
            standard.mcast_grp = 1;
        }
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
