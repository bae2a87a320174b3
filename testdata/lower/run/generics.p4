// Generic functions, structs and headers; constructor parameters; instances with state of their own.
#include "pipe.p4"

header opt<T> { T value; bit<8> rest; }
struct box<T> { T item; bit<8> count; }
struct headers { opt<bit<16>> wide; opt<bit<8>> slim; }
struct meta_t { box<bit<4>> b; }
const bit<8> BASE = 0x40;
const list<bit<8>> TABLE = (list<bit<8>>){ 1, BASE, 3 };
cell(0x21) shared;

T larger<T>(in T left, in T right) {
    bool choice = true;
    T result = choice ? left : right;
    return result;
}

box<T> wrap<T>(in T item, in bit<8> count) {
    return { item, count };
}


parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.wide);
        packet.extract(hdr.slim);
        transition accept;
    }
}

control Count(inout bit<8> x)(bit<8> step, cell c) {
    cell(0) own;
    apply {
        own.set(own.get() + step);
        c.set(c.get() + 1);
        x = x + own.get();
        note(own.get());
        note(c.get());
    }
}

control Twice(inout bit<8> x)(cell c) {
    Count(2, c) left;
    Count(4, shared) right;
    apply {
        left.apply(x);
        right.apply(x);
        left.apply(x);
    }
}

control C(inout headers hdr, inout meta_t meta) {
    cell(0x80) mine;
    Twice(mine) a;
    Twice(shared) b;
    apply {
        show(larger(hdr.wide.value, 0x1234));
        show(larger(hdr.slim.value, 8w3));
        box<bit<8>> w = wrap(hdr.slim.value, 2);
        show(w);
        meta.b = wrap<bit<4>>(3, BASE);
        show(meta.b);
        a.apply(hdr.slim.rest);
        b.apply(hdr.slim.rest);
        for (bit<8> entry in TABLE) { note(entry); }
        message("done {}", { hdr.slim, meta.b.item });
        show((bit<16>)(hdr.wide.minSizeInBits() + hdr.minSizeInBytes()));
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 12 35 00 07 01
//= log 1235 7 7 2 3 40 2 81 4 22 4 82 2 23 4 24 4 25 1 40 3 "done {}" 7 15 3 1d
//= out 1235000715
