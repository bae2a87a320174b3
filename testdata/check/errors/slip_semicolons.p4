// Missing semicolons.
header h_t {
    bit<8> x // ERROR syntax-missing-semicolon
    bit<8> y;
}

const bit<8> ONE = 1 // ERROR syntax-missing-semicolon

control c(inout h_t h) {
    action a() { h.x = ONE } // ERROR syntax-missing-semicolon
    apply {
        a() // ERROR syntax-missing-semicolon
        h.y = 2 // ERROR syntax-missing-semicolon
    }
}
