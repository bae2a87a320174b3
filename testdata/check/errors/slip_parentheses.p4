// Methods without their parentheses.
#include <core.p4>

header h_t { bit<8> x; }

control c(inout h_t h) {
    action a() { h.x = 1; }
    table t {
        key = { h.x: exact; }
        actions = { a; }
        default_action = a();
    }
    apply {
        if (h.isValid) { // ERROR unknown-field
            h.x = 2;
        }
        if (!h.isValid && h.x == 1) { // ERROR unknown-field
            h.x = 3;
        }
        if (t.apply.hit) { // ERROR not-a-value
            h.x = 4;
        }
        t(); // ERROR not-callable
    }
}
