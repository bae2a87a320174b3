// What is checked while compiling.
#include <core.p4>

const bit<32> VERSION = 3;
const bool new_enough = static_assert(VERSION >= 4, "needs version 4"); // ERROR static-assert
const bool new_at_all = static_assert(VERSION >= 1);

@name(5) // ERROR bad-annotation
const bit<8> NAMED = 1;

@deprecated("use `measure2`")
extern void measure();

control C() {
    apply {
        measure(); // WARNING deprecated
    }
}
