// Arguments are copied in and copied out from left to right, whatever they share.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct pair { bit<8> left; bit<8> right; }
struct headers { byte_t h; }
struct meta_t { pair p; }

void both(inout bit<8> x, inout bit<8> y) {
    x = x + 1;
    y = y + 16;
}

void outs(out bit<8> x, out bit<8> y, in bit<8> z) {
    x = z;
    y = x + 1;
}

void flip(inout pair p) {
    p = { p.right, p.left };
}

void unset(out bit<8> x) {
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Sub(inout bit<8> x, inout bit<8> y, in bit<8> z) {
    apply {
        x = x + z;
        y = y + z + 1;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    Sub() distinct;
    Sub() shared;
    Sub() again;
    action add(inout bit<8> x, in bit<8> y) {
        x = x + y;
        // The argument's copy is not the variable itself.
        hdr.h.a = 0xee;
    }
    apply {
        // Both copies start from the same value; the second is copied out last.
        both(hdr.h.a, hdr.h.a);
        // The third argument's value is from before the call.
        outs(hdr.h.b, hdr.h.c, hdr.h.b);
        unset(hdr.h.d);
        note(hdr.h.a);
        note(hdr.h.b);
        note(hdr.h.c);
        note(hdr.h.d);
        meta.p = { 1, 2 };
        flip(meta.p);
        meta.p = { meta.p.right, meta.p.left + 5 };
        show(meta.p);
        bit<8> v = 1;
        bit<8> w = 2;
        distinct.apply(v, w, 10);
        show({ v, w });
        shared.apply(v, v, v);
        show({ v, w });
        again.apply(v, w, w);
        again.apply(w, v, v);
        show({ v, w });
        add(hdr.h.a, 1);
        swap(v, w);
        show({ v, w, hdr.h.a });
        swap(hdr.h.a[7:4], hdr.h.a[3:0]);
        show(hdr.h.a);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 01 02 03 04
//= log 11 2 3 0 1 7 b d 17 d 49 3f 3f 49 12 21
//= out 21020300
