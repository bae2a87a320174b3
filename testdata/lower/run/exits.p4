// `exit` from loops, switches and tables below callers that copy out into overlapping places, in their order.
#include "pipe.p4"

header byte_t { bit<8> a; bit<16> w; }
struct headers { byte_t h; byte_t[2] s; }
struct meta_t { bit<8> m; }

control Deep(inout bit<8> x, inout bit<8> y, in bit<8> limit) {
    action last() { x = 0xf0; exit; }
    table stop {
        key = { x: exact; }
        actions = { last; NoAction; }
        default_action = NoAction();
        const entries = { 3: last(); }
    }
    action bump(inout bit<8> v, in bit<8> by) {
        v = v + by;
        if (v == limit) { exit; }
    }
    apply {
        for (bit<8> i = 0; i < 8; i = i + 1) {
            switch (i) {
                0: { continue; }
                1:
                2: { bump(y, 1); if (y == 0x52) { continue; } }
                3: { if (stop.apply().hit) { note(0xbb); } }
                4: { for (bit<8> j in 8w0..9) { bump(x, j); if (j == 2) { break; } } }
                5: { break; }
            }
            x = x + 1;
        }
        note(x);
        y = y + 0x10;
    }
}

control Mid(inout bit<16> w, inout byte_t[2] s, in bit<8> limit) {
    Deep() deep;
    apply {
        // The second copy is written last, over bits of the first.
        deep.apply(w[11:4], w[7:0], limit);
        note(0xcc);
        deep.apply(s[limit[0:0]].a, s[0].a, limit);
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    Mid() mid;
    apply {
        byte_t[2] s = hdr.s;
        mid.apply(hdr.h.w, hdr.s, hdr.h.a);
        note(0xee);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 00 0000 10 0000 20 0000
//= log 7 cc 17 ee
//= out 000012220000200000
//> 00 0020 10 0000 20 0000
//= log 9 cc 17 ee
//= out 000032220000200000
//> 52 0050 10 0000 20 0000
//= out 520052100000200000
//> 00 0010 02 0000 20 0000
//= out 000f12020000200000
//> 01 0020 10 0000 01 0000
//= log 9 cc
//= out 010032120000f00000
