// Static assertions are for what is known before any instance is made.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t h; }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { transition accept; }
}

control Sub(inout headers hdr)(bit<8> limit) {
    apply {
        static_assert(limit < 4, "too many");
        static_assert(limit > 0);
    }
}

control C(inout headers hdr, inout meta_t meta) {
    Sub(3) small;
    Sub(5) large;
    apply {
        small.apply(hdr);
        large.apply(hdr);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
//! 14: the condition of a static assertion must be known at compile time
//! 15: the condition of a static assertion must be known at compile time
