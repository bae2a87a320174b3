// A session can lead to a multicast group: a clone for each copy, with its replication id, and the clone's instance_type.
#include <v1model.p4>

header one_t {
    bit<8>  where;
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
        if (hdr.one.where == 1) {
            clone(CloneType.I2E, 1);
        }
        standard.egress_spec = 9;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.where == 2 && standard.instance_type == 0) {
            clone(CloneType.E2E, 1);
        }
        hdr.one.type = (bit<8>) standard.instance_type;
        hdr.one.rid = standard.egress_rid;
    }
}

#include "../rest.p4"
