// Mistakes in the syntax do not hide other mistakes; what may only be their consequence is not told.
#include <core.p4>

extern Object {
    Objekt(); // ERROR syntax-missing-return-type
}

struct lost_t {
    bit<8> x // ERROR syntax-missing-semicolon
}

control Work(inout bit<8> x, inout lost_t lost, inout gone_t gone) {
    bit<8> never;
    apply {
        x = true; // ERROR type-mismatch
        lost.y = 1;
        if (x = 1) { // ERROR syntax-assign-for-equals
            x = 2;
        }
        x = 8w1 + 16w2; // ERROR bad-operand
    }
}
