// Without a default action a miss does nothing; a table without actions but NoAction can be hit all the same.
#include <v1model.p4>

header key_t {
    bit<8> key;
    bit<8> hit;
    bit<8> miss;
}

struct headers_t {
    key_t k;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.k);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    table t {
        key = { hdr.k.key: exact; }
        actions = { NoAction; }
    }

    apply {
        standard.egress_spec = 1;
        if (t.apply().hit) {
            hdr.k.hit = 1;
            hdr.k.miss = 0;
        } else {
            hdr.k.hit = 0;
            hdr.k.miss = 1;
        }
    }
}

#include "../rest.p4"
