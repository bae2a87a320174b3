// What lowering cannot do yet is named where it stands, all of it at once.
#include "pipe.p4"

header byte_t { bit<8> a; }
header_union either { byte_t x; byte_t y; }
struct headers { byte_t h; either[2] row; byte_t[2] stack; }
struct meta_t { bit<8> m; }

parser Sub(packet_in packet, inout bit<8> x) {
    state start { transition accept; }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    Sub() sub;
    state start {
        for (bit<8> i in 8w0..3) {
            sub.apply(packet, meta.m);
        }
        either ahead = packet.lookahead<either>();
        transition select(hdr.h.a) {
            meta.m: accept;
            _: reject;
        }
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        hdr.stack[meta.m].a = 1;
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
//! 16: not supported yet: applying a parser inside a loop or switch
//! 19: not supported yet: looking ahead at a `either`
