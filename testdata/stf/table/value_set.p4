// A parser value set: the control plane says which values take a branch. Its members match as its fields' kinds say; an empty set matches nothing.
#include <v1model.p4>

header one_t {
    bit<16> type;
    bit<8>  branch;
}

struct pair_t {
    @match(exact)
    bit<8> high;
    @match(ternary)
    bit<8> low;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<bit<16>>(2) tunnels;
    value_set<pair_t>(4) pairs;

    state start {
        packet.extract(hdr.one);
        hdr.one.branch = 0;
        transition select(hdr.one.type) {
            tunnels: tunnel;
            default: more;
        }
    }
    state tunnel {
        hdr.one.branch = 1;
        transition accept;
    }
    state more {
        transition select(hdr.one.type[15:8], hdr.one.type[7:0]) {
            pairs: pair;
            default: accept;
        }
    }
    state pair {
        hdr.one.branch = 2;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
    }
}

#include "../rest.p4"
