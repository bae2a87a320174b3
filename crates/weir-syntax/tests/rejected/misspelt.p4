heder h { bit<8> x; }
contrl d(inout bit<8> x) { apply { } }
parser p(in bit<8> x) {
    sate start { transition accept; }
}
control c(inout bit<8> x) {
    acton a() { }
    tabel t { actions = { a; } }
    table u {
        keys = { x: exact; }
        action = { a; }
        entires = { 1: a(); }
        default_acton a();
    }
    aply {
        iff (x == 1) { x = 2; }
        retrun;
        swich (x) { default: { } }
        exitt;
    }
}
