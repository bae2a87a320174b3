// A header with two varbit fields cannot be extracted. It can be filled, copied, compared and emitted.
// A varbit can be an argument of an action that is called directly.
#include "pipe.p4"

header one_t { bit<8> length; varbit<32> data; }
header two_t { bit<8> first; varbit<32> a; bit<8> second; varbit<16> b; }
struct headers { one_t[3] ones; two_t two; two_t copy; }
struct meta_t { }

parser One(packet_in packet, out one_t one) {
    state start {
        packet.extract(one, (bit<32>)packet.lookahead<bit<8>>() * 8);
        transition accept;
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    One() one;
    state start {
        for (bit<2> i in 2w0..1) {
            one.apply(packet, hdr.ones[i]);
        }
        transition accept;
    }
}

two_t pair(in one_t left, in one_t right) {
    two_t made;
    made.setValid();
    made.first = left.length;
    made.a = left.data;
    made.second = right.length;
    return made;
}

control C(inout headers hdr, inout meta_t meta) {
    action fill(varbit<32> data) { hdr.copy.a = data; }
    apply {
        hdr.two = pair(hdr.ones[0], hdr.ones[1]);
        note(hdr.two == hdr.copy ? 8w1 : 0);
        hdr.copy = hdr.two;
        note(hdr.two == hdr.copy ? 8w1 : 0);
        fill(hdr.ones[1].data);
        note(hdr.two == hdr.copy ? 8w1 : 0);
        hdr.ones[0].setInvalid();
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 02 aabb 01 cc ee
//= log 0 1 0
//= out 01cc02aabb0102cc01ee
//> 00 00
//= log 0 1 1
//= out 0000000000
//> 04 11223344 04 11223344
//= log 0 1 1
//= out 0411223344041122334404041122334404
//> 05 11223344 04
//= reject HeaderTooShort
