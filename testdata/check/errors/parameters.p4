// What may be given to what.
#include <core.p4>

parser Reader(packet_in packet);
control Stage(inout bit<8> x);

control Work(inout bit<8> x)(Reader reader) { // ERROR bad-parameter
    apply { x = 0; }
}

parser Read(packet_in packet)(Stage stage) { // ERROR bad-parameter
    state start { transition accept; }
}

control Maybe(inout bit<8> x, @optional in bit<8> y)(@optional bit<8> z) { // ERROR bad-parameter bad-parameter
    apply { x = 0; }
}

extern void either(@optional in bit<8> y = 2); // ERROR bad-parameter

control Count(inout bit<8> x, int by) {
    apply { x = x + by; }
}

action steps(inout bit<8> x, int by) { // ERROR bad-parameter
    x = 1;
}

control Counting(inout bit<8> x, inout int by) { // ERROR bad-parameter
    Count() count;
    apply {
        count.apply(x, 2);
        count.apply(x, x); // ERROR type-mismatch
    }
}

extern void exactly(bit<8> x);

void pass(bit<8> fixed, in bit<8> any) {
    exactly(fixed + 1);
    exactly(any); // ERROR not-constant
    const bit<8> doubled = fixed * 2; // ERROR not-constant
    exactly(doubled);
}

extern Tally { Tally(); void one(); }

void twice(Tally tally) {
    tally.one();
    tally.one();
}

action once(Tally tally) { // ERROR bad-parameter
    tally.one();
}

void never(in Tally tally) {} // ERROR bad-parameter
