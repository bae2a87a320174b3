// What lowering cannot do yet is named where it stands, all of it at once.
#include "pipe.p4"

header byte_t { bit<8> a; }
header wide_t { bit<2000> a; bit<2000> b; }
struct headers { byte_t h; byte_t[2] stack; }
struct meta_t { bit<8> m; }

parser Sub(packet_in packet, inout bit<8> x) {
    state start { transition accept; }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    Sub() sub;
    state start {
        sub.apply(packet, meta.m);
        wide_t once = packet.lookahead<wide_t>();
        wide_t twice = packet.lookahead<wide_t>();
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
//! 17: not supported yet: a `lookahead` of `wide_t`, which has 4000 bits
//! 18: not supported yet: a `lookahead` of `wide_t`, which has 4000 bits
