// Chains of more operators than one group has: the results, and the order of calls, are those of
// evaluation from left to right.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
struct headers { byte_t h; }
struct meta_t { bit<8> m; }

bit<8> step(inout bit<8> n) {
    n = n + 1;
    return n;
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<8> n = 0;
        show((hdr.h.a - 1 - hdr.h.b) - 3 + (hdr.h.a - 1 - hdr.h.b) - (hdr.h.a - 1 - hdr.h.b) + 3
            + 3 + hdr.h.b - hdr.h.b + hdr.h.b + hdr.h.a + 3 + (hdr.h.a - 1 - hdr.h.b) - 3
            - (hdr.h.a - 1 - hdr.h.b) + 3 + hdr.h.a + hdr.h.a - (hdr.h.a - 1 - hdr.h.b)
            + hdr.h.b + 3 + hdr.h.b + (hdr.h.a - 1 - hdr.h.b) - (hdr.h.a - 1 - hdr.h.b)
            + hdr.h.a + hdr.h.a + 3 + 3 - 3 - (hdr.h.a - 1 - hdr.h.b) + (hdr.h.a - 1 - hdr.h.b)
            + hdr.h.a - hdr.h.a + 3 + (hdr.h.a - 1 - hdr.h.b) + hdr.h.a - hdr.h.a + 3
            + (hdr.h.a - 1 - hdr.h.b) + 3 + (hdr.h.a - 1 - hdr.h.b) - 3);
        show(step(n) + step(n) - step(n) - step(n) + step(n) + step(n) - step(n) + step(n)
            + step(n) - step(n) + step(n) + step(n) - step(n) - step(n) - step(n) + step(n)
            + step(n) - step(n) - step(n) - step(n));
        show(hdr.h.a * hdr.h.b * hdr.h.b * 3 * hdr.h.b * hdr.h.b * 3 * hdr.h.b * hdr.h.b * 3
            * hdr.h.b * hdr.h.b * 3 * hdr.h.b * hdr.h.b * 3 * hdr.h.b * hdr.h.b * 3 * hdr.h.b);
        show(hdr.h.a[7:4] ++ hdr.h.b[3:0] ++ (bit<4>)2 ++ hdr.h.b[3:0] ++ (bit<4>)4
            ++ hdr.h.b[3:0] ++ (bit<4>)6 ++ hdr.h.b[3:0] ++ (bit<4>)8 ++ hdr.h.b[3:0]
            ++ (bit<4>)10 ++ hdr.h.b[3:0] ++ (bit<4>)12 ++ hdr.h.b[3:0] ++ (bit<4>)14
            ++ hdr.h.b[3:0] ++ (bit<4>)0 ++ hdr.h.b[3:0]);
        show(hdr.h.a == 200 || hdr.h.a == 3 || hdr.h.a == 6 || hdr.h.a == 9 || hdr.h.a == 12
            || hdr.h.a == 15 || hdr.h.a == 18 || hdr.h.a == 21 || hdr.h.a == 24 || hdr.h.a == 27
            || hdr.h.a == 30 || hdr.h.a == 33 || hdr.h.a == 36 || hdr.h.a == 39 || hdr.h.a == 42
            || hdr.h.a == 45 || hdr.h.a == 48 || hdr.h.a == 51 || hdr.h.a == 54 || hdr.h.a == 57
            || hdr.h.a == 60 || hdr.h.a == 63 || hdr.h.a == 66 || hdr.h.a == 69 || hdr.h.a == 72
            || hdr.h.a == 75 || hdr.h.a == 78 || hdr.h.a == 81 || hdr.h.a == 84 || hdr.h.a == 87
            || hdr.h.a == 90 || hdr.h.a == 93 || hdr.h.a == 96 || hdr.h.a == 99
            || hdr.h.a == 102 || hdr.h.a == 105 || hdr.h.a == 108 || hdr.h.a == 111
            || hdr.h.a == 114 || hdr.h.a == 117);
        show((bit<16>)((int)hdr.h.a - (int)hdr.h.b - (int)hdr.h.b + (int)hdr.h.b - (int)hdr.h.b
            - (int)hdr.h.b + (int)hdr.h.b - (int)hdr.h.b - (int)hdr.h.b + (int)hdr.h.b
            - (int)hdr.h.b - (int)hdr.h.b + (int)hdr.h.b - (int)hdr.h.b - (int)hdr.h.b
            + (int)hdr.h.b - (int)hdr.h.b - (int)hdr.h.b + (int)hdr.h.b - (int)hdr.h.b));
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 0000
//= log f dc 0 20406080a0c0e000 0 0
//= out 0000
//> 7b05
//= log e7 dc ff 7525456585a5c5e505 0 58
//= out 7b05
//> fffd
//= log 7 dc db fd2d4d6d8dadcded0d 0 fa14
//= out fffd
