// A key can be any expression: a slice, a sum, a validity bit, a choice. The control plane knows it by its name or its text.
#include <v1model.p4>

header one_t {
    bit<8> a;
    bit<8> b;
    bit<8> found;
}

header two_t {
    bit<8> c;
}

struct headers_t {
    one_t one;
    two_t two;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition select(hdr.one.a) {
            0x80 .. 0xff: two;
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
        hdr.one.found = what;
    }
    table t {
        key = {
            hdr.one.a[3:0]: exact @name("low");
            hdr.one.a + hdr.one.b: exact @name("sum");
            hdr.two.isValid(): exact;
            (hdr.two.isValid() ? hdr.two.c : 0x55): exact @name("c");
        }
        actions = { found; }
    }

    apply {
        standard.egress_spec = 1;
        t.apply();
    }
}

#include "../rest.p4"
