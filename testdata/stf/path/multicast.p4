// Multicast: a copy for each port of each node of the group; each copy has an egress of its own.
#include <v1model.p4>

header one_t {
    bit<8>  port;
    bit<8>  mark;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bit<8> mark;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        meta.mark = hdr.one.mark + 1;
        hdr.one.mark = 0;
        standard.egress_spec = 9;
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.port = (bit<8>) standard.egress_port;
        hdr.one.mark = hdr.one.mark + meta.mark;
        meta.mark = 0x55;
    }
}

#include "../rest.p4"
