// Ways to write the lines of a test.
#include <v1model.p4>

header one_t {
    bit<8> a;
    bit<128> address;
    bit<8> b;
    bit<8> c;
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
    action set(bit<128> address, bit<8> a, bit<8> b) {
        hdr.one.address = address;
        hdr.one.a = a;
        hdr.one.b = b;
        standard.egress_spec = 1;
    }
    table t {
        key = {
            hdr.one.a: exact;
            hdr.one.c: ternary;
        }
        actions = { set; }
    }

    apply {
        t.apply();
    }
}

#include "rest.p4"
