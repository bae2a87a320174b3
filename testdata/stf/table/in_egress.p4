// Tables in egress match what only egress knows: one entry for each copy.
#include <v1model.p4>

header one_t {
    bit<8> vlan;
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
    action vlan(bit<8> id) {
        hdr.one.vlan = id;
    }
    table t {
        key = {
            standard.egress_port: exact;
            standard.egress_rid: exact;
        }
        actions = { vlan; }
    }

    apply {
        t.apply();
    }
}

#include "../rest.p4"
