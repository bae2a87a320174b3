// Two things that the control plane would call the same.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t h; }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { transition accept; }
}

control Sub(inout headers hdr) {
    cell(1) c;
    table t {
        actions = { NoAction; }
    }
    apply { t.apply(); }
}

control C(inout headers hdr, inout meta_t meta) {
    @name(".other") table t {
        actions = { NoAction; }
    }
    @name(".other") table u {
        actions = { NoAction; }
    }
    apply {
        Sub.apply(hdr);
        Sub.apply(hdr);
        t.apply();
        u.apply();
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
//! 13: two objects have the control-plane name `C.Sub.c`
//! 14: two tables have the control-plane name `C.Sub.t`
//! 24: two tables have the control-plane name `other`
