// A value set's members, taken apart, are what is compared.
#include <core.p4>

struct inner_t { bit<8> a; bit<16> b; }
struct outer_t { inner_t inner; @match(ternary) bit<8> c; }

header keys_t { bit<8> a; bit<16> b; bit<8> c; }

parser Read(packet_in packet, out keys_t keys) {
    value_set<outer_t>(4) known;
    value_set<tuple<bit<8>, inner_t>>(4) others;
    state start {
        packet.extract(keys);
        transition select(keys.a, keys.b, keys.c) {
            known: accept;
            others: reject; // ERROR type-mismatch
            default: more;
        }
    }
    state more {
        transition select(keys.a, keys.c, keys.b) {
            known: accept; // ERROR type-mismatch
            others: accept;
            default: reject;
        }
    }
}
