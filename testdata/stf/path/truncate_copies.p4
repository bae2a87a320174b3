// Cut in ingress: the multicast copies are cut, a clone is whole. Cut in egress: each copy for itself, a clone of egress is whole again.
#include <v1model.p4>

header one_t {
    bit<8> wish;
    bit<8> type;
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
        standard.egress_spec = 1;
        if (hdr.one.wish == 1) {
            truncate(3);
            clone(CloneType.I2E, 1);
            standard.mcast_grp = 1;
        }
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.type = (bit<8>) standard.instance_type;
        if (hdr.one.wish == 1 && standard.egress_port == 3) {
            truncate(2);
        }
        if (hdr.one.wish == 2 && standard.instance_type == 0) {
            truncate(3);
            clone(CloneType.E2E, 1);
        }
    }
}

#include "../rest.p4"
