// What packets cannot do with a type that only an instance gives.
#include "pipe.p4"

header byte_t { bit<8> a; }
header two_t { varbit<8> a; varbit<8> b; }
header_union either_t { byte_t x; byte_t y; }
struct headers { byte_t h; }
struct meta_t { }

parser Ahead<T>(packet_in packet, out T t) {
    state start {
        t = packet.lookahead<T>();
        transition accept;
    }
}

parser Read<T>(packet_in packet, out T t) {
    state start {
        packet.extract(t, 8);
        transition accept;
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    Ahead<byte_t>() good;
    Ahead<either_t>() bad;
    Read<two_t>() worse;
    state start {
        either_t e;
        two_t t;
        good.apply(packet, hdr.h);
        bad.apply(packet, e);
        worse.apply(packet, t);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) { apply { } }

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
//! 12: `lookahead` cannot read a `either_t`
//! 19: `extract` cannot read a `two_t`
