// Names, calls and arguments inside parsers and controls.
#include <core.p4>

struct pair_t {
    bit<8> left;
    bit<8> right;
}

bit<8> twice(in bit<8> x) {
    return x + x;
}

parser Loop(in bit<8> x) { // ERROR endless-parser
    state start {
        transition again;
    }
    state again {
        transition start;
    }
}

parser Select(in bit<8> x) {
    state start {
        transition select(x) {
            twice(x): reject; // ERROR misplaced-call
            default: accept;
        }
    }
}

control Hiding(inout bit<8> x) {
    action set(pair_t pair) { // WARNING composite-action-data
        x = pair.left;
    }
    action add(in bit<8> n) {
        x = x + n;
    }
    action bump() {
        x = x + 1;
    }
    table inner {
        actions = {
            bump;
            set;
        }
        default_action = bump;
    }
    table outer {
        key = {
            outer: exact; // ERROR recursion
        }
        actions = {
            add(inner.apply().hit ? x : 0); // ERROR misplaced-call
        }
    }
    table ranked {
        key = {
            x: exact;
        }
        actions = {
            bump;
        }
        default_action = bump;
        entries = {
            priority=10: 1: bump; // ERROR bad-priority
        }
    }
    apply {
        bit<8> x = x; // ERROR shadowing
        x = x / -1; // ERROR bad-operand
        ranked.apply();
        inner.apply();
        outer.apply();
    }
}
