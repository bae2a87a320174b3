// Arguments: how many, named how, of which types; and what may be called from where.
#include <core.p4>

extern bit<8> measure(in bit<8> a, in bit<8> b);
extern void constant_only(bit<8> index);
extern T identity<T>(in T value);
extern T nothing<T>();
extern Box<T> {
    Box(T start);
    T get();
    void set(in T value);
}

bit<8> f(in bit<8> a, in bit<16> b) {
    return a;
}

bit<8> g(in bit<8> n) {
    return g(n); // ERROR recursion
}

parser P(packet_in packet, out bit<8> v) {
    state start {
        v = 1;
        transition accept;
    }
}

control Inner(inout bit<8> x) {
    apply { x = x + 1; }
}

control C(inout bit<8> x) {
    Inner() inner;
    Box<bit<8>>(300) box; // WARNING truncated-constant
    action a() {
        inner.apply(x); // ERROR misplaced-call
    }
    table t {
        actions = { a; }
        default_action = a;
    }
    action b() {
        t.apply(); // ERROR misplaced-call
    }
    apply {
        x = f(x); // ERROR argument-count
        x = f(x, 1, 2); // ERROR argument-count
        x = f(a = x, 1); // ERROR mixed-arguments
        x = f(a = x, c = 1); // ERROR unknown-parameter
        x = f(a = x, a = 1); // ERROR duplicate-argument
        x = f(b = 1, a = x);
        x = measure(x, 16w1); // ERROR type-mismatch
        constant_only(x); // ERROR not-constant
        x = identity(x);
        x = identity<bit<8>, bit<8>>(x); // ERROR type-argument-count
        identity(5); // ERROR unknown-width
        nothing(); // ERROR cannot-infer
        x = nothing();
        box.set(16w1); // ERROR type-mismatch
        x = box.take(); // ERROR unknown-method
        x = box.get();
        verify(true, error.NoError); // ERROR misplaced-call
        t(); // ERROR not-callable
        x(); // ERROR not-callable
        t.apply();
        b();
        inner.apply(); // ERROR argument-count
    }
}
