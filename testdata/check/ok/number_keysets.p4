// In a keyset, a number stands for the member of a serializable enum, and a mask for the values of a range key.
#include <core.p4>

match_kind { range }

enum bit<16> kind_t { Inner = 0x800, Outer = 0x8100 }

header h_t {
    kind_t kind;
    bit<8> rest;
}

const bit<16> OTHER = 0x86dd;

parser P(packet_in packet, out h_t h) {
    state start {
        packet.extract(h);
        transition select(h.kind) {
            0x9100: more;
            OTHER: more;
            kind_t.Inner: accept;
            0x1000 &&& 0xf000: more;
            0x2000 .. kind_t.Outer: more;
            default: reject;
        }
    }
    state more {
        transition select(h.kind, h.rest) {
            (0x9100, 1): accept;
            (kind_t.Outer, _): accept;
            (_, _): reject;
        }
    }
}

control C(inout h_t h) {
    action set(bit<8> to) {
        h.rest = to;
    }
    table t {
        key = { h.kind: exact; h.rest: range; }
        actions = { set; }
        default_action = set(0);
        const entries = {
            (0x9100, 0x10 &&& 0xf0): set(1);
            (OTHER, 1 &&& 2): set(2);
            (kind_t.Outer, 3 .. 4): set(3);
        }
    }
    apply {
        t.apply();
    }
}

parser PT(packet_in packet, out h_t h);
control CT(inout h_t h);
package Whole(PT p, CT c);
Whole(P(), C()) main;
