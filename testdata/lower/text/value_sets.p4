// A value set's struct is taken apart into the values that are compared, by their paths.
#include "pipe.p4"

header keys_t { bit<8> a; bit<16> b; bit<8> c; }
struct headers { keys_t keys; }
struct meta_t { bit<8> m; }

struct inner_t { bit<8> a; @match(range) bit<16> b; }
struct outer_t { inner_t inner; @match(ternary) bit<8> c; }

value_set<bit<16>>(8) everywhere;

parser Q(packet_in packet, inout bit<8> m) {
    state start {
        transition select(packet.lookahead<bit<16>>()) {
            everywhere: accept;
            default: reject;
        }
    }
}

parser P(packet_in packet, out headers hdr, inout meta_t meta) {
    value_set<outer_t>(4) known;
    @name("small" ++ "_one") value_set<bit<8>>(2) small;
    Q() q;
    state start {
        q.apply(packet, meta.m);
        packet.extract(hdr.keys);
        transition select(hdr.keys.a, hdr.keys.b, hdr.keys.c) {
            known: accept;
            (_, everywhere, _): accept;
            (small, _, 3): accept;
            default: reject;
        }
    }
}

control C(inout headers hdr, inout meta_t meta) {
    apply { }
}

@noWarn("never-emitted") control D(packet_out packet, in headers hdr, in meta_t meta) {
    apply { }
}

Pipe(P(), C(), D()) main;
