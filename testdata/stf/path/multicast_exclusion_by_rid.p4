// Not to a port of the packet's own node: egress compares egress_rid with what ingress noted.
#include <v1model.p4>

header one_t {
    bit<8> node;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<16> excluded;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        meta.excluded = (bit<16>) hdr.one.node;
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.egress_rid == meta.excluded) {
            mark_to_drop(standard);
        }
    }
}

#include "../rest.p4"
