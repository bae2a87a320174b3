control a(inout bit<8> x) {
    apply {
        if (x == 1) {
            x = 2;
    }
}
struct s { bit<8> y; }
control b(inout bit<8> x) { apply { x = (1; x = 2); x[1 = 3; } }
control c(inout bit<8> x) {
    apply { x = 1;
