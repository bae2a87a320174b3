// A table of twenty keys.
#include <v1model.p4>

header keys_t {
    bit<4> a; bit<4> b; bit<4> c; bit<4> d; bit<4> e; bit<4> f; bit<4> g; bit<4> h; bit<4> i; bit<4> j;
    bit<4> k; bit<4> l; bit<4> m; bit<4> n; bit<4> o; bit<4> p; bit<4> q; bit<4> r; bit<4> s; bit<4> t;
    bit<8> found;
}

struct headers_t {
    keys_t k;
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
    table twenty {
        key = {
            hdr.k.a: exact; hdr.k.b: ternary; hdr.k.c: exact; hdr.k.d: ternary; hdr.k.e: exact;
            hdr.k.f: ternary; hdr.k.g: exact; hdr.k.h: ternary; hdr.k.i: exact; hdr.k.j: ternary;
            hdr.k.k: range; hdr.k.l: optional; hdr.k.m: range; hdr.k.n: optional; hdr.k.o: range;
            hdr.k.p: optional; hdr.k.q: range; hdr.k.r: optional; hdr.k.s: range; hdr.k.t: optional;
        }
        actions = { found; }
        const entries = {
            (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1 .. 15, 2, 3, 4, 5, 6, 7, 8, 0 .. 9, 10): found(1);
            (1, _, 3, _, 5, _, 7, _, 9, _, _, _, _, _, _, _, _, _, _, 10): found(2);
            (1, _, 3, _, 5, _, 7, _, 9, _, _, _, _, _, _, _, _, _, _, _): found(3);
        }
    }

    apply {
        standard.egress_spec = 1;
        twenty.apply();
    }
}

#include "../rest.p4"
