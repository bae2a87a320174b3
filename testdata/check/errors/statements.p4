// Statements in the wrong place, missing returns, switches.
enum E { One, Two }

bit<8> some_paths(in bool b) { // ERROR missing-return
    if (b) {
        return 1;
    }
}

bit<8> all_paths(in bool b) {
    if (b) {
        return 1;
    } else {
        return 2;
    }
}

bit<8> no_value() {
    return; // ERROR missing-return
}

void with_value() {
    return 1; // ERROR unexpected-return-value
}

bit<8> leaves() {
    exit; // ERROR misplaced-statement
    return 1;
}

control C(inout bit<8> x, in E e) {
    action a() {
        x = 1;
    }
    action b() {
        x = 2;
        return;
    }
    table t {
        actions = { a; }
        default_action = a;
    }
    apply {
        break; // ERROR misplaced-statement
        switch (t.apply().action_run) {
            a: { x = 3; }
            b: { x = 4; } // ERROR unknown-action
            a: { x = 5; } // ERROR duplicate-label
        }
        switch (x) {
            1:
            2: { x = 6; }
            1: { x = 7; } // ERROR duplicate-label
            default: { x = 8; }
        }
        switch (e) {
            E.One: { x = 9; }
            3: { x = 10; } // ERROR type-mismatch
        }
        switch (t.apply()) { // ERROR type-mismatch
            a: { x = 11; }
        }
        x = all_paths(true);
        b();
        return;
        x = 12; // WARNING unreachable-code
    }
}
