// Statements and functions where declarations belong, and one brace too many.
header h_t { bit<8> ttl; }

control c(inout h_t h) {
    void lower() { // ERROR syntax-unexpected-token
        h.ttl = h.ttl - 1;
    }
    apply { }
}

parser p(inout h_t h) {
    state start {
        h.ttl = 1;
        transition next;
    state next { transition accept; } // ERROR syntax-unclosed-brace
}

control d(inout h_t h) {
    if (h.isValid()) { // ERROR syntax-unexpected-token
        h.ttl = 1;
    }
} // ERROR syntax-missing-apply

control e(inout h_t h) {
    apply { h.ttl = 2; }
}
} // ERROR syntax-unexpected-token
