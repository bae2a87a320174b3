// `last` in a case of a select: an empty stack is an error only if no case before it matches.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; byte_t[2] stack; }
struct meta_t { bit<8> m; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start { packet.extract(hdr.h); transition choose; }
    state choose {
        transition select(hdr.h.a, hdr.h.b) {
            (0, _): first;
            (1, 5): more;
            (hdr.stack.last.a, _): second;
            (_, hdr.stack.last.b): third;
            (1, _): first;
        }
    }
    state more { packet.extract(hdr.stack.next); transition start; }
    state first { note(0xf1); transition accept; }
    state second { note(0xf2); transition accept; }
    state third { note(0xf3); transition accept; }
}

control C(inout headers hdr, inout meta_t meta) {
    apply { }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

// No case up to the match asks for it.
//> 0000
//= log f1
//= out 0000
// The third does: an empty stack.
//> 0106
//= reject StackOutOfBounds
// The stack has the element 20 30.
//> 0105 2030 2030
//= log f2
//= out 20302030
//> 0105 2030 0130
//= log f3
//= out 01302030
//> 0105 2030 0109
//= log f1
//= out 01092030
//> 0105 2030 4409
//= reject NoMatch
