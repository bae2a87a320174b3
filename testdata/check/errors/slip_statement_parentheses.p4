// Calls as statements, without their parentheses.
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
        t.apply; // ERROR syntax-unexpected-token
        h.setValid; // ERROR syntax-unexpected-token
        a; // ERROR syntax-unexpected-token
    }
}
