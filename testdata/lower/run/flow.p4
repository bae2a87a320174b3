// if, switch, loops, return and exit, through functions, actions and sub-controls that copy out.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

bit<8> classify(in bit<8> x) {
    if (x < 2) {
        if (x == 0) { return 10; }
        note(0x51);
        return 11;
    } else if (x == 2) {
        return 12;
    }
    bit<8> n = 0;
    for (bit<8> i = 0; i < x; i = i + 1) {
        if (i == 1) { continue; }
        if (i == 5) { break; }
        n = n + i;
        bit<8> fresh;
        note(fresh);
        fresh = 1;
    }
    return n;
}

void stop_early(inout bit<8> x) {
    x = x + 1;
    if (x > 3) { return; }
    x = 0x30;
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Inner(inout bit<8> x, in bit<8> why) {
    action leave(inout bit<8> y) {
        y = y + 1;
        if (why == 6) { exit; }
        y = y + 1;
    }
    apply {
        x = 0x60;
        if (why == 5) { exit; }
        if (why == 7) { return; }
        leave(x);
        note(0x61);
    }
}

control Outer(inout bit<8> x, in bit<8> why) {
    Inner() one;
    Inner() two;
    apply {
        one.apply(x, why);
        // Two applications of one instance, so its parameter is copied.
        two.apply(x, 0);
        x = x + 0x10;
        two.apply(x, why);
        note(0x62);
    }
}

control C(inout headers hdr, inout meta_t meta) {
    Outer() outer;
    bit<8> local = 3;
    apply {
        note(classify(hdr.h.a));
        stop_early(hdr.h.b);
        switch (hdr.h.a) {
            0: { note(0x70); }
            1:
            2: { note(0x71); }
            default: { note(0x72); }
        }
        for (bit<2> i in 2w1..3) {
            for (bit<2> j in 2w2..i) {
                note((bit<8>)(i ++ j));
            }
        }
        for (int<4> i in -4s8..-4s7) { note((bit<8>)(bit<4>)i); }
        bit<8> k = 3;
        for (; note(k) > 1; k = k - 1) { }
        outer.apply(hdr.h.b, hdr.h.a);
        note(local);
        hdr.h.b = 0xff;
        if (hdr.h.a == 0) { return; }
        note(0x73);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;

//> 00 01
//= log a 70 a e f 8 9 3 2 1 61 61 61 62 3
//= out 00ff
//> 01 09
//= log 51 b 71 a e f 8 9 3 2 1 61 61 61 62 3 73
//= out 01ff
//> 02 02
//= log c 71 a e f 8 9 3 2 1 61 61 61 62 3 73
//= out 02ff
//> 04 00
//= log 0 0 0 5 72 a e f 8 9 3 2 1 61 61 61 62 3 73
//= out 04ff
//> 05 00
//= log 0 0 0 0 9 72 a e f 8 9 3 2 1
//= out 0560
//> 06 00
//= log 0 0 0 0 9 72 a e f 8 9 3 2 1
//= out 0661
//> 07 00
//= log 0 0 0 0 9 72 a e f 8 9 3 2 1 61 62 3 73
//= out 07ff
