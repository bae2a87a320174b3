// What stacks and slices are made of.
#include <core.p4>
header octet_t { bit<8> value; }
const int NONE = 0;

control Row(in octet_t[2] row, out bit<8> x) {
    octet_t[NONE] none; // ERROR bad-width
    bit<8>[0] zero; // ERROR bad-width
    octet_t[2][3] rows; // ERROR bad-field-type
    bit<8>[2][3] plain; // WARNING unused
    apply {
        x = row[2].value; // ERROR index-out-of-range
        x = row[2].minSizeInBits();
        x = 0xABCD[x+:8]; // ERROR type-mismatch
        x = 0xABCD[7:8]; // ERROR bad-slice
        x = (true)[7:0]; // ERROR not-sliceable
    }
}

typedef string text_t; // ERROR bad-typedef

struct pair_t { bit<8> a; bit<8> b; }
const pair_t REST = { 1, ... };
const pair_t FIRST = { ..., 1 }; // ERROR misplaced-default

control Doubled(inout bit<8> x, in bool b) {
    action one() { x = 1; }
    table both {
        key = { x: exact; b: exact; }
        actions = { one; }
        default_action = one;
        const entries = {
            (1, true): one;
            (8w1, false): one;
            (0x01, true): one; // ERROR duplicate-entry
        }
    }
    apply { both.apply(); }
}
