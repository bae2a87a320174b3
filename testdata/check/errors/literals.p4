// Numbers that do not fit, wherever a number may stand.
enum bit<4> Level { Low = 0b1, High = 0o77 }             // WARNING truncated-constant
const bit<8> OCTAL = -0o7;                               // WARNING truncated-constant
const bit<8> NEGATIVE = -7;                              // WARNING truncated-constant
const int<8> BITS = 8s0x80;
const int<8> BITS_OCTAL = 8s0o3_77;
const int<8> DECIMAL = 8s128;                            // WARNING truncated-constant
const int<8> TOO_MANY_BITS = 8s0x1_00;                   // WARNING truncated-constant
const int<8> LEAST = -128;
const int<8> BELOW = -129;                               // WARNING truncated-constant
const bit<8> WIDE = 8w0b1_0000_0000;                     // WARNING truncated-constant
const bit<8> UNDERSCORES = 0d2_56;                       // WARNING truncated-constant
const bit<8> OCTAL_WIDE = 0o4_00;                        // WARNING truncated-constant
const bit<8> CAST = (bit<8>)300;                         // WARNING truncated-constant
const bit<8> CAST_NEGATIVE = (bit<8>)-1;
const bit<8> CAST_BELOW = (bit<8>)-129;                  // WARNING truncated-constant
const int<8> CAST_BITS = (int<8>)200;
const int<8> CAST_WIDE = (int<8>)256;                    // WARNING truncated-constant
const bit<8> CAST_OF_WIDTH = (bit<8>)16w300;
const bit<32> CAST_INSIDE = (bit<32>)(bit<16>)70_000;    // WARNING truncated-constant
typedef bit<9> port_t;
const port_t PORT = (port_t)512;                         // WARNING truncated-constant

bit<8> same(in bit<8> x) { return x; }

parser P(in bit<8> x, in int<8> z) {
    state start {
        transition select(x, z) {
            (0x1_00, 1): accept;                         // WARNING truncated-constant
            (0o400 &&& 0xFF, 2): accept;                 // WARNING truncated-constant
            (1 .. 256, 3): reject;                       // WARNING truncated-constant empty-range
            (4, 8s0x80): accept;
            (5, 128): accept;                            // WARNING truncated-constant
            default: reject;
        }
    }
}

match_kind { exact }

control C(inout bit<8> x, inout bit<8> y) {
    action set(bit<8> value) { x = value; }
    table t {
        key = { x: exact; }
        actions = { set; }
        default_action = set(0b1_0000_0001);             // WARNING truncated-constant
        const entries = {
            0x1_FF: set(1);                              // WARNING truncated-constant
            1: set(-0o401);                              // WARNING truncated-constant
        }
    }
    apply {
        t.apply();
        x = same(0d999);                                 // WARNING truncated-constant
        x = x == -1 ? 8w1 : 2;                           // WARNING truncated-constant
        switch (x) {
            0x1_01: { y = 8w0o7_77; }               // WARNING truncated-constant truncated-constant
            default: { }
        }
    }
}
