// Arguments and operands are evaluated from left to right, each once (P4_16 sections 6.8 and 8.1).
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; bit<8> c; }
struct headers { byte_t h; }
struct meta_t { }

bit<8> twice(inout bit<8> x) {
    x = x + x;
    return x;
}

bit<8> count_up(inout bit<8> x) {
    x = x + 1;
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

control Keep(inout bit<8> v, in bit<8> w) {
    apply { v = v + w; }
}

control C(inout headers hdr, inout meta_t meta) {
    Keep() keep;
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
        // An `inout` argument's value is from before the later arguments' effects.
        keep.apply(x, twice(x));
        show(x);
        bit<8> y = 3;
        mix(y, twice(y));
        show(y);
        // Its place is, too.
        bit<8>[3] row = { 1, 2, 3 };
        bit<8> i = 0;
        mix(row[i], count_up(i));
        row[i] = row[count_up(i)] + i;
        show({ row[0], row[1], row[2], i });
        bit<8>[2][2] grid = { { 1, 2 }, { 3, 4 } };
        i = 0;
        show(grid[i][count_up(i)]);
        grid[i][i - 1] = 9;
        grid[i][i + 1] = 8;
        show(grid);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 01 00 00 ff
//= log 1 2 3 7 4 5 9 a 9 20 20 60 9 2 5 3 2 2 1 2 9 4
//= out 03fc08ff
