// One instance of a control applied with different extern objects, in different blocks, by callers that copy out and by
// callers that do not: its tables and its own objects are one.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

bit<8> twice(in bit<8> a, in bit<8> b) { return 2 * (a + b); }
control Sub_t(inout bit<8> x, cell c, cell d);

control Sub(inout bit<8> x, cell c, cell d)(bit<8> stop) {
    cell(0) own;
    action add() { x = x + c.get(); c.set(c.get() + 1); }
    action leave() { x = x + twice(c.get(), d.get()); exit; }
    table t {
        key = { x + d.get(): exact @name("sum"); }
        actions = { add; leave; }
        default_action = add();
        const entries = { 0x30: leave(); }
    }
    apply {
        own.set(own.get() + 1);
        note(own.get());
        t.apply();
        if (x == stop) { exit; }
    }
}

control Inner(inout bit<8> y)(Sub_t sub) {
    cell(0x20) mine;
    apply {
        // Copied: a slice of the parameter is no storage of its own.
        sub.apply(y, mine, mine);
        y = y + 1;
    }
}

control Outer(inout headers hdr)(Sub_t sub) {
    cell(0x03) c3;
    cell(0x05) c5;
    Inner(sub) inner;
    apply {
        sub.apply(hdr.h.a, c3, c5);
        sub.apply(hdr.h.b, c5, c3);
        inner.apply(hdr.h.a);
        note(c3.get());
        note(c5.get());
    }
}

control C(inout headers hdr, inout meta_t meta) {
    Sub(0x77) sub;
    Outer(sub) outer;
    apply {
        if (hdr.h.a == 0xff) { outer.apply(hdr); }
        outer.apply(hdr);
        note(0xee);
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition accept; }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 1020
//= log 1 2 3 4 6 ee
//= out 3425
// The table's action leaves all of it: in the first, the second and the third application.
//> 2b20
//= log 1
//= out 3b20
//> 102c
//= log 1 2
//= out 133e
//> 0d20
//= log 1 2 3
//= out 9025
// So does the instance itself.
//> 74ff
//= log 1
//= out 77ff
