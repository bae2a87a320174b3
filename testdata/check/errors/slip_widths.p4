// Widths that do not fit, and the casts that mend them.
#include <core.p4>

header h_t {
    bit<8>  small;
    bit<16> large;
    bit<9>  port;
}

bit<16> swap(in bit<16> x) { return x[7:0] ++ x[15:8]; }

control missing_casts(inout h_t h) {
    apply {
        h.large = h.small; // ERROR type-mismatch
        h.small = h.large; // ERROR type-mismatch
        h.large = h.large + h.small; // ERROR bad-operand
        h.large = swap(h.small); // ERROR type-mismatch
        if (h.large == h.small) { // ERROR bad-operand
            h.port = 16w1; // ERROR type-mismatch
        }
        h.small = 8w300; // WARNING truncated-constant
        h.port = h.small ++ 1; // ERROR bad-operand
        if (h.small) { // ERROR type-mismatch
            h.small = 0;
        }
        h.small = h.small == 1; // ERROR type-mismatch
    }
}
