// What invalid headers do: their fields keep what is written to them and are not sent; setValid clears them; parameters are variables of their own.
#include "pipe.p4"

header byte_t { bit<8> a; bit<8> b; }
header_union either { byte_t x; byte_t y; }
struct headers { byte_t h; byte_t g; either u; }
struct meta_t { }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        transition accept;
    }
}

control Write(inout bit<8> v, out bit<8> w) {
    apply {
        v = v + 5;
        w = v + 1;
        note(v);
        note(w);
    }
}

control Both(inout byte_t p, inout byte_t q) {
    apply {
        p = { 1, 2 };
        note(q.isValid() ? 8w1 : 0);
        q.setInvalid();
        note(p.isValid() ? 8w1 : 0);
    }
}

control Make(out byte_t p, inout byte_t q) {
    apply {
        note(p.isValid() ? 8w1 : 0);
        p.setValid();
        note(p.a);
        p.b = q.b;
        q.setInvalid();
    }
}

void fill(out byte_t p) {
    p.a = 1;
    p = { 3, p.a };
}

control C(inout headers hdr, inout meta_t meta) {
    Write() write;
    Both() both;
    Make() make;
    apply {
        hdr.g.a = 9;
        note(hdr.g.a);
        write.apply(hdr.g.a, hdr.g.b);
        note(hdr.g.a);
        hdr.u.y.setValid();
        hdr.u.y.a = 7;
        both.apply(hdr.u.x, hdr.u.y);
        note(hdr.u.x.isValid() ? 8w1 : 0);
        make.apply(hdr.g, hdr.h);
        fill(hdr.u.y);
        byte_t fresh;
        note(fresh.isValid() ? 8w1 : 0);
        fresh = hdr.h;
        if (fresh == hdr.h && hdr.h != hdr.g) { note(0xaa); }
        fresh = hdr.g.isValid() ? hdr.g : hdr.h;
        fresh = { fresh.b, fresh.a };
        hdr.h = fresh;
        hdr.h.b = 0x33;
        byte_t none = (byte_t){#};
        if (none == fresh) { note(0xbb); }
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 44 55
//= log 9 e f e 1 1 0 0 0 0 aa
//= out 553300550301
