// Keys without a match kind.
#include <core.p4>

control c(in bit<8> x, in bit<8> y) {
    table t {
        key = {
            x; // ERROR syntax-missing-match-kind
            y: exact;
        }
        actions = { NoAction; }
    }
    table last {
        key = { x: exact; y } // ERROR syntax-missing-match-kind
        actions = { NoAction; }
    }
    apply { t.apply(); last.apply(); }
}
