// Clones and copies of a group for ports that the switch does not have are dropped.
#include <v1model.p4>

header one_t {
    bit<8> value;
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
        standard.mcast_grp = 2;
    }
}

#include "../rest.p4"
