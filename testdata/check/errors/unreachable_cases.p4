// Cases of `select` and labels of `switch` that can never match.
#include <core.p4>

enum bit<8> Kind { Data = 1, Ack = 2 }
header item_t { Kind kind; bit<8> flags; int<8> level; bit<16> length; }

parser P(packet_in packet, out item_t item, in bool fast, in error last)(bit<8> chosen) {
    value_set<bit<8>>(4) known;
    state start {
        packet.extract(item);
        transition select(item.flags) {
            1: plain;
            default: masks;
            2: plain;                           // WARNING unreachable-case
            known: plain;                       // WARNING unreachable-case
        }
    }
    state masks {
        transition select(item.flags) {
            0x40 &&& 0xC0: ranges;
            0x41: plain;                        // WARNING unreachable-case
            0x43 &&& 0xC3: plain;               // WARNING unreachable-case
            0x43 &&& 0x83: plain;
            0x50 .. 0x5F: plain;                // WARNING unreachable-case
            0x50 .. 0x90: plain;
            0x85: plain;                        // WARNING unreachable-case
            known: plain;
            known: plain;                       // WARNING unreachable-case
            chosen: plain;
            _: pairs;
        }
    }
    state ranges {
        transition select(item.level, fast) {
            (-128, true): plain;
            (-128, _): plain;
            (-128, false): plain;               // WARNING unreachable-case
            (3 &&& 3, true): plain;
            (-1, true): plain;                  // WARNING unreachable-case
            (_, true): plain;
            (5, true): plain;                   // WARNING unreachable-case
            (_, _): pairs;
        }
    }
    state pairs {
        transition select(item.kind) {
            Kind.Data: plain;
            1: plain;                           // WARNING unreachable-case
            2: plain;
            Kind.Ack: plain;                    // WARNING unreachable-case
            _: narrow;
        }
    }
    state narrow {
        transition select(item.flags & 0x0F, (bit<16>)item.flags, item.length[3:0] ++ 2w1) {
            (0x10, _, _): plain;                // WARNING unreachable-case
            (0x10 &&& 0x10, _, _): plain;       // WARNING unreachable-case
            (0x10 &&& 0x20, _, _): plain;
            (0x10 .. 0x20, _, _): plain;        // WARNING unreachable-case
            (0x0F .. 0x20, _, _): plain;
            (_, 256, _): plain;                 // WARNING unreachable-case
            (_, 255, _): plain;
            (_, _, 6): plain;                   // WARNING unreachable-case
            (_, _, 5): plain;
            (_, _, _): plain;
        }
    }
    state plain {
        transition select(last) {
            error.NoError: accept;
            error.NoMatch: reject;
            error.NoError: reject;              // WARNING unreachable-case
            default: accept;
        }
    }
}

control C(inout bit<8> x, inout bit<16> y) {
    apply {
        switch (x & 3) {
            3: { y = 1; }
            4: { y = 2; }                       // WARNING unreachable-case
            default: { y = 3; }
        }
        switch (y >> 12) {
            15: { x = 1; }
            16: { x = 2; }                      // WARNING unreachable-case
            default: { }
        }
        switch (x) {
            255: { y = 4; }
            default: { y = 5; }
        }
    }
}
