// What can be written to, and what can be passed for `out` and `inout`.
const bit<8> LIMIT = 4;

bit<8> twice(in bit<8> v) {
    v = v + v; // ERROR not-assignable
    return v;
}

void fill(out bit<8> v) {
    v = 1;
}

control C(in bit<8> a, inout bit<8> b, inout bit<16> wide) {
    action act(bit<8> given) {
        given = 1; // ERROR not-assignable
        b = given;
    }
    table t {
        actions = { act; }
        default_action = act(1);
    }
    apply {
        a = 1; // ERROR not-assignable
        LIMIT = 5; // ERROR not-assignable
        b + 1 = 2; // ERROR syntax-unexpected-token
        t.apply();
    }
}

control D(in bit<8> a, inout bit<8> b, inout bit<16> wide) {
    apply {
        twice(b) = 2; // ERROR syntax-not-assignable
        fill(a); // ERROR not-assignable
        fill(3); // ERROR not-assignable
        fill(wide); // ERROR type-mismatch
        fill(wide[7:0]);
        fill(_);
        b = twice(_); // ERROR bad-argument
    }
}
