// Action data with members: the control plane gives its parts one by one.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; byte_t g; }
struct meta_t { bit<8> m; }
struct pair_t { bit<8> x; bit<8> y; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    action both(pair_t pair, bit<8> more) {
        show(pair);
        hdr.h.b = pair.x + pair.y + more;
    }
    action whole(in bit<8> place, byte_t given) {
        show(given.isValid());
        hdr.g = given;
        hdr.g.b = place;
    }
    table t {
        key = { hdr.h.a: exact; }
        actions = { both; whole(hdr.h.a); }
        const entries = {
            1: both({1, 2}, 3);
            2: whole({0x55, 0x66});
        }
        const default_action = both({0x70, 7}, 0);
    }
    apply {
        t.apply();
        both({x = 9, y = hdr.h.a}, 1);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 0100
//= log 1 2 9 1
//= out 010b
//> 0200
//= log 1 9 2
//= out 020c5502
//> 0300
//= log 70 7 9 3
//= out 030d
