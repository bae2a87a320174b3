// Each multicast copy can be cloned in egress, with its own changes; the clone keeps neither rid nor other metadata.
#include <v1model.p4>

header one_t {
    bit<8>  mark;
    bit<8>  type;
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
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.instance_type == 5) {
            hdr.one.mark = hdr.one.mark + (bit<8>) standard.egress_port;
            clone(CloneType.E2E, 1);
        }
        hdr.one.type = (bit<8>) standard.instance_type;
        hdr.one.rid = standard.egress_rid;
    }
}

#include "../rest.p4"
