// Headers and stacks that a body declares are invalid each time it runs, also where it has no parameters.
#include "pipe.p4"

header byte_t { bit<8> a; }
header_union either_t { byte_t x; byte_t y; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

control Sub()(bit<8> id) {
    byte_t outer;
    apply {
        byte_t inner;
        byte_t[2] row;
        either_t e;
        note(id | (outer.isValid() ? 8w1 : 0) | (inner.isValid() ? 8w2 : 0) | (row[0].isValid() ? 8w4 : 0)
            | (e.isValid() ? 8w8 : 0));
        outer.setValid();
        inner.setValid();
        row[0].setValid();
        e.x.setValid();
    }
}

control Wrap()(bit<8> id) {
    Sub(id) sub;
    apply { sub.apply(); }
}

control C(inout headers hdr, inout meta_t meta) {
    Sub(0x10) once;
    Sub(0x20) twice;
    Wrap(0x30) wrapped;
    apply {
        once.apply();
        twice.apply();
        twice.apply();
        for (bit<8> i in 8w1..2) { wrapped.apply(); }
        wrapped.apply();
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition accept; }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 00
//= log 10 20 20 30 30 30
//= out 00
