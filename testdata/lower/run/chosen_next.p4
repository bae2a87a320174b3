// `next` of a stack that is chosen at run time, of headers and of unions.
#include "pipe.p4"

header cell_t { bit<8> a; }
header wide_t { bit<16> b; }
header var_t { varbit<32> v; }
header_union either { cell_t c; wide_t w; }
struct row_t { cell_t[2] cells; either[2] eithers; var_t[1] vars; cell_t lone; }
struct headers { cell_t which; row_t[2] rows; }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.which);
        transition select(hdr.which.a[7:4]) {
            0: cells;
            1: eithers;
            2: vars;
            3: lone;
        }
    }
    state cells {
        packet.extract(hdr.rows[hdr.which.a[3:0]].cells.next);
        transition select(hdr.rows[hdr.which.a[3:0]].cells.last.a) {
            0xff: accept;
            _: cells;
        }
    }
    state eithers {
        bit<4> i = hdr.which.a[3:0];
        packet.extract(hdr.rows[i].eithers.next.c);
        packet.extract(hdr.rows[i].eithers.next.w);
        note((bit<8>)hdr.rows[i].eithers.lastIndex);
        transition accept;
    }
    state vars {
        packet.extract(hdr.rows[hdr.which.a[3:0]].vars.next, 24);
        transition accept;
    }
    state lone {
        packet.extract(hdr.rows[hdr.which.a[3:0]].lone);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        note(hdr.rows[0].cells[0].isValid() ? 8w1 : 0);
        note(hdr.rows[1].cells[0].isValid() ? 8w1 : 0);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply {
        packet.emit(hdr.which);
        packet.emit(hdr.rows[0].cells);
        packet.emit(hdr.rows[0].eithers);
        packet.emit(hdr.rows[0].vars);
        packet.emit(hdr.rows[0].lone);
        packet.emit(hdr.rows[1].cells);
        packet.emit(hdr.rows[1].eithers);
        packet.emit(hdr.rows[1].vars);
        packet.emit(hdr.rows[1].lone);
    }
}

Pipe(P(), C(), D()) main;

//> 00 01 ff 77
//= log 1 0
//= out 0001ff77
//> 01 ff 77
//= log 0 1
//= out 01ff77
// Past the stack's end, and past the row's.
//> 01 02 03 04
//= reject StackOutOfBounds
//> 02 02 03 04
//= reject StackOutOfBounds
//> 11 aa bbcc dd
//= log 1 0 0
//= out 11aabbccdd
//> 12 aa bbcc dd
//= reject StackOutOfBounds
//> 20 112233 44
//= log 0 0
//= out 2011223344
//> 31 aa bb
//= log 0 0
//= out 31aabb
//> 32 aa bb
//= reject StackOutOfBounds
