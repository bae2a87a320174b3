// An instance is lowered once, and a number without width stands for itself in it.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Add(int amount, inout bit<8> sum) {
    apply { sum = sum + amount; }
}

control C(inout headers hdr, inout meta_t meta) {
    Add() add;
    apply {
        add.apply(1, hdr.h.a);
        add.apply(2, hdr.h.a);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;
//! 23: not supported yet: applying one instance with different strings or numbers without width
