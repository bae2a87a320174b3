// The control plane cannot set a varbit.
#include "pipe.p4"

header long_t { bit<8> a; varbit<16> rest; }
struct headers { long_t h; }
struct meta_t { varbit<16> kept; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h, 8); transition accept; }
}

control C(inout headers hdr, inout meta_t meta) {
    action alone(varbit<16> rest) { hdr.h.rest = rest; }
    action member(bit<8> more, long_t given) { hdr.h = given; hdr.h.a = more; }
    table one {
        key = { hdr.h.a: exact; }
        actions = { alone; }
    }
    table other {
        key = { hdr.h.a: exact; }
        actions = { member; }
    }
    apply { one.apply(); other.apply(); }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;
//! 13: not supported yet: a varbit as action data
//! 14: not supported yet: a varbit as action data
