// Structs, tuples, lists and headers into each other; generic structs of unions; defaults; functions that return headers,
// stacks and varbits.
#include "pipe.p4"

header byte_t { bit<8> a; }
header pair_t { bit<8> x; bit<8> y; }
header var_t { varbit<16> v; }
header_union body_t { byte_t b; pair_t p; }
struct inner_t { bit<8> a; bit<8> b; }
struct outer_t { inner_t one; inner_t two; bit<8> c; }
struct box_t<T> { T held; bit<8> tag; }
struct deep_t<T> { box_t<T>[2] boxes; box_t<box_t<T>> nested; }
struct headers { pair_t[3] ps; body_t u; body_t w; var_t v; }
struct meta_t { bit<8> m; }

pair_t flipped(in pair_t p) {
    pair_t q = p;
    if (!p.isValid()) { return q; }
    return { p.y, p.x };
}

pair_t[3] rotated(in pair_t[3] ps) {
    pair_t[3] rs = ps;
    rs.push_front(1);
    rs[0] = ps[2];
    return rs;
}

varbit<16> longer(in var_t left, in var_t right, in bool first) {
    if (first) { return left.v; }
    return right.v;
}

box_t<T> boxed<T>(in T held, in bit<8> tag) { return { held, tag }; }

T unboxed<T>(in box_t<T> box) { return box.held; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.ps.next);
        packet.extract(hdr.ps.next);
        packet.extract(hdr.u.b);
        packet.extract(hdr.v, 16);
        transition accept;
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply {
        outer_t o = { { 1, 2 }, { b = 4, a = 3 }, 5 };
        tuple<tuple<bit<8>, bit<8>>, inner_t> t = { { o.two.b, o.two.a }, { ... } };
        show(t);
        o = { one = { t[0][1], t[0][0] }, ... };
        show(o);
        o.one = { o.one.b, o.one.a };
        show(o.one);
        pair_t p = { hdr.ps[0].y, ... };
        show(p.x);
        show((bit<8>)(p.isValid() ? 8w1 : 0) + p.y);
        hdr.ps[0] = flipped(hdr.ps[0]);
        hdr.ps[2] = flipped(hdr.ps[2]);
        hdr.ps = rotated(hdr.ps);
        show(hdr.ps[0].isValid());
        show(flipped(hdr.ps[1]).x);
        deep_t<body_t> d;
        d.boxes[0] = boxed(hdr.u, 7);
        d.boxes[1].held.p = { 8, 9 };
        d.nested.held = d.boxes[hdr.u.b.a[0:0]];
        show(d.nested.held.tag);
        show(d.nested.held.held.p.isValid());
        hdr.w = unboxed(d.nested.held);
        show(hdr.w == d.boxes[1].held);
        d.boxes[1].held.b.setValid();
        show(d.boxes[1].held.p.isValid());
        show(d.nested == d.nested);
        var_t v;
        v.setValid();
        hdr.v.v = longer(hdr.v, v, hdr.u.b.a > 0x80);
        body_t[2] us = { hdr.u, hdr.w };
        us.pop_front(1);
        show(us[0] == hdr.w);
        hdr.u = us[1];
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr); }
}

Pipe(P(), C(), D()) main;

//> 0102 0304 00 aabb cc
//= log 4 3 0 0 3 4 0 0 0 4 3 2 1 0 1 7 0 0 0 1 1
//= out 0201030400cc
//> 0102 0304 81 aabb cc
//= log 4 3 0 0 3 4 0 0 0 4 3 2 1 0 1 0 1 1 0 1 1
//= out 020103040809aabbcc
