// `entries`, misspelt.
match_kind { exact }
control C(inout bit<8> x) {
    action a() { x = 1; }
    table t {
        key = { x: exact; }
        actions = { a; }
        default_action = a();
        const entry = { 1: a(); }                       // ERROR syntax-misspelt-keyword
    }
    apply { t.apply(); }
}
