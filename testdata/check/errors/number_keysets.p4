// Numbers in keysets that stand for no member of an enum.
#include <core.p4>

enum bit<16> kind_t { Inner = 0x800 }
enum plain_t { First }

header h_t {
    kind_t kind;
}

parser P(packet_in packet, out h_t h) {
    plain_t plain = plain_t.First;
    state start {
        packet.extract(h);
        transition select(h.kind) {
            8w5: accept; // ERROR type-mismatch
            true: accept; // ERROR type-mismatch
            0x12345: accept; // WARNING truncated-constant
            default: more;
        }
    }
    state more {
        transition select(plain) {
            0: accept; // ERROR type-mismatch
            default: reject;
        }
    }
}

control C(inout h_t h) {
    table t {
        key = { h.kind: exact; }
        actions = { NoAction; }
        default_action = NoAction;
        const entries = {
            0x800: NoAction;
            kind_t.Inner: NoAction; // ERROR duplicate-entry
        }
    }
    apply {
        t.apply();
        if (h.kind == kind_t.Inner) {
            h.kind = 5; // ERROR type-mismatch
        }
    }
}

parser PT(packet_in packet, out h_t h);
control CT(inout h_t h);
package Whole(PT p, CT c);
Whole(P(), C()) main;
