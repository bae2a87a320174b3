// Externs that write: scalars, structs, headers, members of unions, elements chosen at run time, slices.
#include "pipe.p4"

header byte_t { bit<8> a; }
header wide_t { bit<4> x; bit<12> y; }
header_union either { byte_t s; wide_t l; }
struct pair { bit<8> left; byte_t h; }
struct headers { byte_t h; either u; byte_t[3] row; wide_t w; }
struct meta_t { pair p; tuple<bit<8>, bool> t; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        byte_t[2] ahead = packet.lookahead<byte_t[2]>();
        note(ahead[1].a);
        packet.extract(hdr.h);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        hdr.u.s = { 3 };
        forge(hdr.u.l);
        note(hdr.u.s.isValid() ? 8w1 : 0);
        bit<8> i = hdr.h.a;
        forge(hdr.row[i]);
        forge(meta.p);
        forge(meta.t);
        show(meta);
        next(meta.p.left);
        next(_);
        next(meta.p.left[7:0]);
        next(hdr.h.a[hdr.h.a+:8]);
        show(meta.p.left);
        hdr.w = forged<wide_t>();
        swap(hdr.w.x, hdr.w.y[3:0]);
        swap(hdr.row[i].a, hdr.h.a);
        bit<4> f = forged<bit<4>>() & 5;
        show(f);
        byte_t[2] filled;
        forge(filled);
        note(filled[1].a);
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 01 77
//= log 77 0 ff ff ff 1 3 5 ff
//= out ffffff09ffff77
//> 03 77
//= log 77 0 ff ff ff 1 3 5 ff
//= out 00ffffffff77
