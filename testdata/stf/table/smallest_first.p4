// largest_priority_wins = false turns the meaning of priorities around.
#include <v1model.p4>

header key_t {
    bit<8> key;
    bit<8> found;
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
    action found(bit<8> what) {
        hdr.k.found = what;
    }
    table t {
        key = { hdr.k.key: range; }
        actions = { found; }
        largest_priority_wins = false;
        entries = {
            priority = 1: 5 .. 10: found(1);
            priority = 2: 0 .. 100: found(2);
        }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
