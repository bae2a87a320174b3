// States without a transition reject.
header h_t { bit<8> x; }

parser p(out h_t h) {
    state start { // WARNING missing-transition
        h = { 1 };
    }
}
