// States, transitions, selects.
#include <core.p4>

header h_t { bit<8> kind; bit<16> length; }
struct s_t { h_t h; h_t[2] stack; }

parser NoStart(packet_in packet, out s_t s) { // ERROR no-start-state
    state begin {
        transition accept;
    }
}

parser P(packet_in packet, out s_t s) {
    state start {
        packet.extract(s.h);
        packet.extract(s.h.kind, 3, 4); // ERROR no-overload
        packet.extrakt(s.h); // ERROR unknown-method
        packet.extract(s.stack.nxt); // ERROR unknown-member
        transition select(s.h.kind, s.h.length) {
            (1, 2): next;
            (1, 65536): next; // WARNING truncated-constant
            1: next; // ERROR keyset-length
            (1, 2, 3): next; // ERROR keyset-length
            (true, 2): next; // ERROR type-mismatch
            (3 .. 1, _): next; // WARNING empty-range
            (_, 0x10 &&& 0xf0): nxet; // ERROR unknown-state
            default: accept;
        }
    }
    state next {
        exit; // ERROR misplaced-statement
        transition accept;
    }
    state next { // ERROR duplicate-declaration
        transition select(5) { // ERROR type-mismatch
            default: accept;
        }
    }
    state accept { // ERROR reserved-state
        transition reject;
    }
}

control C(inout s_t s) {
    apply {
        s.h = s.stack.next; // ERROR not-in-parser
        s.stack[2].setInvalid(); // ERROR index-out-of-range
        s.stack.push_front(0); // ERROR bad-argument
        s.stack.pop_front(s.h.kind); // ERROR not-constant
        s.h = s.stack[s.h.kind];
    }
}
