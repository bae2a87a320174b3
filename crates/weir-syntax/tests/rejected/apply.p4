control a(inout bit<8> x) {
    action b() { }
}
control c(inout bit<8> x) {
    { x = 1; }
}
control d(inout bit<8> x) {
    apply { }
    apply { }
    action late() { }
}
control e(inout bit<8> x) { apply { x = 1; } }
