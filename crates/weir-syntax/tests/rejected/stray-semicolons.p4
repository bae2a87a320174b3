control c(inout bit<8> x) {
    action a() { };
    table t {
        key = { x: exact; };
        actions = { a; };
        size = 3;
    };
    apply { }
}
parser p(in bit<8> x) {
    state start {
        transition select(x) { 1: accept; };
    };
}
