// An extern object made where its method is called, and an overloaded constructor chosen by the names of its arguments.
#include <core.p4>

extern Digest<O> {
    Digest(O seed);
    Digest(O seed, O mask);
    Digest(O base);
    O of<T>(in T data);
}

header pair_t { bit<32> a; bit<32> b; }

control Sum(in pair_t pair, out bit<16> sum, out bit<16> masked) {
    Digest<bit<16>>(seed = 16w1) seeded;
    apply {
        sum = Digest<bit<16>>(16w1, 16w0xFF).of(pair) + seeded.of(pair.a);
        masked = Digest<bit<16>>(base = 16w0x8000).of(pair);
    }
}

control Control(in pair_t pair, out bit<16> sum, out bit<16> masked);
package Switch(Control sum);
Switch(Sum()) main;
