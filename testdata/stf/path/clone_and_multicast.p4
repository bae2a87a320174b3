// A clone of ingress and multicast of the same packet: the clone is as it came in, the copies as ingress leaves them.
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
        clone(CloneType.I2E, 1);
        hdr.one.mark = 0xee;
        standard.mcast_grp = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        hdr.one.rid = standard.egress_rid;
    }
}

#include "../rest.p4"
