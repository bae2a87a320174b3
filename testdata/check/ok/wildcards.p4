// `_` as a type argument: in signatures each call determines it; an object may leave the types of its indices open.
#include <core.p4>

extern Cells<T, I> {
    Cells(bit<32> size);
    Cells(bit<32> size, T initial);
    T read(in I at);
    void write(in I at, in T value);
}

extern Poly<T> {
    Poly(T coefficients);
}

extern Sum<W> {
    Sum();
    Sum(bit<8> kind);
    Sum(bit<8> kind, Poly<_> polynomial);
    W of<D>(in D data);
    bool like<D>(in D data, Poly<_> other, Poly<_> polynomial);
}

extern Chooser {
    Chooser(bit<32> size, Sum<_> by);
    Chooser(Sum<_> by);
    Chooser(Sum<_> by, @optional Sum<_> then, @optional bit<8> way, bit<8> last);
    bit<8> choice();
}

extern Update<T, I, R> {
    Update(Cells<T, _> of);
    Update(Cells<_, _> of, bit<8> way);
    abstract void change(inout T value, @optional out R result);
    R run(@optional in I at);
}

struct pair_t { bit<16> left; bit<16> right; }

extern Sum<_> some_sum();
extern bit<8> weight<D>(in D data, Sum<_> by, Cells<_, bit<8>> cells);

typedef Cells<bit<32>, _> Words;

bit<8> twice(in bit<8> value, Cells<bit<8>, _> cells) {
    return value + cells.read(value);
}

control Inner(inout bit<32> x)(Sum<_> sum, Cells<bit<32>, _> cells) {
    apply {
        cells.write(x[3:0], x);
        x = cells.read(x);
    }
}

control C(inout bit<32> x) {
    Sum<bit<16>>(1) one;
    Poly<bit<8>>(7) poly;
    Poly<bit<16>>(7) wider;
    Sum<bit<16>>(1, poly) other;
    Sum<bit<8>>() third;
    Chooser(1024, one) chooser;
    Chooser(third) shorter;
    Chooser(by = one, then = third, last = 2) longer;
    Cells<bit<32>, _>(64) open;
    Cells<bit<32>, bit<8>>(64) closed;
    Cells<_, bit<8>>(64, 8w0) inferred;
    Words(8) words;
    Cells<pair_t, _>(8) pairs;
    Update<bit<32>, bit<32>, bit<32>>(open) narrow = {
        void change(inout bit<32> value, out bit<32> result) {
            value = value + 1;
            result = value;
        }
    };
    Update<bit<32>, _, bit<32>>(closed) free = {
        void change(inout bit<32> value) {
            value = 0;
        }
    };
    Update<_, _, bit<16>>(pairs) found = {
        void change(inout pair_t value, out bit<16> result) {
            result = value.left;
        }
    };
    Update<_, _, bit<8>>(inferred, 3) by_body = {
        void change(inout bit<8> value, out bit<8> result) {
            result = value;
        }
    };
    Inner(one, open) inner;
    Inner(third, closed) again;

    apply {
        x = open.read(x);
        open.write(x[7:0], 5);
        x = words.read(8w1) + closed.read(1);
        x = narrow.run(x) + free.run() + free.run(x) + free.run(x[9:0]);
        x[15:0] = found.run(8w1);
        x[7:0] = by_body.run(1w0);
        x[7:0] = twice(x[7:0], inferred) + weight(x, one, inferred) + weight<bit<32>>(x, third, closed);
        if (one.like({ x }, poly, poly) || one.like<bit<32>>(x, poly, wider)) {
            x[15:0] = other.of({ x });
        }
        x[7:0] = chooser.choice() + shorter.choice() + longer.choice();
        inner.apply(x);
        again.apply(x);
    }
}

control CT<T>(inout T x);
package Part<_T>(CT<_> c);
package Whole(CT<_> first, Part<bit<8>> second, Part<_> third);
Whole(C(), Part<bit<8>>(C()), Part<bit<9>>(C())) main;
