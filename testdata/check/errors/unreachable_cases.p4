// Cases of `select` and labels of `switch` that can never match.
#include <core.p4>

enum bit<8> Kind { Data = 1, Ack = 2 }
enum Colour { red, green }
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
            default: whole;
        }
    }
    state whole {
        transition select(fast) {
            true: bits;
            false: bits;
            default: reject;                    // WARNING unreachable-case
        }
    }
    state bits {
        transition select(item.flags[1:0], fast) {
            (0 .. 2, _): halves;
            (3, true): halves;
            (3, false): accept;
            _: reject;                          // WARNING unreachable-case
        }
    }
    state halves {
        transition select(item.level) {
            0 &&& -128: rest;
            -128 &&& -128: rest;
            (_): reject;                        // WARNING unreachable-case
        }
    }
    state rest {
        transition select(item.flags[1:0], fast) {
            (0 .. 2, _): accept;
            (3, true): accept;
            default: reject;
        }
    }
}

control C(inout bit<8> x, inout bit<16> y, in Colour colour) {
    action one() { x = 1; }
    action two() { x = 2; }
    table t {
        key = { x: exact; }
        actions = { one; two; }
        default_action = one();
    }
    apply {
        switch (colour) {
            Colour.red: { y = 1; }
            Colour.green: { y = 2; }
            default: { y = 3; }                 // WARNING unreachable-case
        }
        switch (x[0:0]) {
            0: { y = 1; }
            1: { y = 2; }
            default: { }
        }
        switch (t.apply().action_run) {
            one: { y = 1; }
            two: { y = 2; }
            default: { y = 3; }                 // WARNING unreachable-case
        }
        switch (t.apply().action_run) {
            one: { y = 1; }
            default: { y = 3; }
        }
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
