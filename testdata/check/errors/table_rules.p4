// Rules between the properties of a table.
#include <core.p4>

header h_t { bit<8> a; bit<32> b; }
struct s_t { bit<8> x; }

control C(inout h_t h, inout s_t s) {
    action copy(inout bit<8> to, bit<8> from) { to = from; }
    action nop() { }

    table early_default {
        default_action = nop; // ERROR property-order
        actions = { nop; }
    }
    table early_entries {
        actions = { nop; }
        const entries = { 1: nop(); } // ERROR property-order
        key = { h.a: exact; }
    }
    table other_binding {
        key = { h.a: exact; }
        actions = { copy(s.x); nop; }
        default_action = copy(h.a, 3); // ERROR bound-arguments
    }
    table same_binding {
        key = { h.a: exact; h.b: lpm; }
        actions = { copy(s.x); nop; }
        default_action = copy(s.x, 3);
        const entries = {
            (1, 0xff00ff00 &&& 0xff00ff00): nop; // ERROR bad-keyset
            (1, 0xff000000 &&& 0xff000000): copy(s.x, 4);
            (2, 0 &&& 0): copy(5);
        }
    }
    apply {
        early_default.apply();
        early_entries.apply();
        other_binding.apply();
        same_binding.apply();
        switch (s.x) {
            1: { s.x = 2; }
            default: { s.x = 3; }
            4: { s.x = 5; } // ERROR misplaced-default
        }
    }
}
