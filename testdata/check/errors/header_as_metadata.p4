// Headers that never become valid, but whose fields are written and read.
#include <core.p4>

header item_h { bit<8> a; bit<8> b; }
header_union either_h { item_h one; item_h other; }

extern void fetch(out item_h item);
extern void fetch_all<T>(out T all);

struct inner_t {
    item_h kept;        // WARNING header-as-metadata
    item_h assigned;
}

struct fetched_t {
    item_h first;
}

struct headers_t {
    item_h   item;
    item_h   scratch;   // WARNING header-as-metadata
    item_h   sliced;    // WARNING header-as-metadata
    item_h   filled;    // WARNING header-as-metadata
    item_h   written;
    item_h   made;
    item_h   copied;
    item_h   fetched;
    item_h   given;
    item_h[2] stack;
    either_h either;
}

struct meta_t {
    inner_t   inner;
    fetched_t all;
    fetched_t listed;
}

parser P(packet_in packet, out headers_t hdr, out meta_t meta) {
    state start {
        packet.extract(hdr.item);
        packet.extract(hdr.either.one);
        hdr.scratch.a = hdr.item.a;
        transition accept;
    }
}

control Make(inout item_h item) {
    apply { item.setValid(); }
}

control C(inout headers_t hdr, inout meta_t meta) {
    Make() make;
    action fill(out bit<8> to) { to = 7; }
    apply {
        hdr.item.b = hdr.scratch.a;
        hdr.sliced.a[3:0] = 5;
        hdr.item.a = hdr.sliced.a;
        fill(hdr.filled.a);
        hdr.item.a = hdr.item.a + hdr.filled.a;
        hdr.written.a = 1;      // WARNING invalid-header-write
        hdr.made.setValid();
        hdr.made.a = hdr.item.a;
        hdr.made.b = hdr.made.a;
        hdr.copied = hdr.item;
        hdr.copied.a = hdr.copied.b;
        fetch(hdr.fetched);
        hdr.fetched.a = hdr.fetched.b;
        make.apply(hdr.given);
        hdr.given.a = hdr.given.b;
        meta.inner.kept.a = hdr.item.a;
        hdr.item.b = meta.inner.kept.a;
        meta.inner.assigned = { 1, 2 };
        meta.inner.assigned.a = meta.inner.assigned.b;
        fetch_all(meta.all);
        meta.all.first.a = meta.all.first.b;
        meta.listed = { { 1, 2 } };
        meta.listed.first.a = meta.listed.first.b;
        hdr.scratch.setInvalid();
        if (hdr.scratch.isValid()) { hdr.item.a = 0; }
    }
}

control D(packet_out packet, in headers_t hdr) {
    apply { packet.emit(hdr); }
}

parser Parse<H, M>(packet_in packet, out H hdr, out M meta);
control Work<H, M>(inout H hdr, inout M meta);
control Send<H>(packet_out packet, in H hdr);
package Whole<H, M>(Parse<H, M> p, Work<H, M> c, Send<H> d);
Whole(P(), C(), D()) main;
