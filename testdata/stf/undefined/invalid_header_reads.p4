// A field of a header that is not valid, and that nothing was written to, reads as 0, in expressions, keys, hashes and copies.
#include <v1model.p4>

header one_t {
    bit<8> value;
    bit<8> compared;
    bit<8> looked_up;
}

header two_t {
    bit<8>  a;
    bit<16> b;
}

struct headers_t {
    one_t one;
    two_t two;
}

struct metadata_t {
    two_t kept;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition select(hdr.one.value) {
            1: two;
            default: accept;
        }
    }
    state two {
        packet.extract(hdr.two);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action found(bit<8> what) {
        hdr.one.looked_up = what;
    }
    table t {
        key = { hdr.two.b: exact; }
        actions = { found; }
        const entries = {
            0: found(1);
            0xffff: found(2);
        }
    }

    apply {
        standard.egress_spec = 1;
        hdr.one.compared = hdr.two.a == 0 ? 8w1 : 2;
        t.apply();
        hdr.one.value = hdr.two.a;
    }
}

#include "../rest.p4"
