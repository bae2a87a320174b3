// Operands that do not fit their operators (P4_16 section 8.11.2).
control C(inout bit<8> x, inout bit<16> y, inout int<8> z, inout bool b) {
    apply {
        y = x + y; // ERROR bad-operand
        x = x + z; // ERROR bad-operand
        z = (int<8>)y; // ERROR bad-cast
        x = x << z; // ERROR bad-operand
        b = x < z; // ERROR bad-operand
        x = 1 << x; // ERROR bad-operand
        x = ~1; // ERROR bad-operand
        x = 5 & -3; // WARNING unbounded-bits
        x = !x; // ERROR bad-operand
        b = ~b; // ERROR bad-operand
        b = x && b; // ERROR type-mismatch
        x = x + b; // ERROR bad-operand
        x = x ++ 1; // ERROR bad-operand
        x = x / y; // ERROR bad-operand
        x = x / 3; // WARNING division-at-run-time
        x = (bit<8>)(7 / 0); // ERROR division-by-zero
        x = (bit<8>)(-7 % 2); // ERROR bad-operand
        x = x << -1; // ERROR bad-shift
        b = { x, y } == x; // ERROR bad-operand
        y = b ? x : y; // ERROR type-mismatch
        x = y[7:8]; // ERROR bad-slice
        x = y[16:9]; // ERROR bad-slice
        x = b[0:0]; // ERROR not-sliceable
        x[0] = 1; // ERROR not-indexable
    }
}
