// Slices on both sides, shifts, concatenation, signed and saturating arithmetic, casts.
#include "pipe.p4"

enum bit<8> kind { low = 1, high = 0xf0 }
enum colour { red, green, blue }
type bit<8> port_t;

header byte_t { bit<3> a; bool f; int<4> s; bit<16> w; }
struct headers { byte_t h; }
struct meta_t { colour c; kind k; error e; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        bit<16> w = hdr.h.w;
        w[15:12] = 0xa;
        w[3:0] = w[7:4];
        w[11:4][3:0] = 0;
        show(w);
        w[7:0] += 0xff;
        show(w);
        w <<= 4;
        w |= 1;
        show(w ++ 4w3);
        bit<8> at = 6;
        w[at+:4] = 4w0xf;
        show(w[at+:8]);
        at = 14;
        show(w[at+:8]);
        w[at+:8] = 8w0xff;
        show(w);
        int<8> s = -8s100;
        show((bit<8>)(s |-| 100));
        show((bit<16>)(int<16>)s);
        show((bit<8>)(s >> 2));
        show(s < 0);
        bit<8> u = 250;
        show(u |+| 10);
        show((bit<16>)u << u);
        show((bit<4>)u ++ (bit<4>)(bit<8>)kind.high);
        hdr.h.s = (int<4>)(bit<4>)hdr.h.a == 4s1 ? 4s7 : -4s1;
        show((bit<5>)((int<4>)(bit<4>)hdr.h.a ++ 1w1));
        hdr.h.f = !hdr.h.f;
        meta.k = kind.high;
        meta.c = colour.blue;
        meta.e = error.NoMatch;
        show({ meta.c == colour.blue, meta.k == kind.low, meta.e != error.NoError });
        show(meta);
        port_t p = (port_t)8w7;
        show((bit<8>)p + 1);
        show((bit<1>)(u > 3));
        show((bool)u[1:1]);
        tuple<bit<8>, bool> t = { 5, true };
        show(t[0]);
        if (t == { 5, true }) { note(0xee); }
        show({ -u, ~u, 7w3 * 5, (3 + 4) / 2 == 3 });
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;

//> 21 12 34
//= log a203 a202 20213 8f 0 e3e1 80 ff9c e7 1 ff 0 a0 3 1 0 1 2 f0 2 8 1 1 5 ee 6 5 f 1
//= out 371234
//> ff ff ff
//= log af0f af0e f0e13 cf 3 f3e1 80 ff9c e7 1 ff 0 a0 f 1 0 1 2 f0 2 8 1 1 5 ee 6 5 f 1
//= out efffff
