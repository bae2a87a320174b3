// Declarations that do not hold together.
#include <core.p4>

const bit<8> TWICE = 1;
const bit<8> TWICE = 2; // ERROR duplicate-declaration

header bad_header_t {
    bit<8> a;
    bit<8> a; // ERROR duplicate-declaration
    string text; // ERROR bad-field-type
    error  code; // ERROR bad-field-type
}

header_union union_t {
    bit<8> raw; // ERROR bad-field-type
}

struct struct_t {
    packet_in packet; // ERROR bad-field-type
    int       number; // ERROR bad-field-type
}

enum Names { One, Two, One } // ERROR duplicate-declaration

enum bit<4> Codes {
    Small = 1,
    Large = 16 // WARNING truncated-constant
}

enum bool Truth { // ERROR bad-enum
    Yes = true
}

typedef bit<(-1)> negative_t; // ERROR bad-width
type Names new_names_t; // ERROR bad-newtype

extern void e(in packet_in packet); // ERROR bad-parameter


control C(inout bit<8> x)(bit<8> start) {
    bit<8> x = start; // WARNING shadowing
    packet_in packet; // ERROR bad-variable-type
    action a(bit<8> given, in bit<8> seen) { // ERROR parameter-order
        x = given + seen;
    }
    action never() { } // WARNING unused
    apply {
        a(1, 2);
        bit<8> y; // WARNING unused
        {
            bit<8> x = 3; // WARNING shadowing unused
        }
    }
}

C(1) top; // ERROR misplaced-instance
