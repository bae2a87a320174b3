// A field of an enum's type may hold a value that has no name: it is like any other, and no branch of the named ones is taken.
#include <v1model.p4>

enum bit<8> Kind {
    A = 1,
    B = 2
}

header one_t {
    Kind   kind;
    bit<8> branch;
}

struct headers_t {
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition select(hdr.one.kind) {
            Kind.A: accept;
            Kind.B: accept;
            default: other;
        }
    }
    state other {
        hdr.one.branch = 0x80;
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (hdr.one.kind == Kind.A) {
            hdr.one.branch = hdr.one.branch | 1;
        } else if (hdr.one.kind == Kind.B) {
            hdr.one.branch = hdr.one.branch | 2;
        }
    }
}

#include "../rest.p4"
