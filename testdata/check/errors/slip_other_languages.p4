// Habits of other languages.
# a comment as other languages have it // WARNING preprocess-unknown-directive
header h_t { bit<8> ttl; bit<8> tos; }

control c(inout h_t h) {
    apply {
        if h.isValid() { // ERROR syntax-unexpected-token
            h.ttl = 1;
        }
        if (h.isValid() and h.ttl > 0) { // ERROR syntax-unexpected-token
            h.ttl = 2;
        }
        if (h.ttl == 0 or h.tos == 0) { // ERROR syntax-unexpected-token
            h.ttl = 3;
        }
        h.ttl--; // ERROR syntax-no-increment
        h.tos++; // ERROR syntax-no-increment
    }
}
