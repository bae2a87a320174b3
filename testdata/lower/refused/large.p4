// A variable that no state of a packet could hold.
#include "pipe.p4"

struct headers { }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { transition accept; }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<8>[1000][1000] many;
        many[3][4] = 5;
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { }
}

Pipe(P(), C(), D()) main;
//! 13: not supported yet: a variable of type `bit<8>[1000][1000]`, which has more than 262144 parts
