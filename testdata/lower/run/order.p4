// Arguments and operands are evaluated from left to right, each once (P4_16 sections 6.8 and 8.1).
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; bit<8> c; }
struct headers { byte_t h; }
struct meta_t { }

bit<8> twice(inout bit<8> x) {
    x = x + x;
    return x;
}

bit<8> first(in bit<8> x, in bit<8> y) {
    return x;
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<8> x = hdr.h.a;
        // The left operand is read before the call changes it.
        hdr.h.a = x + twice(x);
        // Both calls' results are kept apart.
        hdr.h.b = twice(x) - twice(x);
        // The saved value of an argument is not the changed one.
        hdr.h.c = first(x, twice(x));
        note(note(1) + note(2) * note(3));
        bool b = note(4) == 4 && note(5) == 6 && note(7) == 7;
        bit<8> d = b ? note(8) : note(9);
        b = note(10) == 10 || note(11) == 11;
        show({ d, twice(x), x });
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 01 00 00 ff
//= log 1 2 3 7 4 5 9 a 9 20 20
//= out 03fc08ff
