// One instance of a parser applied with different extern objects and in different parsers; its value set is one.
#include "pipe.p4"

header byte_t { bit<8> a; }
struct headers { byte_t[4] h; }
struct meta_t { bit<8> m; }

parser Leaf(packet_in packet, inout headers hdr, cell c) {
    cell(0x40) own;
    state start {
        packet.extract(hdr.h.next);
        own.set(own.get() + 1);
        c.set(c.get() + hdr.h.last.a);
        note(own.get());
        note(c.get());
        transition accept;
    }
}

parser Leaf_t(packet_in packet, inout headers hdr, cell c);

parser Middle(packet_in packet, inout headers hdr, cell c)(Leaf_t leaf) {
    state start {
        leaf.apply(packet, hdr, c);
        transition accept;
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    cell(0x10) one;
    cell(0x20) two;
    Leaf() leaf;
    Middle(leaf) middle;
    state start {
        leaf.apply(packet, hdr, one);
        leaf.apply(packet, hdr, two);
        middle.apply(packet, hdr, two);
        middle.apply(packet, hdr, one);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) { apply { } }

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 01 02 03 04 ff
//= log 41 11 42 22 43 25 44 15
//= out 01020304ff
