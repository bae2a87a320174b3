// Mistakes in the expansions of macros: shown where they are used, with the macro's line.
#define SET(x) x =
#define WRAP(a) SET(a) 16w5;
#define TWICE(a) (a) + (a)

control c(inout bit<8> y) {
    apply {
        WRAP(y) // ERROR type-mismatch
        y = TWICE(z); // ERROR unknown-name
    }
}
