// Extern objects that an extern function makes, match kinds as values, a stack that is chosen at run time.
#include "pipe.p4"

extern Made<T> {
    T get();
}
extern Made<T> make<T, K>(K kind, T first, string text);

extern Keyed<M, K> {
    Keyed(M kinds, bit<8> size);
    bit<8> lookup(in K key);
}

const tuple<match_kind, match_kind> KINDS = { exact, ternary };

header byte_t { bit<8> a; }
struct row_t { byte_t[2] cells; }
struct headers { byte_t h; row_t[2] rows; }
struct meta_t { bit<8> m; }

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    state start {
        packet.extract(hdr.h);
        packet.extract(hdr.rows[hdr.h.a].cells.next);
        transition accept;
    }
}

control Inner(inout bit<8> x)(Made<bit<8>> made) {
    apply { x = made.get(); }
}

control C(inout headers hdr, inout meta_t meta) {
    Inner(make(exact, 8w7, "inner")) inner;
    Keyed<tuple<match_kind, match_kind>, tuple<bit<8>, bit<8>>>(KINDS, 4) keyed;
    apply {
        inner.apply(meta.m);
        meta.m = meta.m + keyed.lookup({ hdr.h.a, meta.m });
    }
}

control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { packet.emit(hdr.h); }
}

Pipe(P(), C(), D()) main;
