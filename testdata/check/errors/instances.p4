// Constructors, packages and their parameters.
#include <core.p4>

struct h_t { bit<8> a; }
struct m_t { bit<8> b; }

parser ParserT<H, M>(packet_in packet, out H hdr, inout M meta);
control ControlT<H, M>(inout H hdr, inout M meta);
package Switch<H, M>(ParserT<H, M> p, ControlT<H, M> c);

extern Meter {
    Meter(bit<32> size);
    void run();
}
extern Given {
    void run();
}
extern Abstract {
    Abstract();
    abstract bit<8> choose(in bit<8> from);
}

parser P(packet_in packet, out h_t hdr, inout m_t meta) {
    state start { transition accept; }
}
control C(inout h_t hdr, inout m_t meta) {
    apply { }
}
control Wrong(inout h_t hdr, in m_t meta) {
    apply { }
}
control Sized(inout h_t hdr, inout m_t meta)(bit<8> size) {
    Meter(4) meter;
    apply {
        meter.run();
        hdr.a = size;
        Meter(4) inside; // ERROR misplaced-instance
    }
}

Meter(true) m1; // ERROR type-mismatch
Given() g1; // ERROR no-constructor
ControlT<h_t, m_t>() c1; // ERROR no-constructor
h_t() h1; // ERROR no-constructor
Abstract() a1; // ERROR missing-method
Abstract() a2 = {
    bit<8> choose(in bit<16> from) { // ERROR type-mismatch
        return 1;
    }
};

Switch(P(), Wrong()) s1; // ERROR type-mismatch
Switch(C(), C()) s2; // ERROR type-mismatch
Switch(P(), Sized()) s3; // ERROR argument-count
Switch<h_t>(P(), C()) s4; // ERROR type-argument-count
Switch<m_t, m_t>(P(), C()) s5; // ERROR type-mismatch type-mismatch
Switch(P(), C()) main;
