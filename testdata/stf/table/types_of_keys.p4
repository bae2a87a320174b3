// Keys of type bool, enum, error and int<> beside bits.
#include <v1model.p4>

enum bit<8> Kind {
    LEFT = 1,
    RIGHT = 2
}

header one_t {
    Kind   kind;
    int<8> signed;
    bit<8> found;
}

struct headers_t {
    one_t one;
}

struct metadata_t {
    bool odd;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.one.found = what;
    }
    table t {
        key = {
            hdr.one.kind: exact;
            hdr.one.signed: exact;
            meta.odd: exact;
        }
        actions = { found; }
        const entries = {
            (Kind.LEFT, -1, true): found(1);
            (Kind.RIGHT, -1, true): found(2);
            (Kind.LEFT, 4, false): found(3);
        }
    }

    apply {
        standard.egress_spec = 1;
        meta.odd = (bit<8>) hdr.one.signed & 1 == 1;
        t.apply();
    }
}

#include "../rest.p4"
