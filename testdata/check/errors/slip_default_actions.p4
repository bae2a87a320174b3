// `default_action`, misspelt.
match_kind { exact }
control C(inout bit<8> x) {
    action a() { x = 1; }
    table t {
        key = { x: exact; }
        actions = { a; }
        default_actions = a();                          // ERROR misplaced-call
    }
    table u {
        key = { x: exact; }
        actions = { a; }
        const defaultaction = a();                      // ERROR misplaced-call
    }
    apply {
        t.apply();
        u.apply();
    }
}
